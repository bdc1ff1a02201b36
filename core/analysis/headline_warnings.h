#pragma once

#include <string>
#include <vector>

#include "core/analysis/step_figures.h"

namespace ridgeline {

/// What is wrong with the data behind the figures, one sentence each, worst first (ANALYSIS 5.4).
[[nodiscard]] std::vector<std::string> headlineWarnings(const StepFigures& figures);

}  // namespace ridgeline
