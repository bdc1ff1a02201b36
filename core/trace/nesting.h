#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/time.h"

namespace ridgeline {

inline constexpr std::uint32_t kMaxDepth = 4096;

/// Where one slice of a track belongs.
struct Placement {
  std::uint32_t row : 31 = 0;  ///< by depth; of spill rows (see Nester) counted from their first
  std::uint32_t spill : 1 = 0;
  std::uint32_t parent = 0xFFFFFFFF;  ///< index of the slice one depth up
};

/// The rows of what overlaps. Finds the first one that is free at a time in steps of the logarithm
/// of their number: a trace may hold a hundred thousand slices that all overlap.
class SpillRows {
 public:
  /// The first row whose last span ends at or before the span's begin, a new one where none does;
  /// the span is put there.
  std::uint32_t take(TimeSpan span);
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  void grow();
  std::uint32_t count_ = 0;
  std::size_t leaves_ = 0;        // a power of two, or none
  std::vector<TimeNs> earliest_;  // a binary tree, root at 1: the least end below each node
};

/// Gives the spans of one track their rows, one after the other. They must come sorted by start,
/// longer first, then in file order. Depth d+1 lies inside a span of depth d; what overlaps its
/// would-be parent without lying inside it goes to the first spill row where it is free. Nothing is
/// dropped. Depths beyond kMaxDepth go to spill rows, too.
class Nester {
 public:
  Placement place(TimeSpan span);
  /// Begins with another track.
  void clear() {
    count_ = 0;
    open_.clear();
    nestedEnd_.clear();
    if (spill_.count() > 0) spill_ = SpillRows();
  }
  [[nodiscard]] std::uint32_t nestedRows() const {
    return static_cast<std::uint32_t>(nestedEnd_.size());
  }
  [[nodiscard]] std::uint32_t spillRows() const { return spill_.count(); }

 private:
  struct Open {
    std::uint32_t index;
    TimeNs end;
  };

  std::uint32_t count_ = 0;
  std::vector<Open> open_;         // the spans that enclose the current one
  std::vector<TimeNs> nestedEnd_;  // by row: end of the last span placed there
  SpillRows spill_;
};

struct Nesting {
  std::vector<Placement> placements;  ///< one a span, same order as the input; rows from 0 on
  std::uint32_t nestedRows = 0;       ///< rows that nest: depth = row
  std::uint32_t spillRows = 0;        ///< further rows, for what overlaps without nesting
};

/// All spans of one track at once; spill rows are numbered after the nested ones.
[[nodiscard]] Nesting nest(std::span<const TimeSpan> spans);

}  // namespace ridgeline
