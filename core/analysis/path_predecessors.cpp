#include "core/analysis/path_predecessors.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace ridgeline {

namespace {

constexpr TimeNs kNever = std::numeric_limits<TimeNs>::min();
/// Without any record of waits, work on another stream counts as waited for when this one starts
/// so soon after it …
constexpr TimeNs kFollowsClosely = 20'000;
/// … and its own stream had been idle for longer than launches take back to back.
constexpr TimeNs kBackToBack = 10'000;
/// A pause of device work whose launch is not recorded is queueing only up to this length.
constexpr TimeNs kUnlaunchedPause = 30'000;
/// Host and device clocks disagree by up to this when a call returns "before" what it waited for.
constexpr TimeNs kClockNoise = 50'000;
/// A launch that takes longer than this waited for something that is not recorded.
constexpr TimeNs kLongestLatency = 1'000'000;
/// A stream takes about a thousand launches; then the launching call blocks until one is done.
/// Launches from before the recording are not counted, so that fewer are enough for a long call.
constexpr std::size_t kQueueFull = 1000, kQueueNearlyFull = 512;
constexpr TimeNs kBlockedCall = 10'000, kLongBlockedCall = 100'000;

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

}  // namespace

PathPredecessors::PathPredecessors(const Workload& w, const DeviceStreams& streams,
                                   const HostThreads& threads)
    : w_(&w), trace_(w.trace.get()), streams_(&streams), threads_(&threads) {
  const SliceTable& s = trace_->slices();
  const StringPool& strings = trace_->strings();
  std::vector<std::uint8_t> kind(strings.size(), 0);  // 1: wait call, 2: record call
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const std::string_view name = strings.text(StringId(i));
    if (contains(name, "StreamWaitEvent") || contains(name, "AppendWaitOnEvents")) kind[i] = 1;
    if (contains(name, "EventRecord")) kind[i] = 2;
  }
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.category[i] != Category::runtime || kind[s.name[i].index()] == 0) continue;
    if (kind[s.name[i].index()] == 1) waits_.push_back({s.start[i], SliceId(i)});
    if (kind[s.name[i].index()] == 2)
      if (const auto id = s.correlation.get(SliceId(i))) recordCall_.emplace(*id, SliceId(i));
  }
  std::sort(waits_.begin(), waits_.end(), [](const Wait& a, const Wait& b) {
    return std::tie(a.at, a.call) < std::tie(b.at, b.call);
  });
  // Synchronisation records: what a blocking call waits for, and which stream waits for which.
  for (const auto& [row, correlation] : s.correlation.entries()) {
    if (s.category[row.index()] != Category::sync) continue;
    const SliceId call = trace_->launchOf(row);
    if (!contains(trace_->name(row), "Stream Wait")) {
      if (call.valid()) syncRowOf_.emplace(call.value, row);
      continue;
    }
    hasWaitRecords_ = true;
    const SliceId producer = producerOf(row);
    const auto number = s.streamArg.get(row);
    if (!call.valid() || !producer.valid() || !number) continue;
    const auto* stream =
        streams.streamNumbered(trace_->track(trace_->trackOf(row)).device, *number);
    if (stream == nullptr) continue;
    // The next launch on the waiting stream is what waits.
    const auto& launches = streams.launches();
    auto next =
        std::upper_bound(launches.begin(), launches.end(), s.start[call.index()],
                         [](TimeNs at, const DeviceStreams::Launched& l) { return at < l.at; });
    while (next != launches.end() && streams.streamOf(next->work) != stream) ++next;
    if (next != launches.end() && next->work != producer)
      waitsOf_[next->work.value].push_back(producer);
  }
}

SliceId PathPredecessors::lastLaunchedOn(const DeviceStreams::Stream& stream, TimeNs before) const {
  const auto at =
      std::lower_bound(stream.work.begin(), stream.work.end(), before,
                       [this](SliceId a, TimeNs t) { return streams_->launchStart(a) < t; });
  return at == stream.work.begin() ? SliceId() : *(at - 1);
}

/// What a "Stream Wait Event" or "Event Sync" record waits for: the last launch on the recorded
/// stream before the event was recorded (HTA's rule, ANALYSIS 1.1.14).
SliceId PathPredecessors::producerOf(SliceId syncRow) const {
  const SliceTable& s = trace_->slices();
  const auto number = s.waitOnStream.get(syncRow);
  const auto record = s.waitOnRecordCorrelation.get(syncRow);
  if (!number) return {};
  const auto* stream =
      streams_->streamNumbered(trace_->track(trace_->trackOf(syncRow)).device, *number);
  if (stream == nullptr || !record) return {};
  const auto call = recordCall_.find(*record);
  if (call == recordCall_.end()) return {};
  return lastLaunchedOn(*stream, s.start[call->second.index()]);
}

Predecessor PathPredecessors::viaStream(SliceId work, SliceId before) const {
  const SliceTable& s = trace_->slices();
  if (!before.valid()) return {};
  const TimeNs t = s.start[work.index()];
  const TimeNs at = std::min(t, s.end[before.index()]);
  const bool explained = trace_->launchOf(work).valid() || t - at <= kUnlaunchedPause;
  return {before,
          at,
          true,
          PathEdge::streamOrder,
          explained ? PathCause::queueing : PathCause::untraced,
          work};
}

Predecessor PathPredecessors::viaLaunch(SliceId work, SliceId before) const {
  const SliceTable& s = trace_->slices();
  const SliceId call = trace_->launchOf(work);
  if (!call.valid()) return {};
  // One graph launch starts many kernels: it explains the first of each stream only.
  if (before.valid() && trace_->launchOf(before) == call) return {};
  const TimeNs t = s.start[work.index()];
  const TimeNs at = std::min(t, s.end[call.index()]);
  const PathCause gap = t - at <= kLongestLatency ? PathCause::launchLatency : PathCause::untraced;
  return {call, at, false, PathEdge::launch, gap, work};
}

Predecessor PathPredecessors::viaRecordedWait(SliceId work) const {
  const SliceTable& s = trace_->slices();
  Predecessor best;
  const auto found = waitsOf_.find(work.value);
  if (found == waitsOf_.end()) return best;
  for (const SliceId producer : found->second) {
    const TimeNs end = s.end[producer.index()];
    if (end > s.start[work.index()] || (best.event.valid() && end <= best.at)) continue;
    best = {producer, end, true, PathEdge::eventWait, PathCause::streamWait, producer};
  }
  return best;
}

/// The start of the last wait call in (after, before) whose next launch goes to `stream`: that is
/// the stream that waits. False if there is none.
bool PathPredecessors::waitedBetween(const DeviceStreams::Stream* stream, TimeNs after,
                                     TimeNs before, TimeNs* at) const {
  constexpr int kCalls = 32;
  auto it = std::lower_bound(waits_.begin(), waits_.end(), before,
                             [](const Wait& wait, TimeNs time) { return wait.at < time; });
  for (int i = 0; i < kCalls && it != waits_.begin() && (--it)->at > after; ++i) {
    const auto& launches = streams_->launches();
    const auto next =
        std::lower_bound(launches.begin(), launches.end(), it->at,
                         [](const DeviceStreams::Launched& l, TimeNs time) { return l.at < time; });
    if (next == launches.end() || streams_->streamOf(next->work) != stream) continue;
    *at = it->at;
    return true;
  }
  return false;
}

SliceId PathPredecessors::latestEnd(TimeNs after, TimeNs t, TimeNs launchedBefore, SliceId notOn,
                                    DeviceId device) const {
  const SliceTable& s = trace_->slices();
  const DeviceStreams::Stream* own = notOn.valid() ? streams_->streamOf(notOn) : nullptr;
  SliceId best;
  for (const DeviceStreams::Stream& stream : streams_->streams()) {
    if (&stream == own || (device.valid() && stream.device != device)) continue;
    const SliceId e = streams_->endedLast(stream, after, t, launchedBefore);
    if (e.valid() && (!best.valid() || s.end[e.index()] > s.end[best.index()])) best = e;
  }
  return best;
}

/// What a wait that was called for `work` waited for, if that ended after `after`.
SliceId PathPredecessors::inferredProducer(SliceId work, TimeNs after) const {
  const TimeNs launched = streams_->launchStart(work);
  if (hasWaitRecords_ || launched == kNever) return {};
  const SliceId neighbour = streams_->neighbourBefore(work);
  const SliceId call = trace_->launchOf(work);
  if (call.valid() && neighbour.valid() && trace_->launchOf(neighbour) == call) return {};
  const DeviceStreams::Stream* stream = streams_->streamOf(work);
  TimeNs wait = 0;
  if (!waitedBetween(stream, neighbour.valid() ? streams_->launchStart(neighbour) : kNever,
                     launched, &wait))
    return {};
  return latestEnd(after, trace_->slices().start[work.index()], wait, work,
                   stream ? stream->device : DeviceId());
}

/// Event handles and streams of cudaEventRecord and cudaStreamWaitEvent are not recorded without
/// synchronisation records. What is: that a wait was called between the launch of the work before
/// on this stream and the launch of this work. It then waited for what ended last on another
/// stream, launched before that call. Where no waits are recorded at all, only a close sequence
/// around a collective, or after an idle stream, is taken for a wait.
Predecessor PathPredecessors::viaInferredWait(SliceId work, TimeNs after) const {
  const SliceTable& s = trace_->slices();
  const TimeNs t = s.start[work.index()];
  if (after >= t) return {};
  const DeviceStreams::Stream* stream = streams_->streamOf(work);
  const DeviceId device = stream ? stream->device : DeviceId();
  const TimeNs launched = streams_->launchStart(work);
  const SliceId neighbour = streams_->neighbourBefore(work);
  const SliceId call = trace_->launchOf(work);
  const bool sameGraph = call.valid() && neighbour.valid() && trace_->launchOf(neighbour) == call;
  SliceId found = inferredProducer(work, after);
  const bool wasIdle = after < t - kBackToBack;  // not by a difference: `after` may be kNever
  const bool noEvidence = waits_.empty() || launched == kNever || sameGraph || !call.valid();
  if (!found.valid() && (noEvidence || (hasWaitRecords_ && wasIdle))) {
    const TimeNs before = launched == kNever ? std::numeric_limits<TimeNs>::max() : launched + 1;
    const SliceId close = latestEnd(std::max(after, t - kFollowsClosely), t, before, work, device);
    const bool collective = close.valid() && (w_->classOf(work) == KernelClass::collective ||
                                              w_->classOf(close) == KernelClass::collective);
    if (close.valid() && (collective || wasIdle)) found = close;
  }
  if (!found.valid()) return {};
  return {found, s.end[found.index()], true, PathEdge::eventWait, PathCause::streamWait, found};
}

Predecessor PathPredecessors::ofDeviceWork(SliceId work) const {
  const SliceTable& s = trace_->slices();
  const TimeNs t = s.start[work.index()];
  const SliceId before = streams_->previousOnStream(work);
  Predecessor best = viaStream(work, before);
  Predecessor launch = viaLaunch(work, before);
  TimeNs launchReady = launch.at;
  // A blocking copy is handed over when its call starts, not when its work does.
  if (launch.event.valid() && mayBlock(launch.event))
    launchReady = std::min(launch.at, s.start[launch.event.index()]);
  if (launch.event.valid() && (!best.event.valid() || launchReady > best.at)) best = launch;
  const Predecessor recorded = viaRecordedWait(work);
  if (recorded.event.valid() &&
      (!best.event.valid() || recorded.at >= std::max(best.at, launchReady)))
    best = recorded;
  const Predecessor inferred = viaInferredWait(
      work,
      std::max(best.event.valid() ? best.at : kNever, launch.event.valid() ? launchReady : kNever));
  if (inferred.event.valid()) best = inferred;
  if (best.event.valid() && best.gap != PathCause::untraced) return best;
  // Nothing is known, or no launch before a long pause: what ended last on another stream may at
  // least tell how long nothing is known.
  const DeviceStreams::Stream* stream = streams_->streamOf(work);
  const SliceId other =
      latestEnd(best.event.valid() ? best.at : kNever, t, std::numeric_limits<TimeNs>::max(), work,
                stream ? stream->device : DeviceId());
  if (other.valid())
    best = {other, s.end[other.index()], true, PathEdge::none, PathCause::untraced, work};
  return best;
}

void PathPredecessors::allOfDeviceWork(SliceId work, std::vector<Predecessor>& found) const {
  const SliceTable& s = trace_->slices();
  found.clear();
  const auto add = [&found](const Predecessor& p) {
    if (!p.event.valid()) return;
    if (!found.empty() && found.front().event == p.event) return;
    found.push_back(p);
  };
  add(ofDeviceWork(work));
  const SliceId before = streams_->previousOnStream(work);
  add(viaStream(work, before));
  add(viaLaunch(work, before));
  // A wait that held nothing up would, were its own stream or the host faster.
  const SliceId inferred = inferredProducer(work, kNever);
  if (inferred.valid())
    add({inferred, s.end[inferred.index()], true, PathEdge::eventWait, PathCause::streamWait,
         inferred});
  const auto waits = waitsOf_.find(work.value);
  if (waits == waitsOf_.end()) return;
  for (const SliceId producer : waits->second)
    if (s.end[producer.index()] <= s.start[work.index()])
      add({producer, s.end[producer.index()], true, PathEdge::eventWait, PathCause::streamWait,
           producer});
}

SliceId PathPredecessors::outerCall(SliceId call) const {
  const SliceTable& s = trace_->slices();
  while (s.parent[call.index()].valid() &&
         s.category[s.parent[call.index()].index()] == Category::runtime)
    call = s.parent[call.index()];
  return call;
}

/// The copy that a call made, if the call is one that may wait for it.
SliceId PathPredecessors::ownCopy(SliceId call) const {
  const SliceTable& s = trace_->slices();
  for (const Link& link : trace_->links().outgoing(call)) {
    if (link.kind != LinkKind::launch) continue;
    const Category c = s.category[link.to.index()];
    if (c == Category::memcpy || (c == Category::kernel && contains(trace_->name(call), "emcpy")))
      return link.to;
  }
  return {};
}

bool PathPredecessors::queueFullAt(SliceId call) const {
  const SliceTable& s = trace_->slices();
  if (s.duration(call) < kBlockedCall || !isLaunchCall(trace_->name(call))) return false;
  const std::size_t outstanding = streams_->outstandingAt(s.start[call.index()]);
  return outstanding >= kQueueFull ||
         (outstanding >= kQueueNearlyFull && s.duration(call) >= kLongBlockedCall);
}

bool PathPredecessors::freesMemory(SliceId call) const {
  const SliceTable& s = trace_->slices();
  const std::string_view name = trace_->name(call);
  return s.category[call.index()] == Category::runtime && s.duration(call) >= kBlockedCall &&
         (contains(name, "Free") || contains(name, "MemUnmap")) && !contains(name, "Async") &&
         !contains(name, "Host");
}

bool PathPredecessors::mayBlock(SliceId call) const {
  const SliceTable& s = trace_->slices();
  const std::string_view name = trace_->name(call);
  if (s.category[call.index()] == Category::runtime) {
    if (isBlockingCall(name)) return true;
    if (queueFullAt(call) || freesMemory(call)) return true;
    if (!contains(name, "emcpy")) return false;
    const SliceId copy = ownCopy(outerCall(call));
    if (!copy.valid()) return false;
    // Copies from or to pageable memory block; between pinned memory and device they do not.
    // hipMemcpyWithStream is HIP's name of a synchronous copy on a stream.
    const std::string_view what = trace_->name(copy);
    if (contains(name, "WithStream")) return true;
    return contains(what, "Pageable");
  }
  return !threads_->hasRuntimeCalls() && s.category[call.index()] == Category::cpuOp &&
         hostActivityOf(Category::cpuOp, name) == HostActivity::sync;
}

/// The stream that a stream or event synchronisation waits for; null: all.
const DeviceStreams::Stream* PathPredecessors::awaitedStream(SliceId call) const {
  const SliceTable& s = trace_->slices();
  const auto row = syncRowOf_.find(call.value);
  if (row != syncRowOf_.end()) {
    const std::string_view kind = trace_->name(row->second);
    const DeviceId device = trace_->track(trace_->trackOf(row->second)).device;
    const auto number =
        contains(kind, "Event") ? s.waitOnStream.get(row->second) : s.streamArg.get(row->second);
    if (number && !contains(kind, "Context")) return streams_->streamNumbered(device, *number);
    return nullptr;
  }
  if (!contains(trace_->name(call), "StreamSync")) return nullptr;
  // Not recorded: most often the stream of what this thread launched last.
  const auto& launches = streams_->launches();
  auto at =
      std::lower_bound(launches.begin(), launches.end(), s.start[call.index()],
                       [](const DeviceStreams::Launched& l, TimeNs time) { return l.at < time; });
  const std::uint32_t thread = threads_->threadOf(call);
  for (int i = 0; i < 64 && at != launches.begin(); ++i)
    if (threads_->threadOf((--at)->call) == thread) return streams_->streamOf(at->work);
  return nullptr;
}

void PathPredecessors::allAwaitedBy(SliceId inner, std::vector<SliceId>& found) const {
  const SliceTable& s = trace_->slices();
  found.clear();
  const SliceId call = outerCall(inner);
  if (!isBlockingCall(trace_->name(call)) || ownCopy(call).valid()) return;
  const DeviceStreams::Stream* only = awaitedStream(call);
  for (const DeviceStreams::Stream& stream : streams_->streams()) {
    if (only != nullptr && &stream != only) continue;
    const SliceId last = lastLaunchedOn(stream, s.start[call.index()]);
    if (last.valid() && s.end[last.index()] <= s.end[call.index()] &&
        trace_->launchOf(last).valid())
      found.push_back(last);
  }
}

SliceId PathPredecessors::awaitedBy(SliceId inner, TimeNs t) const {
  const SliceTable& s = trace_->slices();
  const SliceId call = outerCall(inner);
  const TimeNs begin = s.start[call.index()];
  const auto awaited = [&](SliceId e) {
    return e.valid() && s.end[e.index()] > begin && s.end[e.index()] <= t && s.start[e.index()] < t;
  };
  if (queueFullAt(call)) {
    for (const Link& link : trace_->links().outgoing(call)) {
      const DeviceStreams::Stream* own = streams_->streamOf(link.to);
      if (own == nullptr) continue;
      const SliceId e = streams_->endedLast(*own, begin, t, begin);
      return awaited(e) ? e : SliceId();
    }
    return {};
  }
  const SliceId copy = ownCopy(call);
  if (awaited(copy)) return copy;
  if (copy.valid()) {
    const bool late = s.start[copy.index()] < t && s.end[copy.index()] > t &&
                      s.end[copy.index()] <= t + kClockNoise;
    return late ? copy : SliceId();
  }
  const auto row = syncRowOf_.find(call.value);
  if (row != syncRowOf_.end()) {
    const SliceId producer = producerOf(row->second);
    if (awaited(producer)) return producer;
    if (producer.valid()) return {};
  }
  const DeviceStreams::Stream* only = awaitedStream(call);
  SliceId best;
  for (const DeviceStreams::Stream& stream : streams_->streams()) {
    if (only != nullptr && &stream != only) continue;
    const SliceId e = streams_->endedLast(stream, begin, t, begin);
    if (awaited(e) && (!best.valid() || s.end[e.index()] > s.end[best.index()])) best = e;
  }
  if (freesMemory(call)) {
    // It waited only if the device then had nothing more to do.
    for (const DeviceStreams::Stream& stream : streams_->streams())
      if (best.valid() && (streams_->runningAt(stream, s.end[best.index()]).valid() ||
                           streams_->runningAt(stream, t).valid()))
        return {};
    return best;
  }
  if (best.valid()) return best;
  // Clock noise: it ends a little after the call that waited for it returned.
  for (const DeviceStreams::Stream& stream : streams_->streams()) {
    if (only != nullptr && &stream != only) continue;
    const SliceId e = streams_->runningAt(stream, t);
    if (e.valid() && s.end[e.index()] <= t + kClockNoise && streams_->launchStart(e) < begin)
      return e;
  }
  return {};
}

}  // namespace ridgeline
