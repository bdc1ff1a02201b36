#include "core/analysis/graph_builder.h"

#include <algorithm>
#include <limits>

namespace ridgeline {

namespace {

constexpr TimeNs kUnmeasured = std::numeric_limits<TimeNs>::max();
constexpr std::uint32_t kNoWork = 0xFFFFFFFFu;
/// A call that blocks has few pieces: so many are looked through for the instant it waited until.
constexpr int kPiecesOfCall = 64;

}  // namespace

std::shared_ptr<const DependencyGraph> dependencyGraph(const PathContext& context,
                                                       const CriticalPath& path, const Task& task) {
  return GraphBuilder(context, path, task).run();
}

GraphBuilder::GraphBuilder(const PathContext& context, const CriticalPath& path, const Task& task)
    : c_(context), path_(path), task_(task), host_(context, path.window) {
  parts_.window = path.window;
}

std::uint32_t GraphBuilder::addEvent(TimeNs at) {
  parts_.times.push_back(at);
  tooMany_ = tooMany_ || parts_.times.size() > kMostGraphEvents;
  return static_cast<std::uint32_t>(parts_.times.size() - 1);
}

void GraphBuilder::addEdge(std::uint32_t from, std::uint32_t to, TimeNs weight, Dependency kind,
                           PathCause cause, SliceId slice, bool binding) {
  parts_.edges.push_back({from, to, weight, slice, kind, cause, binding});
}

/// Puts the tile of a blocking call behind the others. It is cut where what was awaited ended: the
/// first part waits, the rest is the call's own.
void GraphBuilder::addBlocking(std::vector<Tile>& tiles, Tile tile) {
  const SliceId slice = tile.piece.slice;
  tiles.push_back(tile);
  if (!slice.valid() || !c_.predecessors.mayBlock(slice)) return;
  const SliceId awaited = c_.predecessors.awaitedBy(slice, tile.piece.span.end);
  if (!awaited.valid()) return;
  const TimeNs end = c_.trace.slices().end[awaited.index()];
  PathCause own = PathCause::hostSync;
  if (c_.predecessors.queueFullAt(slice)) own = PathCause::launch;
  if (c_.predecessors.freesMemory(slice)) own = PathCause::allocation;
  const SliceId call = c_.predecessors.outerCall(slice);
  // It may have ended in an earlier piece of the same call.
  std::size_t i = tiles.size() - 1;
  for (int k = 0; k < kPiecesOfCall && i > 0 && tiles[i].piece.span.begin >= end; ++k) --i;
  tiles.back().piece.cause = own;
  tiles.back().piece.slice = call;
  tiles.back().piece.passive = false;
  Tile& hit = tiles[i];
  if (end <= hit.piece.span.begin || hit.awaited.valid()) return;
  hit.awaited = awaited;
  hit.late = end > hit.piece.span.end;
  if (end >= hit.piece.span.end) return;
  Tile rest = hit;
  rest.awaited = SliceId();
  hit.piece.span.end = end;
  rest.piece.span.begin = end;
  tiles.insert(tiles.begin() + static_cast<std::ptrdiff_t>(i) + 1, rest);
}

void GraphBuilder::addTiles(std::uint32_t thread) {
  const std::vector<HostPiece>& pieces = host_.pieces(thread);
  ThreadEvents& events = threads_[thread];
  if (pieces.empty() || (pieces.size() == 1 && !pieces.front().slice.valid())) return;
  events.tiles.reserve(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    addBlocking(events.tiles, {pieces[i], i, SliceId(), false});
    if (events.tiles.back().piece.slice.valid()) continue;
    events.tiles.back().piece.slice = host_.resumedAfter(thread, i);
  }
  events.first = addEvent(parts_.window.begin);
  addEdge(0, events.first, 0, Dependency::source, PathCause::untraced, SliceId(), true);
  for (const Tile& tile : events.tiles) {
    const std::uint32_t end = addEvent(tile.piece.span.end);
    const bool recorded = pieces[tile.origin].slice.valid();
    parts_.host.push_back({recorded ? tile.piece.slice : SliceId(), end - 1, end, thread});
  }
}

void GraphBuilder::addThreads() {
  threads_.resize(c_.threads.threads().size());
  for (std::uint32_t thread = 0; thread < threads_.size() && !tooMany_; ++thread) {
    if (task_.cancelled()) return;
    addTiles(thread);
  }
}

void GraphBuilder::addWork() {
  const SliceTable& s = c_.trace.slices();
  const TimeSpan window = parts_.window;
  std::uint32_t least = kNoWork, most = 0;
  for (const DeviceStreams::Stream& stream : c_.streams.streams()) {
    // `latest` ends never go back: nothing before the first that reaches into the window does.
    const auto first = std::partition_point(
        stream.latest.begin(), stream.latest.end(),
        [&](std::uint32_t latest) { return s.end[stream.work[latest].index()] < window.begin; });
    for (auto i = static_cast<std::size_t>(first - stream.latest.begin()); i < stream.work.size();
         ++i) {
      const SliceId work = stream.work[i];
      const TimeSpan span = s.span(work);
      if (span.begin >= window.end || tooMany_) break;
      if (span.end < window.begin || (span.begin < window.begin && span.end == window.begin))
        continue;
      const std::uint32_t begin = addEvent(std::max(span.begin, window.begin));
      parts_.work.push_back({work, begin, addEvent(span.end)});
      least = std::min(least, work.value);
      most = std::max(most, work.value);
    }
  }
  if (parts_.work.empty()) return;
  firstWork_ = least;
  workOfSlice_.assign(most - least + 1, kNoWork);
  for (std::size_t i = 0; i < parts_.work.size(); ++i)
    workOfSlice_[parts_.work[i].slice.value - least] = static_cast<std::uint32_t>(i);
}

const DependencyGraph::Work* GraphBuilder::workOf(SliceId slice) const {
  if (!slice.valid() || slice.value < firstWork_) return nullptr;
  const std::size_t i = slice.value - firstWork_;
  if (i >= workOfSlice_.size() || workOfSlice_[i] == kNoWork) return nullptr;
  return &parts_.work[workOfSlice_[i]];
}

std::optional<GraphBuilder::HostPoint> GraphBuilder::hostPoint(std::uint32_t thread,
                                                               TimeNs t) const {
  if (thread >= threads_.size() || t < parts_.window.begin) return std::nullopt;
  const ThreadEvents& events = threads_[thread];
  if (events.tiles.empty()) return std::nullopt;
  const auto next =
      std::upper_bound(events.tiles.begin(), events.tiles.end(), t,
                       [](TimeNs time, const Tile& tile) { return time < tile.piece.span.end; });
  const auto i = static_cast<std::uint32_t>(next - events.tiles.begin());
  return HostPoint{events.first + i, next == events.tiles.end() ? nullptr : &*next};
}

bool GraphBuilder::connectHandOver(std::uint32_t thread, const Tile& tile, std::uint32_t end) {
  const TimeNs t = tile.piece.span.end;
  const HandOver from = host_.handOver(thread, tile.origin, t);
  if (!from.known()) return false;
  const auto point = hostPoint(from.thread, from.pause.begin);
  if (!point || at(point->event) >= t) return false;
  addEdge(point->event, end, t - at(point->event), Dependency::threadHandover,
          from.python ? PathCause::python : c_.threads.gapCause(),
          from.python ? from.slice : tile.piece.slice, true);
  return true;
}

/// A synchronisation that had nothing to wait for would have to, were the host faster.
void GraphBuilder::connectSynchronisation(const Tile& tile, std::uint32_t end) {
  if (tile.piece.cause != PathCause::hostSync) return;
  c_.predecessors.allAwaitedBy(tile.piece.slice, awaited_);
  for (const SliceId last : awaited_) {
    const DependencyGraph::Work* work = last == tile.awaited ? nullptr : workOf(last);
    if (work != nullptr && at(work->end) <= at(end))
      addEdge(work->end, end, 0, Dependency::synchronisation, PathCause::hostSync, tile.piece.slice,
              false);
  }
}

void GraphBuilder::connectThread(std::uint32_t thread) {
  const ThreadEvents& events = threads_[thread];
  for (std::size_t i = 0; i < events.tiles.size(); ++i) {
    const Tile& tile = events.tiles[i];
    const auto begin = static_cast<std::uint32_t>(events.first + i);
    const std::uint32_t end = begin + 1;
    const SliceId slice = tile.piece.slice;
    const PathCause cause = slice.valid() ? tile.piece.cause : PathCause::untraced;
    if (slice.valid()) connectSynchronisation(tile, end);
    if (const DependencyGraph::Work* awaited = workOf(tile.awaited)) {
      addEdge(begin, end, 0, Dependency::waiting, cause, slice, false);
      if (tile.late)
        addEdge(awaited->begin, end, at(end) - at(awaited->begin), Dependency::synchronisation,
                c_.causeOf(tile.awaited), tile.awaited, true);
      else
        addEdge(awaited->end, end, at(end) - at(awaited->end), Dependency::synchronisation, cause,
                slice, true);
    } else if (connectHandOver(thread, tile, end)) {
      addEdge(begin, end, 0, Dependency::waiting, cause, slice, false);
    } else {
      addEdge(begin, end, tile.piece.span.length(), Dependency::duration, cause, slice, true);
    }
  }
}

void GraphBuilder::addLag(LagKind kind, GraphEdge edge) {
  const DeviceStreams::Stream* stream = c_.streams.streamOf(edge.slice);
  const auto i = static_cast<std::size_t>(stream - c_.streams.streams().data());
  leastLag_[i][kind] = std::min(leastLag_[i][kind], edge.weight);
  leastOfAll_[kind] = std::min(leastOfAll_[kind], edge.weight);
  if (edge.binding) measured_[i][kind] = true;
  if (!edge.binding) lags_.push_back({parts_.edges.size(), i, kind});
  parts_.edges.push_back(edge);
}

/// A launch: from the end of the call, or from its start for work that starts inside it and for
/// copies that the call waits for, which are handed over at its start.
bool GraphBuilder::connectLaunch(const DependencyGraph::Work& work, const Predecessor& p,
                                 bool binding) {
  const TimeSpan call = c_.trace.slices().span(p.event);
  const TimeNs t = at(work.begin);
  const bool behind = t > call.end || (t == call.end && !c_.predecessors.mayBlock(p.event));
  const auto point =
      hostPoint(c_.threads.threadOf(p.event), behind ? call.end : std::min(t, call.begin));
  if (!point) return false;
  const TimeNs lag = t - at(point->event);
  if (lag < 0) return false;
  // A call that its thread does not show as a piece of its own (of no length) is entered before it.
  if (behind && (!binding || at(point->event) == call.end)) {
    const PathCause cause = binding ? p.gap : PathCause::launchLatency;
    addLag(kLaunchLag,
           {point->event, work.begin, lag, work.slice, Dependency::launch, cause, binding});
    return true;
  }
  const bool known = point->tile != nullptr && lag > 0 && binding;
  GraphEdge edge{point->event, work.begin,         lag,
                 work.slice,   Dependency::launch, PathCause::launchLatency,
                 binding};
  if (known && !behind) edge.cause = point->tile->piece.cause;
  addLag(kInsideLag, edge);
  if (known && !behind) parts_.edges.back().slice = p.event;
  return true;
}

bool GraphBuilder::connectTo(const DependencyGraph::Work& work, const Predecessor& p,
                             bool binding) {
  if (!p.onDevice) return connectLaunch(work, p, binding);
  const DependencyGraph::Work* before = workOf(p.event);
  if (before == nullptr) return false;
  Dependency kind = Dependency::streamOrder;
  if (p.edge == PathEdge::eventWait) kind = Dependency::eventWait;
  if (p.edge == PathEdge::none) kind = Dependency::unknown;
  const TimeNs lag = at(work.begin) - at(before->end);
  if (lag < 0) {
    // It still runs: what it ran until then is what was waited for, if anything was.
    const TimeNs ran = at(work.begin) - at(before->begin);
    if (!binding || ran < 0) return false;
    addEdge(before->begin, work.begin, ran, kind, c_.causeOf(p.event), p.event, true);
    return true;
  }
  if (kind == Dependency::unknown) {
    addEdge(before->end, work.begin, lag, kind, p.gap, p.gapEvent, true);
    return true;
  }
  addLag(kind == Dependency::eventWait ? kWaitLag : kStreamLag,
         {before->end, work.begin, lag, work.slice, kind, p.gap, binding});
  if (binding) parts_.edges.back().slice = p.gapEvent;
  return true;
}

void GraphBuilder::connectWork(const DependencyGraph::Work& work) {
  addEdge(work.begin, work.end, at(work.end) - at(work.begin), Dependency::duration,
          c_.causeOf(work.slice), work.slice, true);
  const TimeNs sinceBegin = at(work.begin) - parts_.window.begin;
  if (c_.trace.slices().start[work.slice.index()] < parts_.window.begin || sinceBegin == 0) {
    addEdge(0, work.begin, sinceBegin, Dependency::source, PathCause::untraced, work.slice, true);
    return;
  }
  c_.predecessors.allOfDeviceWork(work.slice, found_);
  bool binding = true;
  for (const Predecessor& p : found_) {
    const bool connected = connectTo(work, p, binding);
    if (binding && !connected)
      addEdge(0, work.begin, sinceBegin, Dependency::source, p.gap, p.gapEvent, true);
    binding = false;
  }
  if (binding)
    addEdge(0, work.begin, sinceBegin, Dependency::source, PathCause::untraced, work.slice, true);
}

/// From the end of a launching call to the start of its work, at the least, in the recording.
TimeNs GraphBuilder::leastLaunchLagOfRecording() const {
  const SliceTable& s = c_.trace.slices();
  TimeNs least = kUnmeasured;
  for (const DeviceStreams::Stream& stream : c_.streams.streams())
    for (const SliceId work : stream.work) {
      const SliceId call = c_.trace.launchOf(work);
      if (!call.valid()) continue;
      const TimeNs lag = s.start[work.index()] - s.end[call.index()];
      if (lag >= 0) least = std::min(least, lag);
    }
  return least;
}

/// On a stream where none of a kind ever held work up (a communication stream, whose work always
/// waits for other streams), that of the other streams is as good as can be known. Where no launch
/// did (the host is far ahead, a graph is replayed), each lag of the window holds time in the
/// queue, and that of the whole recording stands in.
void GraphBuilder::shortenLags() {
  const bool anyLaunch = std::any_of(measured_.begin(), measured_.end(),
                                     [](const auto& kinds) { return kinds[kLaunchLag]; });
  if (!anyLaunch) leastOfAll_[kLaunchLag] = leastLaunchLagOfRecording();
  for (const Lag& lag : lags_) {
    const TimeNs least =
        measured_[lag.stream][lag.kind] ? leastLag_[lag.stream][lag.kind] : leastOfAll_[lag.kind];
    parts_.edges[lag.edge].weight = std::min(parts_.edges[lag.edge].weight, least);
  }
}

/// The window's end waits for what its critical path begins with.
void GraphBuilder::connectEnd() {
  const PathAnchor& anchor = path_.anchor;
  const std::uint32_t end = parts_.end;
  const TimeNs window = parts_.window.end;
  const PathSegment* last = path_.segments.empty() ? nullptr : &path_.segments.back();
  PathCause cause = last == nullptr ? PathCause::untraced : last->cause;
  SliceId slice = last == nullptr ? SliceId() : last->event;
  std::uint32_t from = 0;
  if (const DependencyGraph::Work* work = workOf(anchor.work)) {
    from = at(work->end) <= anchor.at ? work->end : work->begin;
    if (from == work->begin && anchor.at == window) {
      cause = c_.causeOf(anchor.work);
      slice = anchor.work;
    }
  } else if (const auto point = hostPoint(anchor.thread, anchor.at)) {
    from = point->event;
  }
  addEdge(from, end, window - at(from), Dependency::windowEnd, cause, slice, true);
}

std::shared_ptr<const DependencyGraph> GraphBuilder::run() {
  if (parts_.window.empty()) return nullptr;
  (void)addEvent(parts_.window.begin);
  addThreads();
  addWork();
  parts_.end = addEvent(parts_.window.end);
  if (tooMany_ || task_.cancelled()) return nullptr;
  std::array<TimeNs, kLagKinds> none{};
  none.fill(kUnmeasured);
  leastLag_.assign(c_.streams.streams().size(), none);
  leastOfAll_ = none;
  measured_.assign(c_.streams.streams().size(), {});
  Poll poll(task_);
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
    connectThread(thread);
    if (task_.cancelled()) return nullptr;
  }
  for (const DependencyGraph::Work& work : parts_.work) {
    connectWork(work);
    if (poll.stop()) return nullptr;
  }
  connectEnd();
  shortenLags();
  return std::make_shared<const DependencyGraph>(std::move(parts_));
}

}  // namespace ridgeline
