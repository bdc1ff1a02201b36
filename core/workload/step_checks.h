#pragma once

#include <vector>

#include "core/workload/steps.h"

namespace ridgeline {

/// What of a Trace belongs to which step, by where it was launched. Indices as in Steps::steps.
struct StepContents {
  std::vector<std::vector<SliceId>> deviceWork;  ///< launched inside the step's annotation
};

[[nodiscard]] StepContents contentsOf(const Trace& trace, const std::vector<Step>& steps);

/// Sets `steady`, `slow` and `why` of every step (rules of ANALYSIS 1.0), and the representative.
void judgeSteps(const Trace& trace, const StepContents& contents, Steps& steps);

}  // namespace ridgeline
