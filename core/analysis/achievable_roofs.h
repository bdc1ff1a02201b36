#pragma once

#include "core/analysis/roofline.h"

namespace ridgeline {

/// Calls shorter than this on average set no achievable roof: time stamps and fixed costs would.
inline constexpr TimeNs kShortestForRoof = 20'000;

/// Adds to each device what is known to be reached: the user's figures, else the best of `all`, the
/// points of the whole trace. FLOP/s come from points that arithmetic binds, bytes/s from those
/// that memory binds (a kernel that memory binds says nothing about arithmetic); without peaks the
/// best bandwidth decides which these are. Left out are points whose work is only bounded from
/// above, algorithms that do fewer operations than are counted (Winograd, FFT), and those faster
/// than the datasheet allows: their counts or their memory are not what they seem.
void addAchievableRoofs(const Workload& w, const std::vector<RooflinePoint>& all,
                        Roofline& roofline);

}  // namespace ridgeline
