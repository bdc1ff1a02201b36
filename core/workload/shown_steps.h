#pragma once

#include <vector>

#include "core/workload/steps.h"

namespace ridgeline {

/// The steps that stand for a recording: the steady ones; where none is steady, those that launched
/// device work; where none did, all. Ascending, never empty.
[[nodiscard]] std::vector<std::size_t> shownSteps(const Steps& steps);

}  // namespace ridgeline
