#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/critical_path.h"
#include "core/analysis/dependency_graph.h"
#include "core/analysis/what_if_change.h"
#include "core/base/task.h"

namespace ridgeline {

/// What a step cannot be faster than, as far as known: its lower bounds (see Bounds).
struct StepFloors {
  std::optional<TimeNs> device;         ///< of compute and memory: whatever is sent or waited for
  std::optional<TimeNs> communication;  ///< of its collectives: while what is sent stays the same
  /// The floor of the mean step, where that is another one; only sentences speak of it.
  std::optional<TimeNs> ofMean = {};
};

/// What a step would have taken, had something in it taken another time: a bound, for what a
/// recording cannot show (contention, clocks, caches) is left as it was.
struct WhatIf {
  WhatIfChange change;
  std::size_t events = 0;       ///< slices that take another time
  TimeNs touched = 0;           ///< Σ of their time in the window, overlaps counted each
  TimeNs step = 0;              ///< measured
  TimeNs newStep = 0;           ///< replayed, but never under `floor`
  TimeNs replayed = 0;          ///< the same without that limit
  std::optional<TimeNs> floor;  ///< the bound that limits newStep; none if the replay is over it
  enum class FloorOf : std::uint8_t { device, communication, stream };
  FloorOf floorOf = FloorOf::device;  ///< stream: what the busiest stream still has to do
  TimeNs onPath = 0;                  ///< time of the changed things on the measured critical path
  TimeNs onNewPath = 0;               ///< and on the new one, in their new length
  TimeNs expected = 0;                ///< what would be saved if the path stayed where it is
  std::vector<std::pair<PathCause, TimeNs>> newCauses;  ///< of the new path, largest first
  std::vector<std::string> assumptions;                 ///< sentences
  std::string sentence;                                 ///< the result, with where the path goes
  std::vector<TimeNs> times;  ///< of each event of the graph after the change; may be left out

  [[nodiscard]] TimeNs saving() const { return step - newStep; }
  /// Less is saved than is taken off the path: something else is on it then.
  [[nodiscard]] bool pathMoves() const { return step - replayed < expected; }
};

/// Linear in the graph. No new step is under the floors (of that step), of which the one of
/// communication holds for changes that leave collectives as they were, nor under what its busiest
/// stream has to do after the change: where no wait ties the host's end to it, the replay alone
/// would let the device fall behind.
[[nodiscard]] WhatIf whatIf(const DependencyGraph& graph, const Workload& w,
                            const WhatIfChange& change, const StepFloors& floors);

/// How far device work of one class could grow before the step does.
struct ClassSlack {
  KernelClass kernelClass = KernelClass::unknown;
  TimeNs onPath = 0;             ///< of its running, on the critical path
  std::size_t events = 0;        ///< in the window
  std::size_t noSlack = 0;       ///< any delay of them delays the step
  std::size_t unknown = 0;       ///< nothing in the window is known to wait for them
  std::optional<TimeNs> median;  ///< slack of those whose slack is known
};

/// The dependency graph of the step whose length is nearest the median, and what a few usual
/// changes would bring there.
struct WhatIfs {
  std::shared_ptr<const DependencyGraph> graph;  ///< null: see `missing`
  TimeSpan window;
  std::size_t span = 0;  ///< which span of the analysed window
  StepFloors floors;
  std::vector<WhatIf> list;  ///< largest saving first; without times
  std::vector<ClassSlack> slack;
  std::string missing;  ///< why there is nothing; empty if there is
};
/// `graph`: of the representative path of `paths`, or null; `floors`: of its span.
[[nodiscard]] WhatIfs whatIfs(const Workload& w, const CriticalPaths& paths,
                              std::shared_ptr<const DependencyGraph> graph,
                              const StepFloors& floors, const Task& task = {});

}  // namespace ridgeline
