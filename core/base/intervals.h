#pragma once

#include <vector>

#include "core/base/time.h"

namespace ridgeline {

/// Disjoint spans in ascending order with a hole between neighbours: the normal form of a set of
/// instants. All functions below take and return this form; `unionOf` makes it from any spans.
using Intervals = std::vector<TimeSpan>;

/// Sorts and merges; touching spans become one, empty ones vanish.
[[nodiscard]] Intervals unionOf(std::vector<TimeSpan> spans);
[[nodiscard]] Intervals unionOf(const Intervals& a, const Intervals& b);
[[nodiscard]] Intervals intersection(const Intervals& a, const Intervals& b);
/// What of `a` lies outside `b`.
[[nodiscard]] Intervals difference(const Intervals& a, const Intervals& b);
[[nodiscard]] Intervals clipped(const Intervals& a, TimeSpan window);
/// Σ lengths in ns.
[[nodiscard]] TimeNs measure(const Intervals& a);
/// |a ∩ window| in ns, without building the intersection.
[[nodiscard]] TimeNs measureWithin(const Intervals& a, TimeSpan window);

}  // namespace ridgeline
