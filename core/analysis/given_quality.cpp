#include "core/analysis/given_quality.h"

#include <algorithm>

namespace ridgeline {

namespace {

using Weight = QualityCheck::Weight;

QualityCheck found(const char* key, Weight weight, std::string finding, const char* consequence,
                   const char* remedy, std::vector<std::string> touches) {
  return {key, weight, true, std::move(finding), consequence, remedy, std::move(touches), {}};
}

QualityCheck fine(const char* key, const char* lookedAt) {
  return {key, Weight::note, false, lookedAt, {}, {}, {}, {}};
}

std::string capital(const std::string& text) {
  std::string sentence = text;
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    sentence[0] = static_cast<char>(text[0] - 'a' + 'A');
  return sentence;
}

}  // namespace

std::vector<QualityCheck> givenChecks(const Workload& w, const Roofline& roofline,
                                      const Collectives& collectives) {
  std::vector<QualityCheck> checks;
  if (!w.settings.copies.empty()) {
    std::string text = w.settings.copies.front();
    for (std::size_t i = 1; i < w.settings.copies.size(); ++i)
      text += (i + 1 == w.settings.copies.size() ? " and " : ", ") + w.settings.copies[i];
    checks.push_back(found("copies", Weight::note,
                           text + (w.settings.copies.size() > 1 ? " hold" : " holds") +
                               " the same events as this file",
                           "what is a copy is left out, so that nothing counts twice",
                           "Name each recording once", {}));
  }
  if (w.settings.collectives) {
    if (collectives.unusedTable.empty())
      checks.push_back(fine("unused_collectives", "Your table of collectives fits the recording"));
    else
      checks.push_back(found("unused_collectives", Weight::limits, capital(collectives.unusedTable),
                             "no figure is taken from the table",
                             "Measure the same collectives with as many ranks",
                             {"collectives", "bounds", "roofline"}));
  }
  if (w.settings.achievable != AchievableRates{}) {
    std::vector<std::string> doubts;  // devices of one kind have the same
    for (const Roofline::PerDevice& device : roofline.devices)
      for (const std::string& doubt : device.doubts)
        if (std::find(doubts.begin(), doubts.end(), doubt) == doubts.end()) doubts.push_back(doubt);
    std::string text;
    for (const std::string& doubt : doubts) text.append(text.empty() ? "" : "; ").append(doubt);
    if (text.empty())
      checks.push_back(fine("achievable_rates", "The rates that you gave fit the recording"));
    else
      checks.push_back(found("achievable_rates", Weight::limits, capital(text),
                             "shares of what is achievable are not to be relied on",
                             "Check the rate and its unit (TFLOP/s, 10^9 bytes/s)", {"roofline"}));
  }
  if (roofline.measured) {
    const MeasuredKernels::Names& names = roofline.measured->names;
    if (names.whole + names.baseName == 0)
      checks.push_back(found("unused_counters", Weight::limits,
                             "Nsight Compute measured no kernel that can be told in this recording",
                             "no figure is taken from its file",
                             "Measure the program that was recorded", {"roofline"}));
    else if (roofline.measured->sizesNotTold)
      checks.push_back(found("counters_without_sizes", Weight::limits,
                             "The file of Nsight Compute tells no grid and block sizes",
                             "the mean of a kernel's name stands for all its launch sizes",
                             "Keep the columns Grid Size and Block Size, which ncu --csv prints",
                             {"roofline"}));
    else
      checks.push_back(fine("unused_counters", "Kernels of the recording were measured"));
  }
  return checks;
}

}  // namespace ridgeline
