#include "core/trace/slice_order.h"

#include <algorithm>
#include <vector>

namespace ridgeline::build {

void sortByTime(const RawSlices& slices, std::span<std::uint32_t> order, const Task& task) {
  const auto less = [&slices](std::uint32_t a, std::uint32_t b) {
    const TimeNs x = slices.start[a];
    const TimeNs y = slices.start[b];
    return x != y ? x < y : slices.end[a] > slices.end[b];
  };
  // Begins of the runs; `less` is strict, so equal slices stay in file order.
  std::vector<std::size_t> runs{0};
  for (std::size_t i = 1; i < order.size(); ++i)
    if (less(order[i], order[i - 1])) runs.push_back(i);
  if (runs.size() < 2) return;
  runs.push_back(order.size());
  std::vector<std::uint32_t> merged(order.size());
  std::span<std::uint32_t> from = order;
  std::span<std::uint32_t> to = merged;
  while (runs.size() > 2 && !task.cancelled()) {
    std::vector<std::size_t> next{0};
    for (std::size_t r = 0; r + 1 < runs.size(); r += 2) {
      const std::size_t begin = runs[r];
      const std::size_t middle = runs[r + 1];
      const std::size_t end = r + 2 < runs.size() ? runs[r + 2] : middle;
      std::merge(from.begin() + static_cast<std::ptrdiff_t>(begin),
                 from.begin() + static_cast<std::ptrdiff_t>(middle),
                 from.begin() + static_cast<std::ptrdiff_t>(middle),
                 from.begin() + static_cast<std::ptrdiff_t>(end),
                 to.begin() + static_cast<std::ptrdiff_t>(begin), less);
      next.push_back(end);
    }
    runs = std::move(next);
    std::swap(from, to);
  }
  if (from.data() != order.data()) std::copy(from.begin(), from.end(), order.begin());
}

}  // namespace ridgeline::build
