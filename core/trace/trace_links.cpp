#include <algorithm>
#include <tuple>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/release_later.h"
#include "core/base/stable_sort.h"
#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

namespace {

/// Which host call of several with one correlation did the launching: a driver call inside a
/// runtime call shares its number, and the outer call is the one that people know.
bool launchesMore(const SliceTable& s, SliceId a, SliceId b) {
  return std::make_tuple(s.start[a.index()], -s.end[a.index()]) <
         std::make_tuple(s.start[b.index()], -s.end[b.index()]);
}

/// The launching slice by a value: a plain array where the values lie close together, as
/// correlations do, else a sorted list.
class SliceByValue {
 public:
  SliceByValue() = default;
  SliceByValue(const SliceTable& s, const SparseColumn<SliceId, std::int64_t>& column,
               Category category, const Task& task) {
    std::size_t count = 0;
    std::int64_t last = 0;
    Poll poll(task);
    const auto each = [&](auto&& visit) {
      for (const auto& [slice, value] : column.entries())
        if (poll.stop())
          break;
        else if (s.category[slice.index()] == category && value > 0)
          visit(slice, value);
    };
    each([&](SliceId, std::int64_t value) {
      first_ = count == 0 ? value : std::min(first_, value);
      last = std::max(last, value);
      ++count;
    });
    if (count == 0) return;
    any_ = true;
    if (static_cast<std::uint64_t>(last - first_) < count * 6 + 1024) {
      dense_.assign(static_cast<std::size_t>(last - first_) + 1, SliceId());
      each([&](SliceId slice, std::int64_t value) {
        SliceId& known = dense_[static_cast<std::size_t>(value - first_)];
        if (!known.valid() || launchesMore(s, slice, known)) known = slice;
      });
      return;
    }
    sorted_.reserve(count);
    each([&](SliceId slice, std::int64_t value) { sorted_.emplace_back(value, slice); });
    const auto less = [&](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : launchesMore(s, a.second, b.second);
    };
    if (!stableSort(std::span(sorted_), less, task)) sorted_.clear();
  }

  [[nodiscard]] SliceId find(std::int64_t value) const {
    if (!dense_.empty()) {
      const auto at = static_cast<std::uint64_t>(value - first_);
      return value >= first_ && at < dense_.size() ? dense_[at] : SliceId();
    }
    const auto it =
        std::lower_bound(sorted_.begin(), sorted_.end(), value,
                         [](const auto& entry, std::int64_t v) { return entry.first < v; });
    return it != sorted_.end() && it->first == value ? it->second : SliceId();
  }
  [[nodiscard]] bool empty() const { return !any_; }

 private:
  bool any_ = false;
  std::int64_t first_ = 0;
  std::vector<SliceId> dense_;
  std::vector<std::pair<std::int64_t, SliceId>> sorted_;
};

}  // namespace

void linkLaunches(TraceTables& t, ColumnVector<Link>& links, const Task& task) {
  const SliceTable& s = t.slices;
  SliceByValue byCorrelation, callByExternal, opByExternal;
  runJobs({[&] { byCorrelation = SliceByValue(s, s.correlation, Category::runtime, task); },
           [&] { callByExternal = SliceByValue(s, s.externalId, Category::runtime, task); },
           [&] { opByExternal = SliceByValue(s, s.externalId, Category::cpuOp, task); }});
  t.launchOf.assign(s.size(), SliceId());
  const auto link = [&](SliceId from, SliceId to) {
    t.launchOf[to.index()] = from;
    links.push_back({LinkKind::launch, from, to});
  };
  std::vector<bool> hasCorrelation(s.size(), false);
  Poll poll(task);
  for (const auto& [slice, value] : s.correlation.entries()) {
    if (poll.stop()) return;
    const Category c = s.category[slice.index()];
    if ((!isDeviceWork(c) && c != Category::sync) || value <= 0) continue;
    hasCorrelation[slice.index()] = true;
    if (const SliceId call = byCorrelation.find(value); call.valid()) link(call, slice);
  }
  // Without a correlation the external id is the next best join; an op is then the launcher when no
  // host call was recorded.
  for (const auto& [slice, value] : s.externalId.entries()) {
    if (poll.stop()) return;
    if (!isDeviceWork(s.category[slice.index()]) || value <= 0) continue;
    if (t.launchOf[slice.index()].valid()) continue;
    const SliceId call = callByExternal.find(value);
    if (call.valid() && !hasCorrelation[slice.index()]) {
      link(call, slice);
      continue;
    }
    const SliceId op = opByExternal.find(value);
    if (op.valid() && s.start[op.index()] <= s.start[slice.index()] &&
        (!hasCorrelation[slice.index()] || byCorrelation.empty()))
      link(op, slice);
  }
}

namespace {

/// Finds the slices that flow events bind to. Flows come nearly in order of time, so it looks first
/// where it found the one before.
class FlowBinder {
 public:
  FlowBinder(const TraceTables& t, Poll& poll) : t_(t), poll_(poll), passed_(t.rows.size()) {
    for (std::size_t i = 0; i < passed_.size(); ++i) passed_[i] = t.rows[i].first;
  }

  /// The innermost slice at the flow's time, device work before the ranges that share its lane;
  /// without bp "e" an arrow's head binds to the next slice that starts.
  SliceId bound(const EventBatch::Flow& flow, std::span<const TrackId> tracks) {
    SliceId found;
    for (const TrackId trackId : tracks) {
      const Track& track = t_.tracks[trackId.index()];
      if (track.kind != TrackKind::thread && track.kind != TrackKind::stream) continue;
      const SliceId inner = innermost(track, flow.ts);
      if (inner.valid() && (!found.valid() || track.kind == TrackKind::stream)) found = inner;
      if (found.valid() || flow.phase == 's' || flow.bindEnclosing || track.rowCount == 0) continue;
      const Row& top = t_.rows[track.firstRow.index()];
      const auto first = t_.slices.start.begin();
      const auto next = std::lower_bound(first + top.first, first + top.last, flow.ts);
      if (next != first + top.last) found = SliceId(static_cast<std::size_t>(next - first));
    }
    return found;
  }

 private:
  [[nodiscard]] SliceId innermost(const Track& track, TimeNs ts) {
    const SliceTable& s = t_.slices;
    SliceId inner;
    for (std::size_t row = track.firstRow.index(), i = 0; i < track.rowCount; ++i, ++row) {
      if (poll_.stop()) return {};
      const std::uint32_t end = pass(row, ts);
      if (end == t_.rows[row].first) continue;
      if (s.end[end - 1] >= ts && (!inner.valid() || s.start[end - 1] >= s.start[inner.index()]))
        inner = SliceId(end - 1);
    }
    return inner;
  }

  /// The first slice of a row that starts after `ts`.
  std::uint32_t pass(std::size_t rowIndex, TimeNs ts) {
    const Row& row = t_.rows[rowIndex];
    const ColumnVector<TimeNs>& start = t_.slices.start;
    std::uint32_t low = passed_[rowIndex];
    std::uint32_t high = row.last;
    if (low > row.first && start[low - 1] > ts) {
      high = low;
      low = row.first;
    } else {
      for (std::uint32_t step = 1; high - low > step; step *= 2) {
        if (start[low + step] > ts) {
          high = low + step;
          break;
        }
        low += step + 1;
      }
    }
    const auto begin = start.begin();
    const auto it = std::upper_bound(begin + low, begin + high, ts);
    return passed_[rowIndex] = static_cast<std::uint32_t>(it - begin);
  }

  const TraceTables& t_;
  Poll& poll_;
  std::vector<std::uint32_t> passed_;  ///< by row: as pass() said last
};

/// A flow event and the slice that it binds to.
struct BoundFlow {
  EventBatch::FlowId id;
  TimeNs ts;
  StringId category, name;
  SliceId slice;
  char phase;
  bool counted;

  [[nodiscard]] bool sameArrow(const BoundFlow& other) const {
    return category == other.category && name == other.name && id == other.id;
  }
};

ColumnVector<BoundFlow> bindFlows(const TraceTables& t, const ColumnVector<EventBatch::Flow>& flows,
                                  const LaneTracks& tracksOfLane, const Task& task) {
  ColumnVector<BoundFlow> to(flows.size());
  constexpr std::size_t kFewest = 4096;
  const std::size_t share = std::max(kFewest, flows.size() / 16 + 1);
  std::vector<std::function<void()>> jobs;
  for (std::size_t begin = 0; begin < flows.size(); begin += share)
    jobs.emplace_back([&, begin, end = std::min(begin + share, flows.size())] {
      if (task.cancelled()) return;
      Poll poll(task);
      FlowBinder binder(t, poll);
      for (std::size_t i = begin; i < end && !poll.stop(); ++i) {
        const EventBatch::Flow& f = flows[i];
        to[i] = {f.id,    f.ts,     f.category, f.name, binder.bound(f, tracksOfLane.of(f.lane)),
                 f.phase, f.counted};
      }
    });
  runJobs(jobs);
  return to;
}

LinkKind kindOf(std::string_view category, std::string_view name) {
  if (category == "fwdbwd" || name == "fwdbwd" || category == "forward_backward")
    return LinkKind::forwardBackward;
  return LinkKind::flow;
}

void linkFlows(const TraceTables& t, ColumnVector<BoundFlow>& flows, ColumnVector<Link>& links,
               ImportLog& log, const Task& task) {
  const auto rankOfPhase = [](char phase) { return phase == 's' ? 0 : phase == 't' ? 1 : 2; };
  const auto less = [&](const BoundFlow& a, const BoundFlow& b) {
    return std::make_tuple(a.category, a.name, a.id, a.ts, rankOfPhase(a.phase)) <
           std::make_tuple(b.category, b.name, b.id, b.ts, rankOfPhase(b.phase));
  };
  if (!stableSort(std::span(flows), less, task)) return;
  std::uint64_t loose = 0;
  Poll poll(task);
  for (std::size_t i = 0; i < flows.size();) {
    std::size_t end = i;
    while (end < flows.size() && flows[end].sameArrow(flows[i])) {
      if (poll.stop()) return;
      ++end;
    }
    // Clock skew can put an end before its start: a lone pair is joined whatever its order.
    if (end == i + 2 && flows[i].phase == 'f' && flows[i + 1].phase == 's')
      std::swap(flows[i], flows[i + 1]);
    SliceId from;
    bool started = false;
    for (; i < end; ++i) {
      if (poll.stop()) return;
      const BoundFlow& flow = flows[i];
      if (flow.phase != 's' && !started) ++loose;
      if (flow.phase != 's' && started && from.valid() && flow.slice.valid() && from != flow.slice)
        links.push_back(
            {kindOf(t.strings.text(flow.category), t.strings.text(flow.name)), from, flow.slice});
      // An arrow with a bind_id may come in at several slices.
      if (flow.phase == 'f' && !flow.counted) continue;
      started = flow.phase != 'f';
      from = started ? flow.slice : SliceId();
    }
  }
  if (loose > 0) {
    log.note("flow_without_start", "flow arrows whose start is not in the recording", false, 0);
    log.problems.find("flow_without_start")->second.count = loose;
    log.problems.find("flow_without_start")->second.examples.clear();
  }
}

/// An arrow from a host thread to device work is a launch where nothing else tells of one.
void launchesOfFlows(TraceTables& t, ColumnVector<Link>& links, const Task& task) {
  Poll poll(task);
  for (Link& link : links) {
    if (poll.stop()) return;
    if (link.kind != LinkKind::flow || t.launchOf[link.to.index()].valid()) continue;
    if (!isDeviceWork(t.slices.category[link.to.index()])) continue;
    const Row& row = t.rows[t.slices.row[link.from.index()].index()];
    if (t.tracks[row.track.index()].kind != TrackKind::thread) continue;
    link.kind = LinkKind::launch;
    t.launchOf[link.to.index()] = link.from;
  }
}

}  // namespace

void linkAll(TraceTables& t, ColumnVector<Link> links, ColumnVector<EventBatch::Flow> flows,
             const LaneTracks& tracksOfLane, const Task& task) {
  ColumnVector<BoundFlow> bound = bindFlows(t, flows, tracksOfLane, task);
  releaseValueLater(std::move(flows));
  if (!task.cancelled()) linkFlows(t, bound, links, t.importLog, task);
  releaseValueLater(std::move(bound));
  if (task.cancelled()) return releaseValueLater(std::move(links));
  launchesOfFlows(t, links, task);
  t.links = LinkTable(std::move(links), task);
}

}  // namespace ridgeline::build
