#pragma once

#include <cstdint>
#include <span>

#include "core/base/task.h"
#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

/// Sorts raw slices of one track by start, longer first, then in file order. `order` holds their
/// indices in file order. Files are mostly sorted already, or are a few sorted pieces one after the
/// other: these runs are found and merged, so that sorted input costs one pass.
void sortByTime(const RawSlices& slices, std::span<std::uint32_t> order, const Task& task);

}  // namespace ridgeline::build
