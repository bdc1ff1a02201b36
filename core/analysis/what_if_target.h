#pragma once

#include <unordered_map>
#include <vector>

#include "core/analysis/dependency_graph.h"
#include "core/analysis/what_if_change.h"
#include "core/workload/workload.h"

namespace ridgeline {

/// Whether a slice is device work of the Workload's Trace; false for invalid ids.
[[nodiscard]] bool isDeviceSlice(const Workload& w, SliceId slice);

/// Says which edges of a dependency graph a change is about. For one thread; the Workload and the
/// change must outlive it.
class WhatIfTarget {
 public:
  WhatIfTarget(const Workload& w, const WhatIfChange& change);
  [[nodiscard]] bool holds(const GraphEdge& edge) const;

 private:
  [[nodiscard]] bool insideOp(SliceId work) const;

  const Workload& w_;
  const WhatIfChange& change_;
  std::vector<bool> named_;  ///< by StringId: whether the name is meant
};

}  // namespace ridgeline
