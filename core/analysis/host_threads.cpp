#include "core/analysis/host_threads.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "core/base/seeded_hash.h"
#include "core/workload/code_loading.h"

namespace ridgeline {

namespace {

struct TrackContent {
  std::size_t slices = 0, ops = 0, runtime = 0;
};

TrackContent contentOf(const Trace& trace, TrackId track) {
  TrackContent content;
  for (const Row& row : trace.rowsOf(track))
    for (std::uint32_t i = row.first; i < row.last; ++i) {
      ++content.slices;
      const Category c = trace.slices().category[i];
      if (c == Category::cpuOp) ++content.ops;
      if (c == Category::runtime) ++content.runtime;
    }
  return content;
}

/// At most this many calls of a track are asked which operator made them.
constexpr std::size_t kSample = 512;

std::vector<SliceId> sampleOf(const Trace& trace, TrackId track, std::size_t slices) {
  std::vector<SliceId> sample;
  const std::size_t stride = std::max<std::size_t>(1, slices / kSample);
  for (const Row& row : trace.rowsOf(track))
    for (std::size_t i = row.first; i < row.last; i += stride) sample.push_back(SliceId(i));
  return sample;
}

using OpsById = std::unordered_map<std::int64_t, SliceId, SeededHash>;  ///< by External id

/// The operator track whose operators made the calls of a track without operators: the operator of
/// the same External id, or, without ids, the one track whose operators hold (nearly) all calls.
TrackId callerOf(const Trace& trace, TrackId calls, std::size_t slices,
                 std::span<const TrackId> opTracks, const OpsById& opByExternalId) {
  const std::vector<SliceId> sample = sampleOf(trace, calls, slices);
  std::unordered_map<std::uint32_t, std::size_t> votes;
  std::size_t asked = 0;
  for (const SliceId call : sample) {
    const auto id = trace.slices().externalId.get(call);
    if (!id || *id <= 0) continue;
    const auto op = opByExternalId.find(*id);
    if (op == opByExternalId.end()) continue;
    ++asked;
    if (trace.slices().span(op->second).intersects(trace.slices().span(call)))
      ++votes[trace.trackOf(op->second).value];
  }
  if (asked < sample.size() / 4 || asked == 0) {
    votes.clear();
    asked = sample.size();
    for (const TrackId track : opTracks)
      for (const SliceId call : sample) {
        const SliceId at = trace.innermostAt(track, trace.slices().start[call.index()]);
        if (at.valid() && trace.slices().category[at.index()] == Category::cpuOp)
          ++votes[track.value];
      }
  }
  TrackId best;
  std::size_t bestVotes = 0;
  for (const auto& [track, count] : votes)
    if (count > bestVotes || (count == bestVotes && best.valid() && track < best.value))
      best = TrackId(track), bestVotes = count;
  return bestVotes * 10 >= asked * 7 ? best : TrackId();
}

OpsById opsByExternalId(const Trace& trace) {
  OpsById ops;
  for (const auto& [slice, id] : trace.slices().externalId.entries())
    if (id > 0 && trace.slices().category[slice.index()] == Category::cpuOp) ops.emplace(id, slice);
  return ops;
}

bool hostIsKnown(const Trace& trace) {
  const auto& categories = trace.slices().category;
  return std::any_of(categories.begin(), categories.end(), [](Category c) {
    return c == Category::cpuOp || c == Category::runtime || c == Category::pythonFunction ||
           c == Category::userAnnotation;
  });
}

/// Device work is recorded, and of most of it not how it came to run.
bool launchesAreMissing(const Trace& trace) {
  const SliceTable& s = trace.slices();
  std::size_t works = 0, launched = 0;
  for (const Device& device : trace.devices())
    for (const TrackId stream : device.streams)
      for (const Row& row : trace.rowsOf(stream))
        for (std::uint32_t i = row.first; i < row.last; ++i) {
          if (!isDeviceWork(s.category[i])) continue;
          ++works;
          launched += trace.launchOf(SliceId(i)).valid();
        }
  return launched * 2 < works;
}

}  // namespace

HostThreads::HostThreads(const Trace& trace, const HostActivities& activities)
    : trace_(&trace), activities_(&activities), loadingLaunches_(launchesThatLoadCode(trace)) {
  std::sort(loadingLaunches_.begin(), loadingLaunches_.end());
  threadOfTrack_.assign(trace.tracks().size(), kNone);
  std::vector<TrackId> opTracks, callTracks;
  std::vector<TrackContent> contents(trace.tracks().size());
  for (std::size_t i = 0; i < trace.tracks().size(); ++i) {
    const TrackKind kind = trace.tracks()[i].kind;
    if (kind == TrackKind::overhead)
      for (const Row& row : trace.rowsOf(TrackId(i)))
        for (std::uint32_t k = row.first; k < row.last; ++k) overhead_.push_back(SliceId(k));
    if (kind != TrackKind::thread) continue;
    contents[i] = contentOf(trace, TrackId(i));
    if (contents[i].slices == 0) continue;
    hasRuntimeCalls_ = hasRuntimeCalls_ || contents[i].runtime > 0;
    const bool onlyCalls = contents[i].runtime == contents[i].slices;
    (onlyCalls ? callTracks : opTracks).push_back(TrackId(i));
    if (onlyCalls) continue;
    threadOfTrack_[i] = static_cast<std::uint32_t>(threads_.size());
    threads_.push_back(
        {{TrackId(i)}, trace.tracks()[i].process, contents[i].ops, contents[i].slices});
  }
  const auto byExternalId = callTracks.empty() ? OpsById() : opsByExternalId(trace);
  for (const TrackId track : callTracks) {
    const std::size_t slices = contents[track.index()].slices;
    const TrackId caller = callerOf(trace, track, slices, opTracks, byExternalId);
    if (caller.valid()) {
      const std::uint32_t thread = threadOfTrack_[caller.index()];
      threadOfTrack_[track.index()] = thread;
      threads_[thread].tracks.push_back(track);
      threads_[thread].slices += slices;
      continue;
    }
    threadOfTrack_[track.index()] = static_cast<std::uint32_t>(threads_.size());
    threads_.push_back({{track}, trace.track(track).process, 0, slices});
  }
  if (!hostIsKnown(trace) || launchesAreMissing(trace)) gapCause_ = PathCause::untraced;
  const SliceTable& s = trace.slices();
  std::sort(overhead_.begin(), overhead_.end(), [&s](SliceId a, SliceId b) {
    return std::tie(s.start[a.index()], a) < std::tie(s.start[b.index()], b);
  });
}

HostActivity HostThreads::activityOf(SliceId slice) const {
  const bool loads = std::binary_search(loadingLaunches_.begin(), loadingLaunches_.end(), slice);
  return loads ? HostActivity::compileLoad : activities_->of(slice);
}

HostPiece HostThreads::pieceOf(TimeSpan span, SliceId slice, bool input, bool compile) const {
  HostPiece piece{span, slice, gapCause_, !slice.valid()};
  if (!slice.valid()) return piece;
  const std::string_view name = trace_->name(slice);
  switch (activityOf(slice)) {
    case HostActivity::none:
      piece.passive = true;
      // PyTorch's own ranges around the optimizer are operators in all but name.
      if (name.substr(0, 10) == "Optimizer.") {
        piece.cause = PathCause::hostOp;
        piece.passive = false;
      }
      // Collectives on the host itself (gloo, mpi) are recorded as ranges.
      if (name.substr(0, 5) == "gloo:" || name.substr(0, 4) == "mpi:") {
        piece.cause = PathCause::communication;
        piece.passive = false;
      }
      break;
    case HostActivity::sync: {
      // With runtime calls recorded, an operator's own time is not the waiting.
      const bool call = trace_->slices().category[slice.index()] == Category::runtime;
      piece.cause = call || !hasRuntimeCalls_ ? PathCause::hostSync : PathCause::hostOp;
      break;
    }
    case HostActivity::input:
      piece.cause = PathCause::input;
      break;
    case HostActivity::allocation:
      piece.cause = PathCause::allocation;
      break;
    case HostActivity::compileLoad:
    case HostActivity::autotune:
      piece.cause = PathCause::compileLoad;
      break;
    case HostActivity::launchCall:
      piece.cause = PathCause::launch;
      break;
    case HostActivity::otherRank:
      piece.cause = PathCause::communication;
      break;
    case HostActivity::profiler:
      piece.cause = PathCause::profiler;
      break;
    case HostActivity::op:
    case HostActivity::otherRuntime:
      piece.cause = PathCause::hostOp;
      break;
    case HostActivity::python:
      piece.cause = PathCause::python;
      piece.passive = true;
      break;
  }
  const bool ordinary = piece.cause == PathCause::hostOp || piece.cause == PathCause::python ||
                        piece.cause == gapCause_ || piece.cause == PathCause::launch;
  if (ordinary && (input || compile)) {
    piece.cause = input ? PathCause::input : PathCause::compileLoad;
    piece.passive = false;
  }
  return piece;
}

std::vector<HostPiece> HostThreads::pieces(std::uint32_t thread, TimeSpan window) const {
  const SliceTable& s = trace_->slices();
  std::vector<SliceId> slices;
  for (const TrackId track : threads_[thread].tracks)
    for (const Row& row : trace_->rowsOf(track)) {
      const auto ends = s.end.begin();
      const auto first = std::upper_bound(ends + row.first, ends + row.last, window.begin);
      for (auto i = static_cast<std::size_t>(first - ends); i < row.last; ++i) {
        if (s.start[i] >= window.end) break;
        if (s.end[i] > s.start[i]) slices.push_back(SliceId(i));
      }
    }
  std::sort(slices.begin(), slices.end(), [&s](SliceId a, SliceId b) {
    return std::make_tuple(s.start[a.index()], -s.end[a.index()], a) <
           std::make_tuple(s.start[b.index()], -s.end[b.index()], b);
  });
  struct Open {
    SliceId slice;
    bool input, compile;
  };
  std::vector<Open> open;
  std::vector<HostPiece> pieces;
  TimeNs cursor = window.begin;
  const auto close = [&] {
    while (!open.empty() && s.end[open.back().slice.index()] <= cursor) open.pop_back();
  };
  const auto advance = [&](TimeNs to) {
    for (close(); cursor < to; close()) {
      const Open top = open.empty() ? Open{SliceId(), false, false} : open.back();
      const TimeNs end = open.empty() ? to : std::min(to, s.end[top.slice.index()]);
      if (!pieces.empty() && pieces.back().slice == top.slice && top.slice.valid())
        pieces.back().span.end = end;
      else
        pieces.push_back(pieceOf({cursor, end}, top.slice, top.input, top.compile));
      cursor = end;
    }
  };
  for (const SliceId slice : slices) {
    advance(std::max(window.begin, s.start[slice.index()]));
    const HostActivity a = activityOf(slice);
    const Open below = open.empty() ? Open{SliceId(), false, false} : open.back();
    open.push_back(
        {slice, below.input || a == HostActivity::input,
         below.compile || a == HostActivity::compileLoad || a == HostActivity::autotune});
  }
  advance(window.end);
  return withoutOverhead(std::move(pieces));
}

/// Where the profiler itself worked while the thread had nothing recorded, or was inside a runtime
/// call that the profiler slows down, the time is the profiler's.
std::vector<HostPiece> HostThreads::withoutOverhead(std::vector<HostPiece> pieces) const {
  if (overhead_.empty() || pieces.empty()) return pieces;
  const SliceTable& s = trace_->slices();
  std::vector<HostPiece> result;
  std::size_t next = 0;
  for (const HostPiece& piece : pieces) {
    HostPiece rest = piece;
    const HostActivity activity =
        piece.slice.valid() ? activities_->of(piece.slice) : HostActivity::none;
    const bool touched =
        activity == HostActivity::none ||
        (s.category[piece.slice.index()] == Category::runtime && activity != HostActivity::sync);
    while (next < overhead_.size() && s.end[overhead_[next].index()] <= piece.span.begin) ++next;
    for (std::size_t i = next; touched && i < overhead_.size(); ++i) {
      const TimeSpan cost = s.span(overhead_[i]).clippedTo(rest.span);
      if (s.start[overhead_[i].index()] >= piece.span.end) break;
      if (cost.empty()) continue;
      if (cost.begin > rest.span.begin) {
        result.push_back(rest);
        result.back().span.end = cost.begin;
      }
      const bool loads = activities_->of(overhead_[i]) == HostActivity::compileLoad;
      result.push_back(
          {cost, overhead_[i], loads ? PathCause::compileLoad : PathCause::profiler, false});
      rest.span.begin = cost.end;
    }
    if (!rest.span.empty()) result.push_back(rest);
  }
  return result;
}

}  // namespace ridgeline
