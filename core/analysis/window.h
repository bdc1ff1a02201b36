#pragma once

#include <string>
#include <vector>

#include "core/workload/workload.h"

namespace ridgeline {

/// What part of a Trace an analysis looks at: ascending, disjoint spans (steps, or one window
/// chosen by hand). Gaps are never joined across a border between spans that do not touch.
struct AnalysisWindow {
  enum class Kind : std::uint8_t { steadySteps, steps, span, wholeDevice };
  Kind kind = Kind::steadySteps;
  std::vector<TimeSpan> spans;
  std::vector<std::size_t> steps;  ///< indices into Workload::steps where the spans are steps
  std::string label;               ///< "5 steady steps (#5…#9)", "12.1 ms … 14.0 ms", "all"

  [[nodiscard]] TimeNs length() const;
  bool operator==(const AnalysisWindow&) const = default;
};

/// What to call a span of it: its step, else the label of the window.
[[nodiscard]] std::string nameOfSpan(const Workload& w, const AnalysisWindow& window,
                                     std::size_t span);

[[nodiscard]] AnalysisWindow steadyWindow(const Workload& w);
[[nodiscard]] AnalysisWindow stepsWindow(const Workload& w, const std::vector<std::size_t>& steps);
[[nodiscard]] AnalysisWindow spanWindow(TimeSpan span);
/// From the first device event's start to the last one's end (all devices); the whole trace where
/// there is no device work.
[[nodiscard]] AnalysisWindow wholeDeviceWindow(const Workload& w);

}  // namespace ridgeline
