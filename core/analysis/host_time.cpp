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
  struct Entry {
    HostActivity activity;
    SliceId slice;
    TimeNs length;
  };
  std::array<TimeNs, kHostActivityCount> byActivity{};
  std::vector<Entry> entries;
  std::vector<TimeSpan> silent;  ///< nothing recorded, or nothing but ranges

  void add(HostActivity activity, SliceId slice, TimeSpan span) {
    if (span.empty()) return;
    if (activity == HostActivity::none) {
      silent.push_back(span);
      return;
    }
    byActivity[static_cast<std::size_t>(activity)] += span.length();
    if (!entries.empty() && entries.back().slice == slice && entries.back().activity == activity) {
      entries.back().length += span.length();
    } else {
      entries.push_back({activity, slice, span.length()});
    }
  }

  /// The slice with the most time of each activity.
  void findEvidence(HostUse& use) {
    const auto same = [](const Entry& a, const Entry& b) {
      return a.activity == b.activity && a.slice == b.slice;
    };
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.activity != b.activity ? a.activity < b.activity : a.slice < b.slice;
    });
    std::array<TimeNs, kHostActivityCount> most{};
    for (std::size_t i = 0; i < entries.size();) {
      TimeNs length = 0;
      const Entry& entry = entries[i];
      for (; i < entries.size() && same(entries[i], entry); ++i) length += entries[i].length;
      const auto a = static_cast<std::size_t>(entry.activity);
      if (length <= most[a]) continue;
      most[a] = length;
      use.evidence[a] = entry.slice;
    }
  }
};

HostTime::HostTime(const Workload& w) : w_(w), activities_(*w.trace) {
  const Trace& trace = *w.trace;
  lastFound_.assign(trace.rows().size(), 0);
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

std::uint32_t HostTime::firstEndingAfter(std::size_t index, TimeNs t) const {
  const Row& row = w_.trace->rows()[index];
  const auto& ends = w_.trace->slices().end;
  // Questions come in time order: look ahead from the last answer in growing strides.
  std::uint32_t& last = lastFound_[index];
  std::uint32_t low = std::clamp(last, row.first, row.last);
  if (low > row.first && ends[low - 1] > t) low = row.first;
  std::uint32_t high = low;
  for (std::uint32_t stride = 1; high < row.last && ends[high] <= t; stride *= 2) {
    low = high;
    high = row.last - high > stride ? high + stride : row.last;
  }
  const auto found = std::upper_bound(ends.begin() + low, ends.begin() + high, t);
  last = static_cast<std::uint32_t>(found - ends.begin());
  return last;
}

void HostTime::descend(TrackId track, std::uint32_t depth, TimeSpan span, HostActivity outer,
                       SliceId outerSlice, Tally& tally) const {
  const std::span<const Row> rows = w_.trace->rowsOf(track);
  const SliceTable& s = w_.trace->slices();
  TimeNs at = span.begin;
  if (depth < rows.size() && !rows[depth].spill) {
    const Row& row = rows[depth];
    const std::size_t index = w_.trace->track(track).firstRow.index() + depth;
    std::uint32_t i = firstEndingAfter(index, span.begin);
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
  tally.findEvidence(use);
  return use;
}

}  // namespace ridgeline
