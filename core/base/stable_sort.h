#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "core/base/column_vector.h"
#include "core/base/task.h"

namespace ridgeline {

/// A stable merge sort that stops soon after the task is cancelled: it then returns false, and what
/// is in `values` has no meaning. Runs that are in order already are kept, so sorted input costs
/// one pass, and a few sorted pieces one more.
template <class T, class Less>
[[nodiscard]] bool stableSort(std::span<T> values, const Less& less, const Task& task) {
  constexpr std::size_t kShortRun = 4096;
  const std::size_t size = values.size();
  if (size < 2) return true;
  Poll poll(task);
  std::vector<std::size_t> runs;  // where each begins, and the end of the last
  for (std::size_t begin = 0; begin < size;) {
    runs.push_back(begin);
    std::size_t end = begin + 1;
    while (end < size && !less(values[end], values[end - 1])) {
      if (poll.stop()) return false;
      ++end;
    }
    if (end < size && end - begin < kShortRun) {
      end = std::min(begin + kShortRun, size);
      std::stable_sort(values.data() + begin, values.data() + end, less);
      if (task.cancelled()) return false;
    }
    begin = end;
  }
  runs.push_back(size);
  if (runs.size() <= 2) return true;
  std::conditional_t<std::is_trivially_copyable_v<T>, ColumnVector<T>, std::vector<T>> buffer(size);
  std::span<T> from = values;
  std::span<T> to = buffer;
  while (runs.size() > 2) {
    std::vector<std::size_t> next;
    for (std::size_t r = 0; r + 1 < runs.size(); r += 2) {
      next.push_back(runs[r]);
      std::size_t left = runs[r];
      const std::size_t middle = runs[r + 1];
      std::size_t right = middle;
      const std::size_t end = r + 2 < runs.size() ? runs[r + 2] : middle;
      std::size_t out = left;
      while (left < middle && right < end) {
        if (poll.stop()) return false;
        to[out++] = less(from[right], from[left]) ? from[right++] : from[left++];
      }
      if (task.cancelled()) return false;
      std::copy(from.data() + left, from.data() + middle, to.data() + out);
      std::copy(from.data() + right, from.data() + end, to.data() + out + (middle - left));
    }
    next.push_back(size);
    runs = std::move(next);
    std::swap(from, to);
  }
  if (from.data() != values.data()) std::copy(from.begin(), from.end(), values.begin());
  return true;
}

}  // namespace ridgeline
