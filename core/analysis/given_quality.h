#pragma once

#include <vector>

#include "core/analysis/collectives.h"
#include "core/analysis/data_quality.h"
#include "core/analysis/roofline.h"

namespace ridgeline {

/// What the user gave and the recording does not bear out: tables and counters that match nothing
/// in it, rates that it contradicts, copies of it. Nothing where nothing was given.
[[nodiscard]] std::vector<QualityCheck> givenChecks(const Workload& w, const Roofline& roofline,
                                                    const Collectives& collectives);

}  // namespace ridgeline
