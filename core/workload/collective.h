#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/workload/workload.h"

namespace ridgeline {

/// One collective on a device, as far as its record and its operator tell.
struct CollectiveCall {
  SliceId kernel;
  DeviceId device;
  std::string kind;             ///< a word of collectiveKind(); "generic" when nothing says
  std::optional<int> ranks;     ///< of its process group
  std::optional<double> bytes;  ///< of the message (ANALYSIS 3.5)
  StringId group;               ///< Process Group Name; invalid when not recorded
};

/// All collectives on devices, by (device, start).
[[nodiscard]] std::vector<CollectiveCall> collectiveCalls(const Workload& w);

}  // namespace ridgeline
