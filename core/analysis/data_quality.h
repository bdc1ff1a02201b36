#pragma once

#include <string>
#include <vector>

#include "core/analysis/profiler_cost.h"
#include "core/analysis/step_figures.h"

namespace ridgeline {

/// One look at the data behind the figures (ANALYSIS 5.4).
struct QualityCheck {
  enum class Weight : std::uint8_t {
    spoils,  ///< figures are wrong or cannot be believed
    limits,  ///< figures are missing or uncertain
    note,    ///< worth knowing; no figure suffers
  };
  std::string key;  ///< stable: "no_shapes"
  Weight weight = Weight::note;
  bool found = false;
  std::string finding;      ///< what is the case; where nothing was found, what was looked at
  std::string consequence;  ///< what it does to which figures
  std::string remedy;       ///< "Record with … to get …"; may be empty
  std::vector<std::string> touches;  ///< sections of the report whose figures it touches
  SliceId example;                   ///< one of the events; may be invalid

  /// All three in one line.
  [[nodiscard]] std::string sentence() const;
};
[[nodiscard]] std::string_view name(QualityCheck::Weight weight);

/// All checks: those that found something first, by weight.
struct DataQuality {
  std::vector<QualityCheck> checks;
  /// Puts further checks where they belong.
  void add(std::vector<QualityCheck> more);
  [[nodiscard]] std::size_t found() const;
  /// The sentences of what was found, without mere notes: the warnings beside every figure.
  [[nodiscard]] std::vector<std::string> warnings() const;
  /// What found something and touches figures of a section of the report ("idle_gaps") or of those
  /// that it is made from, without mere notes, worst first: what a badge beside these figures
  /// tells.
  [[nodiscard]] std::vector<const QualityCheck*> touching(std::string_view section) const;
  /// The same of any of several sections, each check once.
  [[nodiscard]] std::vector<const QualityCheck*> touchingAny(
      const std::vector<std::string>& sections) const;
};

[[nodiscard]] DataQuality dataQuality(const StepFigures& figures, const ProfilerCost& cost);

}  // namespace ridgeline
