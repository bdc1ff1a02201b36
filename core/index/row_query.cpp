#include "core/index/row_query.h"

#include <algorithm>

namespace ridgeline {

namespace {

std::uint32_t searchEnd(const SliceTable& s, std::uint32_t first, std::uint32_t last, TimeNs t) {
  const auto begin = s.end.begin();
  return static_cast<std::uint32_t>(std::upper_bound(begin + first, begin + last, t) - begin);
}

}  // namespace

std::uint32_t firstEndingAfter(const SliceTable& slices, const Row& row, TimeNs t) {
  return searchEnd(slices, row.first, row.last, t);
}

std::uint32_t firstStartingFrom(const SliceTable& slices, const Row& row, TimeNs t) {
  const auto begin = slices.start.begin();
  return static_cast<std::uint32_t>(std::lower_bound(begin + row.first, begin + row.last, t) -
                                    begin);
}

std::uint32_t gallopEndingAfter(const SliceTable& slices, const Row& row, std::uint32_t from,
                                TimeNs t) {
  std::uint32_t step = 1;
  std::uint32_t low = from;
  while (low < row.last && slices.end[low] <= t) {
    const std::uint32_t high = row.last - low > step ? low + step : row.last;
    if (high == row.last || slices.end[high] > t) return searchEnd(slices, low, high, t);
    low = high;
    step *= 2;
  }
  return low;
}

SliceRange slicesTouching(const SliceTable& slices, const Row& row, TimeSpan span) {
  SliceRange range{firstEndingAfter(slices, row, span.begin),
                   firstStartingFrom(slices, row, span.end)};
  // A zero-length slice at span.begin ends at, not after, the begin.
  while (range.first > row.first && slices.start[range.first - 1] >= span.begin) --range.first;
  range.last = std::max(range.first, range.last);
  return range;
}

SliceId sliceNear(const SliceTable& slices, const Row& row, TimeNs t, TimeNs tolerance) {
  const std::uint32_t after = firstEndingAfter(slices, row, t);
  if (after < row.last && slices.start[after] <= t) return SliceId(after);
  SliceId best;
  TimeNs bestDistance = tolerance;
  if (after < row.last && slices.start[after] - t <= bestDistance) {
    best = SliceId(after);
    bestDistance = slices.start[after] - t;
  }
  if (after > row.first && t - slices.end[after - 1] <= bestDistance &&
      (!best.valid() || t - slices.end[after - 1] < bestDistance))
    best = SliceId(after - 1);
  return best;
}

SliceId longestOf(const SliceTable& slices, SliceRange range) {
  SliceId best;
  TimeNs longest = -1;
  for (std::uint32_t i = range.first; i < range.last; ++i) {
    const TimeNs length = slices.end[i] - slices.start[i];
    if (length > longest) {
      longest = length;
      best = SliceId(i);
    }
  }
  return best;
}

SliceId firstChild(const Trace& trace, SliceId parent) {
  const SliceTable& s = trace.slices();
  const Row& row = trace.rowOf(parent);
  const auto rows = trace.rowsOf(row.track);
  const std::size_t depth = static_cast<std::size_t>(&row - rows.data()) + 1;
  if (row.spill || depth >= rows.size() || rows[depth].spill) return {};
  const std::uint32_t i = firstStartingFrom(s, rows[depth], s.start[parent.index()]);
  for (std::uint32_t k = i; k < rows[depth].last && s.start[k] <= s.end[parent.index()]; ++k)
    if (s.parent[k] == parent) return SliceId(k);
  return {};
}

}  // namespace ridgeline
