#include "core/trace/slice_order.h"

#include "core/base/stable_sort.h"

namespace ridgeline::build {

bool sortByTime(const RawSlices& slices, std::span<std::uint32_t> order, const Task& task) {
  const auto less = [&slices](std::uint32_t a, std::uint32_t b) {
    const TimeNs x = slices.start[a];
    const TimeNs y = slices.start[b];
    return x != y ? x < y : slices.end[a] > slices.end[b];
  };
  return stableSort(order, less, task);
}

}  // namespace ridgeline::build
