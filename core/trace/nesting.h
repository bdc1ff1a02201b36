#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/time.h"

namespace ridgeline {

inline constexpr std::uint16_t kMaxDepth = 4096;
/// What overlaps more often than this shares the last spill row, where slices may then overlap.
inline constexpr std::uint16_t kMaxSpillRows = 16384;

/// Where one slice of a track belongs.
struct Placement {
  std::uint16_t row = 0;  ///< by depth; of spill rows (see Nester) counted from their first
  bool spill = false;
  std::uint32_t parent = 0xFFFFFFFF;  ///< index of the slice one depth up
};

/// Gives the spans of one track their rows, one after the other. They must come sorted by start,
/// longer first, then in file order. Depth d+1 lies inside a span of depth d; what overlaps its
/// would-be parent without lying inside it goes to the first spill row where it is free. Nothing is
/// dropped. Depths beyond kMaxDepth go to spill rows, too.
class Nester {
 public:
  Placement place(TimeSpan span);
  [[nodiscard]] std::uint16_t nestedRows() const {
    return static_cast<std::uint16_t>(nestedEnd_.size());
  }
  [[nodiscard]] std::uint16_t spillRows() const {
    return static_cast<std::uint16_t>(spillEnd_.size());
  }

 private:
  struct Open {
    std::uint32_t index;
    TimeNs end;
  };
  std::uint16_t spillRow(TimeSpan span);

  std::uint32_t count_ = 0;
  std::vector<Open> open_;         // the spans that enclose the current one
  std::vector<TimeNs> nestedEnd_;  // by row: end of the last span placed there
  std::vector<TimeNs> spillEnd_;   // the same for spill rows
};

struct Nesting {
  std::vector<Placement> placements;  ///< one a span, same order as the input; rows from 0 on
  std::uint16_t nestedRows = 0;       ///< rows that nest: depth = row
  std::uint16_t spillRows = 0;        ///< further rows, for what overlaps without nesting
};

/// All spans of one track at once; spill rows are numbered after the nested ones.
[[nodiscard]] Nesting nest(std::span<const TimeSpan> spans);

}  // namespace ridgeline
