#pragma once

#include "core/analysis/collectives.h"
#include "core/analysis/roofline.h"

namespace ridgeline {

/// Sets T_communication of the points of collectives: what their calls take at least, by the same
/// estimate as the communication bound (Collectives; a call never takes more than it did). A point
/// of which some kernels have no such estimate gets none. Both must be of the same window.
void addCommunicationTimes(const Workload& w, const Collectives& collectives, Roofline& roofline);

}  // namespace ridgeline
