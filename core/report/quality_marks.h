#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report/report.h"

namespace ridgeline {

/// What the checks of the data found, as numbered marks beside the figures they touch: "[2]", told
/// at the end of the table. One number for one finding in the whole report.
class QualityMarks {
 public:
  explicit QualityMarks(std::span<const ReportRank> ranks);

  /// " [1][3]": what touches these sections of one recording, or of all; empty if nothing does.
  [[nodiscard]] std::string of(const ReportRank& rank,
                               const std::vector<std::string>& sections) const;
  [[nodiscard]] std::string of(std::string_view section) const;
  /// Adds the marks of the section to the titles of the columns that hold numbers.
  void mark(Table& table, std::string_view section) const;
  /// "[1] finding: consequence. Remedy." a line each; empty if nothing touches the section.
  [[nodiscard]] std::string footnotes(std::string_view section) const;
  /// "[1]" of a finding; empty for a check that found nothing or a mere note.
  [[nodiscard]] std::string markOf(const QualityCheck& check) const;

 private:
  [[nodiscard]] std::vector<std::size_t> numbersOf(std::string_view section) const;

  std::span<const ReportRank> ranks_;
  std::vector<std::string> sentences_;  ///< number − 1 → what it says
};

/// {section: [{rank, check}]}: the keys of the checks whose findings touch its figures.
[[nodiscard]] ReportJson touchedByJson(std::span<const ReportRank> ranks);

}  // namespace ridgeline
