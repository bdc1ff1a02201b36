#include "core/analysis/import_quality.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ridgeline {

namespace {

using Weight = QualityCheck::Weight;

struct Known {
  std::string_view key;
  Weight weight;
  const char* consequence;
  const char* remedy;
};

constexpr const char* kCopyAgain = "Copy the file once more from where it was recorded";
constexpr const char* kInNoFigure = "what was in there is in no figure";
constexpr const char* kEndsThere = "what came after it is in no figure";

constexpr std::array kKnown{
    Known{"gzip_checksum", Weight::spoils, "any name and time may be another than was recorded",
          kCopyAgain},
    Known{"gzip_damaged", Weight::limits, kEndsThere, kCopyAgain},
    Known{"gzip_cut_off", Weight::limits, kEndsThere, kCopyAgain},
    Known{"gzip_rest", Weight::limits, kInNoFigure, kCopyAgain},
    Known{"zstd_damaged", Weight::limits, kEndsThere, kCopyAgain},
    Known{"zstd_cut_off", Weight::limits, kEndsThere, kCopyAgain},
    Known{"file_read", Weight::limits, kEndsThere, "Open it again, or copy it to another disk"},
    Known{"file_grew", Weight::limits, kEndsThere, "Open it again once it is written"},
    Known{"open_object", Weight::note,
          "all events are there, but facts of the recording that stood behind them may be missing",
          kCopyAgain},
    Known{"stray_time", Weight::limits,
          "they set no window, and are in the figures of those only that they reach into; what is "
          "drawn begins or ends there",
          "Such times come from a clock that jumped or a field that was not set: record again, or "
          "correct the ts of these events"},
    Known{"damaged_archive", Weight::limits, kInNoFigure, "Copy or pack the archive once more"},
    Known{"damaged_table", Weight::limits, kInNoFigure, "Export the report once more"},
    Known{"write_ahead_log", Weight::limits, kInNoFigure, ""},
    Known{"rollback_journal", Weight::limits, kInNoFigure, "Export the report once more"},
    Known{"too_many_files", Weight::limits, kInNoFigure, "Open fewer files at a time"},
    Known{"second_document", Weight::limits, kInNoFigure, ""},
    Known{"text_after_end", Weight::limits, kInNoFigure, ""},
    Known{"unreadable_entry", Weight::limits, kEndsThere, "Record again"},
    Known{"long_section", Weight::limits, kEndsThere, ""},
};

/// Losses of single events, and the end of a database: told by other checks.
constexpr std::array kToldElsewhere{
    std::string_view("cut_off_event"),      std::string_view("database_cut_off"),
    std::string_view("unreadable_event"),   std::string_view("unreadable_record"),
    std::string_view("not_an_object"),      std::string_view("event_without_phase"),
    std::string_view("event_without_time"), std::string_view("unknown_phase"),
    std::string_view("end_without_begin"),  std::string_view("given_up"),
};

std::string findingOf(const ImportLog::Problem& problem) {
  std::string text = problem.sentence;
  while (!text.empty() && text.back() == '.') text.pop_back();
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  std::string place = problem.count > 1 ? std::to_string(problem.count) + " times" : "";
  if (!problem.examples.empty()) {
    const ImportLog::Problem::Example& first = problem.examples.front();
    if (!place.empty()) place += ", first ";
    if (first.offset != ImportLog::kNoOffset)
      place += "at byte " + std::to_string(first.offset) + " of the text";
    else
      place += first.text;
  }
  return place.empty() ? text : text + " (" + place + ")";
}

}  // namespace

std::vector<QualityCheck> importChecks(const ImportLog& log) {
  std::vector<QualityCheck> checks;
  for (const auto& [key, problem] : log.problems) {
    const auto known = std::find_if(kKnown.begin(), kKnown.end(),
                                    [&key = key](const Known& k) { return k.key == key; });
    const bool elsewhere =
        std::find(kToldElsewhere.begin(), kToldElsewhere.end(), key) != kToldElsewhere.end();
    if (elsewhere || (known == kKnown.end() && !problem.lost)) continue;
    QualityCheck check;
    check.key = key;
    check.found = true;
    check.finding = findingOf(problem);
    check.consequence = known == kKnown.end() ? "that is in no figure" : known->consequence;
    if (known != kKnown.end()) {
      check.weight = known->weight;
      check.remedy = known->remedy;
    }
    check.touches = {"steps", "devices", "idle_gaps", "critical_path", "kernel_groups", "launches"};
    checks.push_back(std::move(check));
  }
  if (checks.empty())
    checks.push_back(
        {"damaged_file", Weight::note, false, "The file is undamaged", {}, {}, {}, {}});
  return checks;
}

}  // namespace ridgeline
