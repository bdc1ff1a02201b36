#pragma once

#include <string>

#include "core/workload/workload.h"

namespace ridgeline {

/// Device time of a whole recording, and what of it one launch of a graph replays for many kernels.
struct GraphReplay {
  TimeNs replayed = 0;
  TimeNs all = 0;
  /// More than a fifth: what is told by launches is in doubt.
  [[nodiscard]] bool matters() const { return replayed * 5 > all; }
};
[[nodiscard]] GraphReplay graphReplay(const Workload& w);

/// What is missing where no kernel's FLOPs and bytes are known: "shapes of the operators: record
/// with record_shapes=True", or why the program that recorded cannot give them.
[[nodiscard]] std::string missingShapes(const Workload& w);

}  // namespace ridgeline
