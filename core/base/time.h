#pragma once

#include <algorithm>
#include <cstdint>

namespace ridgeline {

/// Nanoseconds. Inside a Trace relative to `Trace::origin()`; never held in a double, whose
/// resolution at epoch microseconds is a quarter of a microsecond.
using TimeNs = std::int64_t;

/// A half-open span [begin, end) with begin ≤ end.
struct TimeSpan {
  TimeNs begin = 0;
  TimeNs end = 0;

  [[nodiscard]] constexpr TimeNs length() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return end <= begin; }
  [[nodiscard]] constexpr bool contains(TimeNs t) const { return begin <= t && t < end; }
  [[nodiscard]] constexpr bool contains(TimeSpan other) const {
    return begin <= other.begin && other.end <= end;
  }
  [[nodiscard]] constexpr bool intersects(TimeSpan other) const {
    return begin < other.end && other.begin < end;
  }
  /// The common part; empty (at the nearer border) when there is none.
  [[nodiscard]] constexpr TimeSpan clippedTo(TimeSpan other) const {
    const TimeNs b = std::clamp(begin, other.begin, other.end);
    return {b, std::max(b, std::clamp(end, other.begin, other.end))};
  }
  constexpr bool operator==(const TimeSpan&) const = default;
};

}  // namespace ridgeline
