#pragma once

#include "core/analysis/headline.h"
#include "core/analysis/step_figures.h"

namespace ridgeline {

/// Fills verdict, evidence and action of a headline: the largest loss of the step by the rules of
/// ANALYSIS 5.2 and 5.3, if it is at least kVerdictShare of the step; else what the device works
/// on. A low share of busy time is a symptom and never the verdict; nothing promises more than the
/// step minus its largest lower bound.
void addVerdict(const StepFigures& figures, Headline& headline);

/// A loss of this share of the step is critical (ANALYSIS 5).
inline constexpr double kVerdictShare = 0.15;

}  // namespace ridgeline
