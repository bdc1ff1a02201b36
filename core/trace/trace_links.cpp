#include <algorithm>
#include <tuple>
#include <vector>

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

void linkLaunches(TraceTables& t, std::vector<Link>& links, const Task& task) {
  const SliceTable& s = t.slices;
  const SliceByValue byCorrelation(s, s.correlation, Category::runtime, task);
  const SliceByValue callByExternal(s, s.externalId, Category::runtime, task);
  const SliceByValue opByExternal(s, s.externalId, Category::cpuOp, task);
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

/// The slice a flow event binds to: the innermost one at its time, device work before the ranges
/// that share its lane; without bp "e" an arrow's head binds to the next slice that starts.
SliceId bound(const TraceTables& t, const EventBatch::Flow& flow,
              const std::vector<TrackId>& tracks) {
  SliceId found;
  for (const TrackId trackId : tracks) {
    const Track& track = t.tracks[trackId.index()];
    if (track.kind != TrackKind::thread && track.kind != TrackKind::stream) continue;
    SliceId inner;
    for (std::uint32_t r = 0; r < track.rowCount; ++r) {
      const Row& row = t.rows[track.firstRow.index() + r];
      const auto first = t.slices.start.begin() + row.first;
      const auto last = t.slices.start.begin() + row.last;
      const auto it = std::upper_bound(first, last, flow.ts);
      if (it == first) continue;
      const auto i = static_cast<std::size_t>(it - t.slices.start.begin()) - 1;
      if (t.slices.end[i] >= flow.ts &&
          (!inner.valid() || t.slices.start[i] >= t.slices.start[inner.index()]))
        inner = SliceId(i);
    }
    if (inner.valid() && (!found.valid() || track.kind == TrackKind::stream)) found = inner;
    if (found.valid() || flow.phase == 's' || flow.bindEnclosing || track.rowCount == 0) continue;
    const Row& top = t.rows[track.firstRow.index()];
    const auto next = std::lower_bound(t.slices.start.begin() + top.first,
                                       t.slices.start.begin() + top.last, flow.ts);
    if (next != t.slices.start.begin() + top.last)
      found = SliceId(static_cast<std::size_t>(next - t.slices.start.begin()));
  }
  return found;
}

LinkKind kindOf(std::string_view category, std::string_view name) {
  if (category == "fwdbwd" || name == "fwdbwd" || category == "forward_backward")
    return LinkKind::forwardBackward;
  return LinkKind::flow;
}

void linkFlows(const TraceTables& t, std::vector<EventBatch::Flow>& flows,
               const std::vector<std::vector<TrackId>>& tracksOfLane, std::vector<Link>& links,
               ImportLog& log, const Task& task) {
  const auto rankOfPhase = [](char phase) { return phase == 's' ? 0 : phase == 't' ? 1 : 2; };
  const auto less = [&](const EventBatch::Flow& a, const EventBatch::Flow& b) {
    return std::make_tuple(a.category, a.name, a.id, a.ts, rankOfPhase(a.phase)) <
           std::make_tuple(b.category, b.name, b.id, b.ts, rankOfPhase(b.phase));
  };
  if (!stableSort(std::span(flows), less, task)) return;
  std::uint64_t loose = 0;
  for (std::size_t i = 0; i < flows.size() && !task.cancelled();) {
    std::size_t end = i;
    while (end < flows.size() && flows[end].category == flows[i].category &&
           flows[end].name == flows[i].name && flows[end].id == flows[i].id)
      ++end;
    // Clock skew can put an end before its start: a lone pair is joined whatever its order.
    SliceId from;
    bool started = false;
    std::vector<const EventBatch::Flow*> chain;
    for (std::size_t k = i; k < end; ++k) chain.push_back(&flows[k]);
    if (chain.size() == 2 && chain[0]->phase == 'f' && chain[1]->phase == 's')
      std::swap(chain[0], chain[1]);
    for (const EventBatch::Flow* flow : chain) {
      if (task.cancelled()) return;
      const SliceId at = bound(t, *flow, tracksOfLane[flow->lane]);
      if (flow->phase != 's' && !started) ++loose;
      if (flow->phase != 's' && started && from.valid() && at.valid() && from != at)
        links.push_back(
            {kindOf(t.strings.text(flow->category), t.strings.text(flow->name)), from, at});
      // An arrow with a bind_id may come in at several slices.
      if (flow->phase == 'f' && !flow->counted) continue;
      started = flow->phase != 'f';
      from = started ? at : SliceId();
    }
    i = end;
  }
  if (loose > 0) {
    log.note("flow_without_start", "flow arrows whose start is not in the recording", false, 0);
    log.problems.find("flow_without_start")->second.count = loose;
    log.problems.find("flow_without_start")->second.examples.clear();
  }
}

/// An arrow from a host thread to device work is a launch where nothing else tells of one.
void launchesOfFlows(TraceTables& t, std::vector<Link>& links) {
  for (Link& link : links) {
    if (link.kind != LinkKind::flow || t.launchOf[link.to.index()].valid()) continue;
    if (!isDeviceWork(t.slices.category[link.to.index()])) continue;
    const Row& row = t.rows[t.slices.row[link.from.index()].index()];
    if (t.tracks[row.track.index()].kind != TrackKind::thread) continue;
    link.kind = LinkKind::launch;
    t.launchOf[link.to.index()] = link.from;
  }
}

}  // namespace

void linkAll(TraceTables& t, std::vector<EventBatch::Flow> flows,
             const std::vector<std::vector<TrackId>>& tracksOfLane, const Task& task) {
  std::vector<Link> links;
  linkLaunches(t, links, task);
  // Kineto's ac2g arrows say again what the correlation says; they count only where it is missing.
  if (!links.empty())
    std::erase_if(flows, [&t](const EventBatch::Flow& flow) {
      return t.strings.text(flow.category) == "ac2g";
    });
  if (!task.cancelled()) linkFlows(t, flows, tracksOfLane, links, t.importLog, task);
  releaseValueLater(std::move(flows));
  if (task.cancelled()) return releaseValueLater(std::move(links));
  launchesOfFlows(t, links);
  t.links = LinkTable(std::move(links), task);
}

}  // namespace ridgeline::build
