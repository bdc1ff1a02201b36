#pragma once

#include <cstdint>

#include "core/trace/trace.h"

namespace ridgeline {

/// Binary searches in one row (starts ascend, end[i] ≤ start[i+1], so ends ascend too).
/// All indices are positions in the SliceTable; `row.last` means "none". O(log n).

/// First slice of the row that ends after t.
[[nodiscard]] std::uint32_t firstEndingAfter(const SliceTable& slices, const Row& row, TimeNs t);
/// First slice of the row that starts at or after t.
[[nodiscard]] std::uint32_t firstStartingFrom(const SliceTable& slices, const Row& row, TimeNs t);
/// As firstEndingAfter, but gallops from `from` (which must not lie behind the answer): O(log d)
/// in the distance d, for walks from left to right.
[[nodiscard]] std::uint32_t gallopEndingAfter(const SliceTable& slices, const Row& row,
                                              std::uint32_t from, TimeNs t);

/// The slices that touch a span: [first, last) with zero-length slices inside it included.
struct SliceRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  [[nodiscard]] std::uint32_t count() const { return last - first; }
};
[[nodiscard]] SliceRange slicesTouching(const SliceTable& slices, const Row& row, TimeSpan span);

/// The slice that covers t, else the nearest one within `tolerance` ns; invalid if none.
[[nodiscard]] SliceId sliceNear(const SliceTable& slices, const Row& row, TimeNs t,
                                TimeNs tolerance);
/// The longest slice of a range; invalid when the range is empty. O(count).
[[nodiscard]] SliceId longestOf(const SliceTable& slices, SliceRange range);
/// The first slice one depth down that lies in `parent`; invalid if it has none.
[[nodiscard]] SliceId firstChild(const Trace& trace, SliceId parent);

}  // namespace ridgeline
