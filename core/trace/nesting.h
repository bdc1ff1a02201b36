#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/time.h"

namespace ridgeline {

/// Where one slice of a track belongs.
struct Placement {
  std::uint16_t row = 0;              ///< 0…rows-1
  std::uint32_t parent = 0xFFFFFFFF;  ///< index of the slice one depth up
};

struct Nesting {
  std::vector<Placement> placements;  ///< one a span, same order as the input
  std::uint16_t nestedRows = 0;       ///< rows that nest: depth = row
  std::uint16_t spillRows = 0;        ///< further rows, for what overlaps without nesting
};

/// Gives each span of one track its row. `spans` must be sorted by start, longer first, then in
/// file order. Depth d+1 lies inside a span of depth d; what overlaps its would-be parent without
/// lying inside it goes to the first spill row where it is free. Nothing is dropped. O(n · spill
/// rows). Depths beyond kMaxDepth go to spill rows, too.
[[nodiscard]] Nesting nest(std::span<const TimeSpan> spans);

inline constexpr std::uint16_t kMaxDepth = 4096;

}  // namespace ridgeline
