#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace ridgeline {

/// A launching call that takes this long while its device is idle does more than launching.
constexpr TimeNs kLoadsCode = 1'000'000;

/// The launching calls that load code, for which no runtime records an event of its own: each lasts
/// at least kLoadsCode, launches the first device event of its name in the recording, and for more
/// than half of it the device is idle, so that it did not wait for room in a queue. Launches of
/// whole graphs are none: they may take as long every time. By start.
[[nodiscard]] std::vector<SliceId> launchesThatLoadCode(const Trace& trace);

}  // namespace ridgeline
