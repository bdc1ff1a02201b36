#pragma once

#include <string>
#include <vector>

#include "core/analysis/dependency_graph.h"
#include "core/analysis/what_if_change.h"
#include "core/workload/workload.h"

namespace ridgeline {

/// Names of the same kind, by how much they have in common with one that was asked for.
struct NamesLike {
  std::vector<std::string> alike;    ///< at least half of what was asked for is in them; best first
  std::vector<std::string> largest;  ///< others, in the order in which they were given
  /// "like it: a, b; largest: c, d"; empty when there is none.
  [[nodiscard]] std::string text(std::string_view largestIs) const;
};
/// At most three of either. `names`: distinct.
[[nodiscard]] NamesLike namesLike(std::string_view asked, const std::vector<std::string>& names);

/// What a change of the same kind could be about in this step, as a sentence: for a change that
/// names nothing that is in it. Empty where there is nothing to choose from.
[[nodiscard]] std::string namesInstead(const DependencyGraph& graph, const Workload& w,
                                       const WhatIfChange& change);

}  // namespace ridgeline
