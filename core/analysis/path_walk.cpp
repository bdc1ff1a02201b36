#include "core/analysis/path_walk.h"

#include <algorithm>
#include <limits>

namespace ridgeline {

namespace {

/// Moves without going back in time (zero-length events, hand-overs) before the walk insists.
constexpr int kMaxStalled = 64;

bool isAncestor(const SliceTable& s, SliceId ancestor, SliceId slice) {
  for (SliceId p = s.parent[slice.index()]; p.valid(); p = s.parent[p.index()])
    if (p == ancestor) return true;
  return false;
}

}  // namespace

void PathWalk::emit(TimeNs begin, PathCause cause, SliceId event, PathEdge edge) {
  const TimeNs from = std::max(begin, window_.begin);
  if (from >= cursor_) return;
  if (!reversed_.empty() && reversed_.back().event == event && reversed_.back().cause == cause &&
      event.valid())
    reversed_.back().span.begin = from;
  else
    reversed_.push_back({{from, cursor_}, cause, event, edge});
  cursor_ = from;
  stalled_ = 0;
}

PathWalk::Place PathWalk::enter(const Predecessor& p) {
  Place next;
  if (!p.event.valid()) return next;
  emit(p.at, p.gap, p.gapEvent, p.edge);
  next.onDevice = p.onDevice;
  next.edge = p.edge;
  if (p.onDevice)
    next.work = p.event;
  else
    next.thread = c_.threads.threadOf(p.event);
  return next;
}

PathWalk::Place PathWalk::fromDevice(const Place& place) {
  const SliceTable& s = c_.trace.slices();
  emit(s.start[place.work.index()], c_.causeOf(place.work), place.work, place.edge);
  if (cursor_ <= window_.begin) return {};
  const Place next = enter(c_.predecessors.ofDeviceWork(place.work));
  if (!next.known()) emit(window_.begin, PathCause::untraced, place.work, PathEdge::none);
  return next;
}

PathWalk::Place PathWalk::handOver(std::uint32_t thread, std::size_t index) {
  if (stalled_ > kMaxStalled) return {};
  const HandOver found = host_.handOver(thread, index, cursor_);
  if (!found.known()) return {};
  // A Python frame that began in the pause is what led here; else nobody has recorded anything.
  if (!found.python) {
    SliceId event = host_.resumedAfter(thread, index);
    if (!event.valid()) event = host_.pieces(thread)[index].slice;
    if (!event.valid() && !reversed_.empty()) event = reversed_.back().event;
    emit(found.pause.begin, c_.threads.gapCause(), event, found.edge);
  }
  return {false, SliceId(), found.thread, found.edge};
}

PathWalk::Place PathWalk::fromHost(const Place& place) {
  const std::size_t at = host_.pieceBefore(place.thread, cursor_);
  const HostPiece piece = host_.pieces(place.thread)[at];
  const SliceId resumed = host_.resumedAfter(place.thread, at);
  Place next = place;
  if (piece.slice.valid() && c_.predecessors.mayBlock(piece.slice)) {
    const SliceId awaited = c_.predecessors.awaitedBy(piece.slice, cursor_);
    if (awaited.valid()) {
      PathCause cause = PathCause::hostSync;
      if (c_.predecessors.queueFullAt(piece.slice)) cause = PathCause::launch;
      if (c_.predecessors.freesMemory(piece.slice)) cause = PathCause::allocation;
      emit(c_.trace.slices().end[awaited.index()], cause, c_.predecessors.outerCall(piece.slice),
           place.edge);
      return {true, awaited, HostThreads::kNone, PathEdge::synchronisation};
    }
  }
  const Place other = handOver(place.thread, at);
  if (other.known()) return other;
  SliceId event = piece.slice.valid() ? piece.slice : resumed;
  if (!event.valid() && !reversed_.empty()) event = reversed_.back().event;
  emit(piece.span.begin, event.valid() ? piece.cause : PathCause::untraced, event, place.edge);
  next.edge = PathEdge::threadOrder;
  if (at > 0 && piece.slice.valid()) {
    const SliceId before = host_.pieces(place.thread)[at - 1].slice;
    if (before.valid() && isAncestor(c_.trace.slices(), before, piece.slice))
      next.edge = PathEdge::parent;
  }
  return next;
}

/// The thread whose step mark ends (or whose next one starts) exactly at the window's end.
PathWalk::Place PathWalk::anchorAtMark() {
  const SliceTable& s = c_.trace.slices();
  for (std::uint32_t thread = 0; thread < c_.threads.threads().size(); ++thread)
    for (const TrackId track : c_.threads.threads()[thread].tracks)
      for (const Row& row : c_.trace.rowsOf(track)) {
        if (row.depth > 2) break;
        const auto starts = s.start.begin();
        const auto next = std::lower_bound(starts + row.first, starts + row.last, window_.end);
        const auto i = static_cast<std::size_t>(next - starts);
        const auto isMark = [&](std::size_t k) {
          return c_.activities.of(SliceId(k)) == HostActivity::none;
        };
        const bool starting = i < row.last && s.start[i] == window_.end && isMark(i);
        const bool ending = i > row.first && s.end[i - 1] == window_.end && isMark(i - 1);
        if (!starting && !ending) continue;
        const std::vector<HostPiece>& all = host_.pieces(thread);
        const bool idle = all.size() == 1 && !all.front().slice.valid();
        if (!idle) return {false, SliceId(), thread, PathEdge::windowEnd};
      }
  return {};
}

/// Device work that ends exactly at the window's end; or that starts there, so that the window ends
/// with what it waited for; or that runs on through it.
PathWalk::Place PathWalk::anchorAtDevice() {
  const SliceTable& s = c_.trace.slices();
  const TimeNs t = window_.end;
  SliceId running;
  for (const DeviceStreams::Stream& stream : c_.streams.streams()) {
    const auto at =
        std::lower_bound(stream.work.begin(), stream.work.end(), t,
                         [&s](SliceId a, TimeNs time) { return s.start[a.index()] < time; });
    if (at != stream.work.end() && s.start[at->index()] == t) {
      Predecessor p = c_.predecessors.ofDeviceWork(*at);
      if (p.event.valid()) {
        p.edge = PathEdge::windowEnd;
        return enter(p);
      }
    }
    const SliceId r = c_.streams.runningAt(stream, t);
    if (r.valid() && (!running.valid() || s.start[r.index()] > s.start[running.index()]))
      running = r;
  }
  for (const DeviceStreams::Stream& stream : c_.streams.streams()) {
    const SliceId e = c_.streams.endedLast(stream, t - 1, t, std::numeric_limits<TimeNs>::max());
    if (e.valid() && s.start[e.index()] < t)
      return {true, e, HostThreads::kNone, PathEdge::windowEnd};
  }
  if (running.valid()) return {true, running, HostThreads::kNone, PathEdge::windowEnd};
  return {};
}

/// Nothing at the end itself: what ended last before it, on the device or on a host thread.
PathWalk::Place PathWalk::anchorBefore() {
  const SliceTable& s = c_.trace.slices();
  Place best;
  TimeNs bestEnd = window_.begin;
  std::size_t bestOps = 0;
  const auto& threads = c_.threads.threads();
  bool anyOps = false;
  for (const auto& thread : threads) anyOps = anyOps || thread.ops > 0;
  for (std::uint32_t thread = 0; thread < threads.size(); ++thread) {
    if (anyOps && threads[thread].ops == 0) continue;
    const std::vector<HostPiece>& all = host_.pieces(thread);
    if (all.empty()) continue;
    const HostPiece& last = all.back();
    TimeNs end = last.slice.valid() ? last.span.end : last.span.begin;
    if (end <= window_.begin) continue;
    if (end > bestEnd || (end == bestEnd && threads[thread].ops > bestOps)) {
      best = {false, SliceId(), thread, PathEdge::windowEnd};
      bestEnd = end;
      bestOps = threads[thread].ops;
    }
  }
  SliceId work;
  for (const DeviceStreams::Stream& stream : c_.streams.streams()) {
    const SliceId e =
        c_.streams.endedLast(stream, bestEnd, window_.end, std::numeric_limits<TimeNs>::max());
    if (!e.valid()) continue;
    work = e;
    bestEnd = s.end[e.index()];
  }
  if (!work.valid()) return best;
  emit(bestEnd, PathCause::untraced, work, PathEdge::windowEnd);
  return {true, work, HostThreads::kNone, PathEdge::windowEnd};
}

PathWalk::Place PathWalk::anchor() {
  Place place = anchorAtMark();
  if (!place.known()) place = anchorAtDevice();
  if (!place.known()) place = anchorBefore();
  return place;
}

CriticalPath PathWalk::run() {
  CriticalPath path;
  path.window = window_;
  cursor_ = window_.end;
  if (window_.empty()) return path;
  Place place = anchor();
  path.anchor = {place.onDevice ? place.work : SliceId(), place.thread, cursor_};
  SliceId last;
  while (cursor_ > window_.begin && place.known()) {
    if (++stalled_ > 4 * kMaxStalled || task_.cancelled()) break;
    last = place.onDevice ? place.work : last;
    place = place.onDevice ? fromDevice(place) : fromHost(place);
  }
  emit(window_.begin, PathCause::untraced, last, PathEdge::none);
  path.segments.assign(reversed_.rbegin(), reversed_.rend());
  for (const PathSegment& segment : path.segments)
    path.byCause[static_cast<std::size_t>(segment.cause)] += segment.span.length();
  return path;
}

}  // namespace ridgeline
