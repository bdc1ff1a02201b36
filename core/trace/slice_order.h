#pragma once

#include <cstdint>
#include <span>

#include "core/base/task.h"
#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

/// Sorts raw slices of one track by start, longer first, then in file order. `order` holds their
/// indices in file order. False when the task was cancelled; `order` then has no meaning.
[[nodiscard]] bool sortByTime(const RawSlices& slices, std::span<std::uint32_t> order,
                              const Task& task);

}  // namespace ridgeline::build
