#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/window.h"

namespace ridgeline {

/// Device events of one name (and class) within a window.
struct KernelGroup {
  KernelClass kernelClass = KernelClass::unknown;
  std::string subclass;
  StringId name;
  std::uint64_t calls = 0;
  TimeNs total = 0;    ///< Σ durations within the window, overlaps counted each
  TimeNs exposed = 0;  ///< time in which nothing else of higher rank ran: Σ over groups = busy
  double share = 0;    ///< total / Σ total of all groups
  TimeNs shortest = 0, longest = 0;
  /// Means over the calls that the profiler has an estimate for (see KernelFill), weighted by their
  /// durations; absent without any.
  std::optional<double> blocksPerSm, occupancy;
  std::string rule;  ///< which rule classified it; empty: none
  std::vector<SliceId> slices;
};

struct KernelGroups {
  AnalysisWindow window;
  std::vector<KernelGroup> groups;  ///< by total, largest first
  TimeNs total = 0;
  double unknownShare = 0;  ///< of the total: class unknown
};

[[nodiscard]] KernelGroups kernelGroups(const Workload& w, const AnalysisWindow& window);

}  // namespace ridgeline
