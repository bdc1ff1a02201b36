#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

namespace {

/// Which host call of several with one correlation did the launching: a driver call inside a
/// runtime call shares its number, and the outer call is the one that people know.
bool launchesMore(const SliceTable& s, SliceId a, SliceId b) {
  return std::make_tuple(s.start[a.index()], -s.end[a.index()]) <
         std::make_tuple(s.start[b.index()], -s.end[b.index()]);
}

std::unordered_map<std::int64_t, SliceId> firstByValue(
    const SliceTable& s, const SparseColumn<SliceId, std::int64_t>& column, Category category) {
  std::unordered_map<std::int64_t, SliceId> byValue;
  for (const auto& [slice, value] : column.entries()) {
    if (s.category[slice.index()] != category || value <= 0) continue;
    const auto [it, isNew] = byValue.emplace(value, slice);
    if (!isNew && launchesMore(s, slice, it->second)) it->second = slice;
  }
  return byValue;
}

void linkLaunches(TraceTables& t, std::vector<Link>& links) {
  const SliceTable& s = t.slices;
  const auto byCorrelation = firstByValue(s, s.correlation, Category::runtime);
  const auto callByExternal = firstByValue(s, s.externalId, Category::runtime);
  const auto opByExternal = firstByValue(s, s.externalId, Category::cpuOp);
  t.launchOf.assign(s.size(), SliceId());
  const auto link = [&](SliceId from, SliceId to) {
    t.launchOf[to.index()] = from;
    links.push_back({LinkKind::launch, from, to});
  };
  std::vector<bool> hasCorrelation(s.size(), false);
  for (const auto& [slice, value] : s.correlation.entries()) {
    const Category c = s.category[slice.index()];
    if ((!isDeviceWork(c) && c != Category::sync) || value <= 0) continue;
    hasCorrelation[slice.index()] = true;
    const auto found = byCorrelation.find(value);
    if (found != byCorrelation.end()) link(found->second, slice);
  }
  // Without a correlation the external id is the next best join; an op is then the launcher when no
  // host call was recorded.
  for (const auto& [slice, value] : s.externalId.entries()) {
    if (!isDeviceWork(s.category[slice.index()]) || value <= 0) continue;
    if (t.launchOf[slice.index()].valid()) continue;
    const auto call = callByExternal.find(value);
    if (call != callByExternal.end() && !hasCorrelation[slice.index()]) {
      link(call->second, slice);
      continue;
    }
    const auto op = opByExternal.find(value);
    if (op != opByExternal.end() && s.start[op->second.index()] <= s.start[slice.index()] &&
        (!hasCorrelation[slice.index()] || byCorrelation.empty()))
      link(op->second, slice);
  }
}

/// The slice a flow event binds to: the innermost one at its time, device work before the ranges
/// that share its lane; without bp "e" an arrow's head binds to the next slice that starts.
SliceId bound(const TraceTables& t, const RawFlow& flow, const std::vector<TrackId>& tracks) {
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

void linkFlows(const TraceTables& t, std::vector<RawFlow> flows,
               const std::vector<std::vector<TrackId>>& tracksOfLane, std::vector<Link>& links,
               ImportLog& log) {
  const auto rankOfPhase = [](char phase) { return phase == 's' ? 0 : phase == 't' ? 1 : 2; };
  std::stable_sort(flows.begin(), flows.end(), [&](const RawFlow& a, const RawFlow& b) {
    return std::make_tuple(a.category, a.name, a.id, a.ts, rankOfPhase(a.phase)) <
           std::make_tuple(b.category, b.name, b.id, b.ts, rankOfPhase(b.phase));
  });
  std::uint64_t loose = 0;
  for (std::size_t i = 0; i < flows.size();) {
    std::size_t end = i;
    while (end < flows.size() && flows[end].category == flows[i].category &&
           flows[end].name == flows[i].name && flows[end].id == flows[i].id)
      ++end;
    // Clock skew can put an end before its start: a lone pair is joined whatever its order.
    SliceId from;
    bool started = false;
    std::vector<const RawFlow*> chain;
    for (std::size_t k = i; k < end; ++k) chain.push_back(&flows[k]);
    if (chain.size() == 2 && chain[0]->phase == 'f' && chain[1]->phase == 's')
      std::swap(chain[0], chain[1]);
    for (const RawFlow* flow : chain) {
      const SliceId at = bound(t, *flow, tracksOfLane[flow->lane]);
      if (flow->phase != 's' && !started) ++loose;
      if (flow->phase != 's' && started && from.valid() && at.valid() && from != at)
        links.push_back(
            {kindOf(t.strings.text(flow->category), t.strings.text(flow->name)), from, at});
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

}  // namespace

void linkAll(TraceTables& t, const std::vector<RawFlow>& flows,
             const std::vector<std::vector<TrackId>>& tracksOfLane) {
  std::vector<Link> links;
  linkLaunches(t, links);
  // Kineto's ac2g arrows say again what the correlation says; they count only where it is missing.
  std::vector<RawFlow> others;
  for (const RawFlow& flow : flows)
    if (t.strings.text(flow.category) != "ac2g" || links.empty()) others.push_back(flow);
  linkFlows(t, std::move(others), tracksOfLane, links, t.importLog);
  t.links = LinkTable(std::move(links));
}

}  // namespace ridgeline::build
