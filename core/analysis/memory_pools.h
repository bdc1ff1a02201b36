#pragma once

#include "core/analysis/memory_use.h"

namespace ridgeline {

/// The pools of memoryUse(): curves of the recording, and what the window says of them.
[[nodiscard]] std::vector<MemoryPool> memoryPools(const Workload& w, const AnalysisWindow& window);

}  // namespace ridgeline
