#include "core/analysis/headline_missing.h"

#include "core/analysis/recording_facts.h"
#include "core/base/capital.h"
#include "core/base/duration_text.h"
#include "core/base/share_text.h"
#include "core/trace/cut_off.h"
#include "core/trace/recording_advice.h"

namespace ridgeline {

namespace {

/// What a verdict without device work says of the host: "the host's critical path is …".
std::string ofTheHost(const std::string& verdict) {
  static constexpr std::string_view kStart = "No device work in this window: ";
  return verdict.starts_with(kStart) ? verdict.substr(kStart.size()) : verdict;
}

}  // namespace

void sayWhatIsMissing(const StepFigures& f, Headline& h) {
  const Trace& trace = *f.w->trace;
  const bool cut = isCutOff(trace.importLog());
  const bool noDevice = f.w->deviceWork.empty();
  if (cut && !noDevice) {
    h.verdict += " But the file is cut off: events are missing, and this holds for what is left.";
    h.action += (h.action.empty() ? "" : " ") + capital(cutOffRemedy(trace.importLog())) + ".";
    return;
  }
  if (!noDevice) return;
  const std::uint64_t calls = recordingFacts(trace).launchCalls;
  if (!cut && calls == 0) return;
  std::string launching;
  if (calls > 0)
    launching = counted(calls, "call") + (calls == 1 ? " launches" : " launch") + " device work";
  h.word = Verdict::unknown;
  if (cut) {
    h.verdict = "Unknown: the file is cut off and no device work is left in it" +
                (calls > 0 ? ", though " + launching : std::string()) +
                ": it may be in the missing part. Of what is left: " + ofTheHost(h.verdict);
    h.action = capital(cutOffRemedy(trace.importLog())) + ".";
  } else {
    h.verdict =
        "Unknown: " + launching +
        ", but none of that work is in the recording. Of the host alone: " + ofTheHost(h.verdict);
    h.action = recordingAdvice(recordedBy(trace), Lacking::launched) + ".";
  }
}

}  // namespace ridgeline
