#pragma once

#include <optional>
#include <vector>

#include "core/base/intervals.h"
#include "core/workload/workload.h"

namespace ridgeline {

/// Answers "how much of this copy or collective is hidden behind compute?" for single events.
/// Holds, by device, the union of computing kernels and that of collectives (ANALYSIS 1.0).
class Exposure {
 public:
  explicit Exposure(const Workload& workload);

  /// Time of a collective outside all compute, or of a copy or set outside compute and collectives,
  /// in ns, overlaps with its own kind left in. Nothing for computing kernels and host events.
  [[nodiscard]] std::optional<TimeNs> exposedTime(const Workload& workload, SliceId slice) const;

 private:
  std::vector<Intervals> compute_;
  std::vector<Intervals> computeOrCommunication_;
};

}  // namespace ridgeline
