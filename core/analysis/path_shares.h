#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/analysis/critical_path.h"

namespace ridgeline {

/// What a critical path consists of, other than by cause. Each list is largest first; neither holds
/// the time in which the path only waits.
struct PathShares {
  std::vector<std::pair<KernelClass, TimeNs>> byClass;  ///< device work that runs on it
  /// By the innermost operator around it: device work by the operator that launched it, host time
  /// by the operator that it passed in. Names of the Trace.
  std::vector<std::pair<std::string, TimeNs>> byOp;
};
[[nodiscard]] PathShares pathShares(const Workload& w, const CriticalPath& path);

}  // namespace ridgeline
