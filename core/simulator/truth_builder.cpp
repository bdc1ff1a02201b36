#include "core/simulator/truth_builder.h"

#include <algorithm>
#include <numeric>

namespace ridgeline::simulator {
namespace {

constexpr TimeNs kShortestGap = 1000;

TruthIdleCause idleCauseOf(Activity activity) {
  switch (activity) {
    case Activity::input:
      return TruthIdleCause::input;
    case Activity::syncWait:
      return TruthIdleCause::hostSync;
    case Activity::allocation:
      return TruthIdleCause::allocation;
    case Activity::compileLoad:
      return TruthIdleCause::compileLoad;
    case Activity::profiler:
      return TruthIdleCause::profiler;
    case Activity::hostOp:
    case Activity::launchCall:
    case Activity::hostGap:
    case Activity::handOver:
      break;
  }
  return TruthIdleCause::launch;
}

/// The segments that overlap `span`, in order.
std::span<const HostSegment> segmentsIn(const std::vector<HostSegment>& host, TimeSpan span) {
  const auto begin = std::partition_point(
      host.begin(), host.end(), [&](const HostSegment& s) { return s.end <= span.begin; });
  const auto end = std::partition_point(begin, host.end(),
                                        [&](const HostSegment& s) { return s.begin < span.end; });
  return {begin, end};
}

}  // namespace

TruthBuilder::TruthBuilder(const Plan& plan)
    : plan_(plan),
      ranks_(static_cast<std::size_t>(plan.ranks)),
      open_(static_cast<std::size_t>(plan.ranks)) {
  for (int rank = 0; rank < plan.ranks; ++rank) ranks_[static_cast<std::size_t>(rank)].rank = rank;
}

void TruthBuilder::stepDone(int rank, int step, TimeSpan host, const RankState& state) {
  if (rank >= plan_.ranks) return;
  TruthRank& truth = ranks_[static_cast<std::size_t>(rank)];
  Open& open = open_[static_cast<std::size_t>(rank)];
  TruthStep& one = truth.steps.emplace_back();
  one.number = plan_.firstStep + step;
  one.host = host;
  one.deviceRecords = state.device.size();
  one.allocatedPeak = state.memory.peak;
  one.allocatedPeakAt = state.memory.peakAt;
  one.reservedPeak = state.memory.reservedPeak;
  one.driverAllocations = state.memory.allocations;
  one.driverReleases = state.memory.releases;
  sweepDevice(plan_, state.device, one);
  one.pathByCause = walkCriticalPath(plan_, state, host);
  for (; open.droppedSeen < truth.dropped.size(); ++open.droppedSeen) {
    const DroppedRecord& record = truth.dropped[open.droppedSeen];
    if (record.device) one.droppedNs += record.span.length();
  }

  std::vector<std::uint32_t> order(state.device.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return state.device[a].begin < state.device[b].begin;
  });
  for (const std::uint32_t index : order) {
    const DeviceNode& node = state.device[index];
    const TimeNs from = open.deviceEnd < 0 ? plan_.start : open.deviceEnd;
    if (node.begin > from) addGap(rank, {from, node.begin}, &node, state);
    open.deviceEnd = std::max(open.deviceEnd, node.end);
  }
  open.tail.clear();
  for (const HostSegment& segment : segmentsIn(state.host, {open.deviceEnd, host.end})) {
    open.tail.push_back(segment);
  }
}

void TruthBuilder::addGap(int rank, TimeSpan span, const DeviceNode* next, const RankState& state) {
  std::vector<Piece> pieces;
  TruthIdleCause cause = causeOf(span, *next, state, pieces);
  if (open_[static_cast<std::size_t>(rank)].deviceEnd < 0) cause = TruthIdleCause::outsideCapture;
  book(rank, span, cause, pieces);
}

void TruthBuilder::book(int rank, TimeSpan span, TruthIdleCause cause,
                        const std::vector<Piece>& pieces) {
  TruthRank& truth = ranks_[static_cast<std::size_t>(rank)];
  if (span.length() >= kShortestGap) truth.gaps.push_back({span, cause});
  // A gap may begin in an earlier step.
  for (std::size_t i = truth.steps.size(); i-- > 0 && truth.steps[i].host.end > span.begin;) {
    TruthStep& step = truth.steps[i];
    step.idleByCause[static_cast<std::size_t>(cause)] += span.clippedTo(step.host).length();
    for (const Piece& piece : pieces) {
      step.idleByActivity[static_cast<std::size_t>(piece.cause)] +=
          piece.span.clippedTo(step.host).length();
    }
  }
}

TruthIdleCause TruthBuilder::causeOf(TimeSpan span, const DeviceNode& next, const RankState& state,
                                     std::vector<Piece>& pieces) const {
  if (next.bound != Bound::launch) {
    TruthIdleCause cause = TruthIdleCause::launch;  // back to back
    if (next.bound == Bound::event) {
      const bool collective =
          next.predecessor >= 0 &&
          workOf(state.device[static_cast<std::size_t>(next.predecessor)]).isCollective;
      cause = collective ? TruthIdleCause::collectiveWait : TruthIdleCause::otherStream;
    }
    pieces.push_back({span, cause});
    return cause;
  }
  // The launch came late: what did the host do in the gap until it had handed the work over? A wait
  // for the device kept the host from being ahead by as long as it took: so much of the host's work
  // after it would have been done before, and is put to the wait.
  IdleTimes parts{};
  TruthIdleCause waited = TruthIdleCause::launch;
  TimeNs lost = 0;
  const auto add = [&](TruthIdleCause activity, TimeNs length) {
    const TimeNs late = activity == TruthIdleCause::launch ? std::min(length, lost) : 0;
    lost -= late;
    parts[static_cast<std::size_t>(waited)] += late;
    parts[static_cast<std::size_t>(activity)] += length - late;
  };
  const TimeNs submitted = std::clamp(next.submitted, span.begin, span.end);
  for (const HostSegment& segment : segmentsIn(state.host, {span.begin, submitted})) {
    const TimeSpan piece = TimeSpan{segment.begin, segment.end}.clippedTo({span.begin, submitted});
    const TruthIdleCause activity = idleCauseOf(segment.activity);
    if (segment.activity == Activity::syncWait || segment.released >= 0) {
      waited = activity;
      lost = segment.end - segment.begin;
    }
    pieces.push_back({piece, activity});
    add(activity, piece.length());
  }
  pieces.push_back({{submitted, span.end}, TruthIdleCause::launch});
  add(TruthIdleCause::launch, span.end - submitted);
  return static_cast<TruthIdleCause>(std::max_element(parts.begin(), parts.end()) - parts.begin());
}

void TruthBuilder::dropped(int rank, bool device, std::uint64_t correlation, TimeSpan span,
                           StringId name) {
  if (rank >= plan_.ranks) return;
  ranks_[static_cast<std::size_t>(rank)].dropped.push_back(
      {device, std::string(plan_.catalogue.texts.text(name)), kFirstCorrelation + correlation,
       span});
}

std::vector<TruthRank> TruthBuilder::finish(const std::vector<TimeSpan>& recordings) {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    TruthRank& rank = ranks_[r];
    const Open& open = open_[r];
    rank.recording = recordings[r];
    const TimeSpan last{open.deviceEnd, rank.recording.end};
    std::vector<Piece> pieces;
    TimeNs covered = last.begin;
    for (const HostSegment& segment : segmentsIn(open.tail, last)) {
      const TimeSpan piece = TimeSpan{segment.begin, segment.end}.clippedTo(last);
      pieces.push_back({piece, idleCauseOf(segment.activity)});
      covered = piece.end;
    }
    pieces.push_back({{covered, last.end}, TruthIdleCause::outsideCapture});
    book(static_cast<int>(r), last, TruthIdleCause::outsideCapture, pieces);

    const TimeNs offset = clockOffset(plan_, rank.rank);
    rank.clockOffset = offset;
    const auto shift = [offset](TimeSpan& span) {
      span = {span.begin + offset, span.end + offset};
    };
    shift(rank.recording);
    for (TruthStep& step : rank.steps) {
      shift(step.host);
      step.allocatedPeakAt += offset;
    }
    for (TruthGap& gap : rank.gaps) shift(gap.span);
    for (DroppedRecord& record : rank.dropped) shift(record.span);
  }
  return std::move(ranks_);
}

void sweepDevice(const Plan& plan, const std::vector<DeviceNode>& nodes, TruthStep& step) {
  struct Border {
    TimeNs at;
    std::int8_t change;
    std::uint8_t kind;  // 0 compute, 1 communication, 2 memory
  };
  std::vector<Border> borders;
  borders.reserve(2 * nodes.size());
  for (const DeviceNode& node : nodes) {
    const DeviceWork& work = plan.catalogue.works[node.work];
    const std::uint8_t kind = work.isCollective                         ? 1
                              : work.category == DeviceCategory::kernel ? 0
                                                                        : 2;
    const TimeSpan span = TimeSpan{node.begin, node.end}.clippedTo(step.host);
    borders.push_back({span.begin, 1, kind});
    borders.push_back({span.end, -1, kind});
    if (kind == 0) (work.memoryBound ? step.memoryBound : step.computeBound) += span.length();
  }
  std::sort(borders.begin(), borders.end(),
            [](const Border& a, const Border& b) { return a.at < b.at; });
  std::array<int, 3> running{};
  TimeNs before = step.host.begin;
  for (const Border& border : borders) {
    const TimeNs length = border.at - before;
    before = border.at;
    if (running[0] + running[1] + running[2] > 0) step.busy += length;
    if (running[0] > 0) step.compute += length;
    if (running[1] > 0) step.communication += length;
    if (running[2] > 0) step.memory += length;
    if (running[1] > 0 && running[0] == 0) step.exposedCommunication += length;
    if (running[2] > 0 && running[0] == 0 && running[1] == 0) step.exposedMemory += length;
    running[border.kind] += border.change;
  }
  step.idle = step.host.length() - step.busy;
}

}  // namespace ridgeline::simulator
