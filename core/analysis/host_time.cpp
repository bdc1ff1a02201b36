#include "core/analysis/host_time.h"

#include <algorithm>

namespace ridgeline {

namespace {

/// Which of two activities, one inside the other, names the time: the higher one.
int strength(HostActivity activity) {
  switch (activity) {
    case HostActivity::input:
      return 8;
    case HostActivity::profiler:
    case HostActivity::compileLoad:
    case HostActivity::autotune:
      return 7;
    case HostActivity::otherRank:
      return 6;
    case HostActivity::sync:
      return 5;
    case HostActivity::allocation:
      return 4;
    default:
      return 0;
  }
}

/// How many threads are asked for what the launching thread does not tell.
constexpr std::size_t kMostThreads = 4;

}  // namespace

struct HostTime::Tally {
  std::array<TimeNs, kHostActivityCount> byActivity{};
  std::unordered_map<SliceId, TimeNs> bySlice[kHostActivityCount];
  std::vector<TimeSpan> silent;  ///< nothing recorded, or nothing but ranges

  void add(HostActivity activity, SliceId slice, TimeSpan span) {
    if (span.empty()) return;
    if (activity == HostActivity::none) {
      silent.push_back(span);
      return;
    }
    const auto i = static_cast<std::size_t>(activity);
    byActivity[i] += span.length();
    bySlice[i][slice] += span.length();
  }
};

HostTime::HostTime(const Workload& w) : w_(w), activities_(*w.trace) {
  const Trace& trace = *w.trace;
  std::vector<std::size_t> launches(trace.tracks().size(), 0);
  for (const SliceId s : w.deviceWork) {
    const TrackId thread = threadOf(s);
    if (thread.valid()) ++launches[thread.index()];
  }
  std::vector<std::size_t> slices(trace.tracks().size(), 0);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    for (const Row& row : trace.rowsOf(TrackId(i))) slices[i] += row.last - row.first;
    if (launches[i] > 0 && trace.tracks()[i].kind == TrackKind::thread)
      threads_.push_back(TrackId(i));
  }
  for (const Step& step : w.steps.steps) {
    if (!step.annotation.valid()) continue;
    const TrackId marks = trace.trackOf(step.annotation);
    if (std::find(threads_.begin(), threads_.end(), marks) == threads_.end())
      threads_.push_back(marks);
    break;
  }
  std::stable_sort(threads_.begin(), threads_.end(),
                   [&](TrackId a, TrackId b) { return slices[a.index()] > slices[b.index()]; });
  if (threads_.size() > kMostThreads) threads_.resize(kMostThreads);
}

TrackId HostTime::threadOf(SliceId deviceWork) const {
  const SliceId op = w_.opOf[deviceWork.index()];
  if (op.valid()) return w_.trace->trackOf(op);
  const SliceId launch = w_.trace->launchOf(deviceWork);
  return launch.valid() ? w_.trace->trackOf(launch) : TrackId();
}

void HostTime::descend(TrackId track, std::uint32_t depth, TimeSpan span, HostActivity outer,
                       SliceId outerSlice, Tally& tally) const {
  const std::span<const Row> rows = w_.trace->rowsOf(track);
  const SliceTable& s = w_.trace->slices();
  TimeNs at = span.begin;
  if (depth < rows.size() && !rows[depth].spill) {
    const Row& row = rows[depth];
    const auto begin = s.end.begin() + row.first;
    const auto end = s.end.begin() + row.last;
    auto i = static_cast<std::uint32_t>(std::upper_bound(begin, end, span.begin) - s.end.begin());
    for (; i < row.last && s.start[i] < span.end; ++i) {
      const TimeSpan part = TimeSpan{s.start[i], s.end[i]}.clippedTo(span);
      if (part.empty()) continue;
      tally.add(outer, outerSlice, {at, part.begin});
      at = part.end;
      HostActivity inner = activities_.of(SliceId(i));
      SliceId slice(static_cast<std::size_t>(i));
      // What says nothing of its own, or less than what it lies in, belongs to that. Of nested ops
      // the outer one is the evidence, of Python frames the inner one.
      const bool keepsOuter =
          inner == HostActivity::none || strength(outer) > 0 ||
          (outer == HostActivity::op && inner != HostActivity::launchCall && strength(inner) == 0);
      if (keepsOuter && strength(inner) <= strength(outer)) {
        inner = outer;
        slice = outerSlice;
      }
      descend(track, depth + 1, part, inner, slice, tally);
    }
  }
  tally.add(outer, outerSlice, {at, span.end});
}

void HostTime::visitThread(TrackId track, TimeSpan span, Tally& tally) const {
  descend(track, 0, span, HostActivity::none, SliceId(), tally);
}

HostUse HostTime::use(TrackId thread, TimeSpan span) const {
  Tally tally;
  if (thread.valid()) {
    visitThread(thread, span, tally);
  } else {
    tally.silent.push_back(span);
  }
  for (const TrackId other : threads_) {
    if (tally.silent.empty()) break;
    if (other == thread) continue;
    std::vector<TimeSpan> open;
    std::swap(open, tally.silent);
    for (const TimeSpan& piece : open) visitThread(other, piece, tally);
  }
  HostUse use;
  use.byActivity = tally.byActivity;
  for (const TimeSpan& piece : tally.silent) {
    use.byActivity[0] += piece.length();
    use.longestSilence = std::max(use.longestSilence, piece.length());
  }
  for (std::size_t a = 0; a < use.evidence.size(); ++a) {
    TimeNs most = 0;
    for (const auto& [slice, length] : tally.bySlice[a]) {
      if (length < most || (length == most && use.evidence[a] < slice)) continue;
      most = length;
      use.evidence[a] = slice;
    }
  }
  return use;
}

}  // namespace ridgeline
