#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/base/id_table.h"
#include "core/base/stable_sort.h"
#include "core/trace/trace_assembly.h"

namespace ridgeline::build {

void Assembly::makeInstants() {
  std::vector<std::uint32_t> order;
  Poll poll(task_);
  for (std::uint32_t i = 0; i < c_.instants.size() && !poll.stop(); ++i)
    if (mine(c_.instants[i].track)) order.push_back(i);
  const auto less = [this](std::uint32_t a, std::uint32_t b) {
    const EventBatch::Instant& x = c_.instants[a];
    const EventBatch::Instant& y = c_.instants[b];
    return std::tie(trackOfRaw_[x.track], x.ts) < std::tie(trackOfRaw_[y.track], y.ts);
  };
  if (task_.cancelled() || !stableSort(std::span(order), less, task_)) return;
  InstantTable& out = t_.instants;
  out.time.reserve(order.size());
  out.name.reserve(order.size());
  out.track.reserve(order.size());
  out.args.reserve(order.size());
  for (const std::uint32_t i : order) {
    if (poll.stop()) return;
    const EventBatch::Instant& raw = c_.instants[i];
    out.time.push_back(raw.ts - t_.origin);
    out.name.push_back(text(raw.name));
    out.track.push_back(trackOfRaw_[raw.track]);
    out.args.push_back(raw.args);
  }
  release(c_.instants);
}

namespace {

/// Sorts the samples of a series by time, where they are not.
bool sortSamples(CounterSeries& series, const Task& task) {
  if (std::is_sorted(series.time.begin(), series.time.end())) return true;
  std::vector<std::pair<TimeNs, double>> samples(series.time.size());
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = {series.time[i], series.value[i]};
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!stableSort(std::span(samples), less, task)) return false;
  for (std::size_t i = 0; i < samples.size(); ++i)
    std::tie(series.time[i], series.value[i]) = samples[i];
  return true;
}

}  // namespace

void Assembly::makeCounters() {
  struct Series {
    TrackId track;
    StringId name;  ///< as collected
    std::uint32_t samples = 0;
  };
  std::vector<Series> series;
  std::vector<std::uint32_t> seriesOf(c_.counters.size(), kNone);  // by sample
  IdTable table;
  Poll poll(task_);
  for (std::size_t i = 0; i < c_.counters.size(); ++i) {
    if (poll.stop()) return;
    const EventBatch::Counter& raw = c_.counters[i];
    if (!mine(raw.track)) continue;
    const TrackId track = trackOfRaw_[raw.track];
    const auto same = [&](std::uint32_t s) {
      return series[s].track == track && series[s].name == raw.series;
    };
    seriesOf[i] = table.findOrAdd(mixHash(track.value, raw.series.value), series.size(), same);
    if (seriesOf[i] == series.size()) series.push_back({track, raw.series});
    ++series[seriesOf[i]].samples;
  }
  std::vector<std::uint32_t> order(series.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(series[a].track, series[a].name) < std::tie(series[b].track, series[b].name);
  };
  if (task_.cancelled() || !stableSort(std::span(order), less, task_)) return;
  std::vector<std::uint32_t> placeOf(series.size());
  t_.counters.reserve(order.size());
  for (const std::uint32_t i : order) {
    if (poll.stop()) return;
    placeOf[i] = static_cast<std::uint32_t>(t_.counters.size());
    CounterSeries& out =
        t_.counters.emplace_back(CounterSeries{series[i].track, text(series[i].name), {}, {}});
    out.time.reserve(series[i].samples);
    out.value.reserve(series[i].samples);
  }
  for (std::size_t i = 0; i < seriesOf.size(); ++i) {
    if (poll.stop()) return;
    if (seriesOf[i] == kNone) continue;
    CounterSeries& out = t_.counters[placeOf[seriesOf[i]]];
    out.time.push_back(c_.counters[i].ts - t_.origin);
    out.value.push_back(c_.counters[i].value);
  }
  release(c_.counters);
  for (CounterSeries& out : t_.counters)
    if (poll.stop() || !sortSamples(out, task_)) return;
}

void Assembly::makeMemory() {
  Poll poll(task_);
  if (!only_) t_.memory.reserve(c_.memory.size());
  for (std::size_t i = 0; i < c_.memory.size(); ++i) {
    if (poll.stop()) return;
    const EventBatch::Memory& raw = c_.memory[i];
    if (!mine(raw.track)) continue;
    MemoryEvent event = raw.event;
    event.time -= t_.origin;
    event.track = trackOfRaw_[raw.track];
    t_.memory.push_back(event);
  }
  release(c_.memory);
  const auto less = [](const MemoryEvent& a, const MemoryEvent& b) { return a.time < b.time; };
  static_cast<void>(stableSort(std::span(t_.memory), less, task_));  // run() asks the task
}

void Assembly::makeLinks() {
  LaneTracks tracksOfLane;
  if (!c_.flows.empty())
    tracksOfLane = LaneTracks(c_.lanes.size(), t_.tracks.size(), [this](std::size_t track) {
      return c_.tracks[rawTrackOf_[track]].lane;
    });
  ColumnVector<Link> links;
  linkLaunches(t_, links, task_);
  // Kineto's ac2g arrows say again what the correlation says; they count only where it is missing.
  const StringId ac2g = (only_ ? c_.strings : t_.strings).find("ac2g");
  const bool known = !links.empty() && ac2g.valid();
  ColumnVector<EventBatch::Flow> flows;
  Poll poll(task_);
  for (std::size_t i = 0; i < c_.flows.size() && !poll.stop(); ++i) {
    if (known && c_.flows[i].category == ac2g) continue;
    EventBatch::Flow flow = c_.flows[i];
    flow.lane = merged_.lane[flow.lane];
    const std::int64_t rank = c_.rankOfLane(flow.lane);
    if (only_ && rank != rank_ && rank != kNoRank) continue;
    flow.ts -= t_.origin;
    if (flow.id.isText()) flow.id = EventBatch::FlowId::of(text(flow.id.text()));
    for (StringId* id : {&flow.category, &flow.name}) *id = text(*id);
    flows.push_back(flow);
  }
  release(c_.flows);
  if (!task_.cancelled()) linkAll(t_, std::move(links), std::move(flows), tracksOfLane, task_);
}

}  // namespace ridgeline::build
