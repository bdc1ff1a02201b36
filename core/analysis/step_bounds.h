#pragma once

#include "core/analysis/bounds.h"
#include "core/analysis/what_if.h"

namespace ridgeline {

/// The lower bounds of one span of a window alone: those of the window are of its mean step, and a
/// step that does less than the mean one can be faster than they say. `ofWindow` (bounds() of the
/// whole window) is taken where it holds one span only.
[[nodiscard]] StepFloors floorsOfSpan(const Workload& w, const AnalysisWindow& window,
                                      std::size_t span, const std::vector<Bounds>& ofWindow);

}  // namespace ridgeline
