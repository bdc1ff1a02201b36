#include <algorithm>

#include "core/simulator/truth_builder.h"

namespace ridgeline::simulator {
namespace {

TruthPathCause pathCauseOf(Activity activity) {
  switch (activity) {
    case Activity::hostOp:
      return TruthPathCause::hostOp;
    case Activity::launchCall:
      return TruthPathCause::launchCall;
    case Activity::hostGap:
      return TruthPathCause::hostGap;
    case Activity::handOver:
      return TruthPathCause::handOver;
    case Activity::input:
      return TruthPathCause::input;
    case Activity::syncWait:
      return TruthPathCause::syncWait;
    case Activity::allocation:
      return TruthPathCause::allocation;
    case Activity::compileLoad:
      return TruthPathCause::compileLoad;
    case Activity::profiler:
      return TruthPathCause::profiler;
  }
  return TruthPathCause::hostOp;
}

/// Walks back over the binding predecessors that the engine noted.
class Walk {
 public:
  Walk(const Plan& plan, const RankState& state, TimeSpan window)
      : plan_(plan), state_(state), window_(window), at_(window.end) {}

  PathTimes run() {
    while (at_ > window_.begin) node_ >= 0 ? overDevice() : overHost();
    return times_;
  }

 private:
  /// Puts the time from `to` up to here to `cause`, and goes there.
  void back(TimeNs to, TruthPathCause cause) {
    to = std::clamp(to, window_.begin, at_);
    times_[static_cast<std::size_t>(cause)] += at_ - to;
    at_ = to;
  }

  void overHost() {
    const auto after =
        std::partition_point(state_.host.begin(), state_.host.end(),
                             [&](const HostSegment& segment) { return segment.begin < at_; });
    if (after == state_.host.begin()) return back(window_.begin, TruthPathCause::hostGap);
    const HostSegment& segment = *(after - 1);
    const TruthPathCause cause = pathCauseOf(segment.activity);
    if (segment.released >= 0) {
      const DeviceNode& node = state_.device[static_cast<std::size_t>(segment.released)];
      const TimeNs released = segment.atStart ? node.begin : node.end;
      if (released > segment.begin && released <= at_) {
        back(released, cause);
        node_ = segment.released;
        startOnly_ = segment.atStart;
        return;
      }
    }
    back(segment.begin, cause);
  }

  void overDevice() {
    const DeviceNode& node = state_.device[static_cast<std::size_t>(node_)];
    if (!startOnly_) {
      const DeviceWork& work = plan_.catalogue.works[node.work];
      back(node.arrived, work.pathCause);
      back(node.begin, TruthPathCause::collectiveWait);
    }
    startOnly_ = false;
    if (node.bound == Bound::launch || node.predecessor < 0) {
      back(node.submitted, TruthPathCause::launchLatency);
      node_ = -1;
      return;
    }
    const DeviceNode& before = state_.device[static_cast<std::size_t>(node.predecessor)];
    back(before.end,
         node.bound == Bound::stream ? TruthPathCause::queueing : TruthPathCause::eventWait);
    node_ = node.predecessor;
  }

  const Plan& plan_;
  const RankState& state_;
  TimeSpan window_;
  TimeNs at_;
  std::int32_t node_ = -1;
  bool startOnly_ = false;
  PathTimes times_{};
};

}  // namespace

PathTimes walkCriticalPath(const Plan& plan, const RankState& state, TimeSpan window) {
  return Walk(plan, state, window).run();
}

}  // namespace ridgeline::simulator
