#pragma once

#include <memory>
#include <vector>

#include "core/base/time.h"
#include "core/trace/trace.h"

namespace ridgeline {

/// Where the time 0 of each recording stands on the clock that they share, ns. Kineto counts from a
/// base that changes every few months, Nsight from the start of its session; both say when that was
/// (the end of a cut-off file, where Kineto says it, is gone). Where all say it, it is added; else
/// the files' own times are taken as they are.
[[nodiscard]] std::vector<TimeNs> originsOnOneClock(
    const std::vector<std::shared_ptr<const Trace>>& traces);

}  // namespace ridgeline
