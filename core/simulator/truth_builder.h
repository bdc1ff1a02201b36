#pragma once

#include <vector>

#include "core/simulator/engine.h"

namespace ridgeline::simulator {

/// Turns the schedule of each step into truth, while the engine runs. It reads what the engine
/// decided (who waited for whom) and never guesses from times.
class TruthBuilder {
 public:
  explicit TruthBuilder(const Plan& plan);

  void stepDone(int rank, int step, TimeSpan host, const RankState& state);
  void dropped(int rank, bool device, std::uint64_t correlation, TimeSpan span, StringId name);
  /// The truth on the clocks of the ranks' files.
  [[nodiscard]] std::vector<TruthRank> finish(const std::vector<TimeSpan>& recordings);

 private:
  struct Piece {
    TimeSpan span;
    TruthIdleCause cause;
  };
  struct Open {                     // of a rank, carried from step to step
    TimeNs deviceEnd = -1;          // of all device work so far; -1: none yet
    std::vector<HostSegment> tail;  // the host since then
    std::size_t droppedSeen = 0;
  };

  void addGap(int rank, TimeSpan span, const DeviceNode* next, const RankState& state);
  void book(int rank, TimeSpan span, TruthIdleCause cause, const std::vector<Piece>& pieces);
  [[nodiscard]] TruthIdleCause causeOf(TimeSpan span, const DeviceNode& next,
                                       const RankState& state, std::vector<Piece>& pieces) const;
  [[nodiscard]] const DeviceWork& workOf(const DeviceNode& node) const {
    return plan_.catalogue.works[node.work];
  }

  const Plan& plan_;
  std::vector<TruthRank> ranks_;
  std::vector<Open> open_;
};

/// Measures of unions over one step's device work, by one sweep.
void sweepDevice(const Plan& plan, const std::vector<DeviceNode>& nodes, TruthStep& step);
/// The chain of binding predecessors from the end of `step.host` back to its start.
[[nodiscard]] PathTimes walkCriticalPath(const Plan& plan, const RankState& state, TimeSpan window);

}  // namespace ridgeline::simulator
