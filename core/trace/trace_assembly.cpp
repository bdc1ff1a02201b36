#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "core/trace/nesting.h"
#include "core/trace/slice_order.h"
#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

namespace {

/// Host above device above the rest.
int groupOf(const Track& track) {
  switch (track.kind) {
    case TrackKind::thread:
    case TrackKind::async:
      return 0;
    case TrackKind::stream:
    case TrackKind::deviceAnnotation:
    case TrackKind::deviceSync:
      return 1;
    case TrackKind::counter:
      return 2;
    default:
      return 3;
  }
}

std::int64_t sortKey(std::int64_t recorded, std::string_view text) {
  if (recorded != EventArgs::kAbsent) return recorded;
  std::int64_t value = 0;
  bool digits = !text.empty();
  for (const char ch : text) {
    if (ch < '0' || ch > '9' || value > 1'000'000'000'000'000) {
      digits = false;
      break;
    }
    value = value * 10 + (ch - '0');
  }
  return digits ? value : std::numeric_limits<std::int64_t>::max() / 2;
}

/// One rank being taken out of what was collected. With a single rank the raw columns are freed as
/// soon as they are in place, so that the peak is about one copy of the data.
class Assembly {
 public:
  Assembly(Collected& c, const Merged& merged, bool only, std::int64_t rank, const Task& task)
      : c_(c), merged_(merged), only_(only), rank_(rank), task_(task) {}

  TraceTables run();

 private:
  [[nodiscard]] bool mine(std::uint32_t track) const {
    if (!only_) return true;
    const std::int64_t rank = c_.rankOfTrack(merged_.track[track]);
    return rank == rank_ || rank == kNoRank;
  }
  [[nodiscard]] TrackId trackOf(std::uint32_t raw) const { return trackOfRaw_[raw]; }
  StringId text(StringId id) {
    // A single rank takes the pool as it is; several ranks copy what they use.
    return only_ ? (id.valid() ? t_.strings.intern(c_.strings.text(id)) : id) : id;
  }
  template <class T>
  void release(ChunkedColumn<T>& column) {
    if (!only_) column.clear();
  }
  void findOrigin();
  void adoptDevices(const std::vector<std::uint32_t>& raws);
  void makeTracks();
  void makeDevices();
  void placeSlices();
  void fillRows(std::span<const std::uint32_t> order, TrackId track);
  void gather();
  void sparseColumns();
  void makeInstants();
  void makeCounters();
  void makeMemory();
  void makeLinks();

  Collected& c_;
  const Merged& merged_;
  const bool only_;
  const std::int64_t rank_;
  const Task& task_;
  TraceTables t_;
  std::vector<TrackId> trackOfRaw_;
  std::vector<std::uint32_t> rawTrackOf_;  // by TrackId
  std::vector<std::uint32_t> rawOf_;       // by SliceId: raw slice
};

void Assembly::findOrigin() {
  TimeNs first = std::numeric_limits<TimeNs>::max();
  TimeNs last = std::numeric_limits<TimeNs>::min();
  const auto see = [&](TimeNs begin, TimeNs end) {
    first = std::min(first, begin);
    last = std::max(last, end);
  };
  const RawSlices& s = c_.slices;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (mine(s.track[i])) see(s.start[i], s.end[i]);
  for (std::size_t i = 0; i < c_.instants.size(); ++i)
    if (mine(c_.instants[i].track)) see(c_.instants[i].ts, c_.instants[i].ts);
  for (std::size_t i = 0; i < c_.counters.size(); ++i)
    if (mine(c_.counters[i].track)) see(c_.counters[i].ts, c_.counters[i].ts);
  if (first > last) first = last = 0;
  t_.origin = first;
  t_.span = {0, last - first};
}

/// Ranges and synchronisation records name no device, only the process of one; merged files give
/// that process any number. They belong to the device whose streams lie in the same process.
void Assembly::adoptDevices(const std::vector<std::uint32_t>& raws) {
  std::map<std::uint32_t, std::set<std::int64_t>> devicesOfProcess;
  for (const std::uint32_t raw : raws)
    if (c_.tracks[raw].kind == TrackKind::stream)
      devicesOfProcess[c_.lanes[c_.tracks[raw].lane].process].insert(c_.tracks[raw].device);
  for (const std::uint32_t raw : raws) {
    RawTrack& track = c_.tracks[raw];
    if (track.kind != TrackKind::deviceAnnotation && track.kind != TrackKind::deviceSync) continue;
    const auto devices = devicesOfProcess.find(c_.lanes[track.lane].process);
    if (devices != devicesOfProcess.end() && devices->second.size() == 1)
      track.device = *devices->second.begin();
  }
}

void Assembly::makeTracks() {
  std::vector<std::uint32_t> raws;
  for (std::uint32_t i = 0; i < c_.tracks.size(); ++i)
    if (merged_.track[i] == i && mine(i)) raws.push_back(i);

  adoptDevices(raws);
  std::map<std::uint32_t, ProcessId> processes;
  const auto processOf = [&](std::uint32_t raw) {
    const auto [it, isNew] = processes.emplace(raw, ProcessId(t_.processes.size()));
    if (isNew) {
      const RawProcess& p = c_.processes[raw];
      t_.processes.push_back({text(p.pid), text(p.name), text(p.labels), p.sortIndex, {}});
    }
    return it->second;
  };
  struct Entry {
    Track track;
    std::uint32_t raw;
  };
  std::vector<Entry> entries;
  for (const std::uint32_t raw : raws) {
    const RawTrack& r = c_.tracks[raw];
    const RawLane& lane = c_.lanes[r.lane];
    Track track;
    track.kind = r.kind;
    track.process = processOf(lane.process);
    track.tid = text(lane.tid);
    track.name = r.counterName.valid() ? text(r.counterName) : text(lane.name);
    track.sortIndex = lane.sortIndex;
    track.stream = r.stream;
    entries.push_back({std::move(track), raw});
  }
  const auto key = [this](const Entry& e) {
    const Process& p = t_.processes[e.track.process.index()];
    const std::int64_t device = c_.tracks[e.raw].device;
    return std::make_tuple(groupOf(e.track), groupOf(e.track) == 1 ? device : 0,
                           sortKey(p.sortIndex, t_.strings.text(p.pid)), e.track.process.value,
                           sortKey(e.track.sortIndex, t_.strings.text(e.track.tid)),
                           static_cast<int>(e.track.kind), e.raw);
  };
  if (!only_) t_.strings = std::move(c_.strings);
  std::sort(entries.begin(), entries.end(),
            [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  trackOfRaw_.assign(c_.tracks.size(), TrackId());
  for (Entry& entry : entries) {
    trackOfRaw_[entry.raw] = TrackId(t_.tracks.size());
    rawTrackOf_.push_back(entry.raw);
    t_.tracks.push_back(std::move(entry.track));
  }
  for (std::uint32_t i = 0; i < c_.tracks.size(); ++i)
    trackOfRaw_[i] = trackOfRaw_[merged_.track[i]];
}

void Assembly::makeDevices() {
  std::map<std::int64_t, std::vector<TrackId>> byOrdinal;
  for (std::size_t i = 0; i < t_.tracks.size(); ++i)
    if (groupOf(t_.tracks[i]) == 1)
      byOrdinal[c_.tracks[rawTrackOf_[i]].device].push_back(TrackId(i));
  for (const auto& [ordinal, tracks] : byOrdinal) {
    const DeviceId id(t_.devices.size());
    Device device;
    bool found = false;
    bool alike = !c_.devices.empty();
    for (const Device& known : c_.devices) {
      if (known.ordinal == ordinal) device = known;
      found = found || known.ordinal == ordinal;
      alike = alike && known.name == c_.devices.front().name;
    }
    // ROCm counts CPU agents into a kernel's device number, not into deviceProperties; where all
    // recorded devices are of one kind it does not matter which one is meant.
    if (!found && alike) device = c_.devices.front();
    device.ordinal = ordinal;
    for (const TrackId trackId : tracks) {
      Track& track = t_.tracks[trackId.index()];
      track.device = id;
      t_.processes[track.process.index()].device = id;
      if (track.kind == TrackKind::stream) device.streams.push_back(trackId);
    }
    t_.devices.push_back(std::move(device));
  }
}

void Assembly::placeSlices() {
  const RawSlices& s = c_.slices;
  const std::size_t tracks = t_.tracks.size();
  std::vector<std::uint32_t> first(tracks + 1, 0);
  for (std::size_t i = 0; i < s.size(); ++i)
    if (const TrackId track = trackOf(s.track[i]); track.valid()) ++first[track.index() + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  const std::size_t n = first.back();
  std::vector<std::uint32_t> order(n);
  {
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < s.size(); ++i)
      if (const TrackId track = trackOf(s.track[i]); track.valid())
        order[next[track.index()]++] = static_cast<std::uint32_t>(i);
  }
  rawOf_.resize(n);
  SliceTable& out = t_.slices;
  out.start.reserve(n);
  out.end.reserve(n);
  out.row.reserve(n);
  out.parent.reserve(n);
  for (std::size_t track = 0; track < tracks && !task_.cancelled(); ++track) {
    const std::span<std::uint32_t> mineInOrder(order.data() + first[track],
                                               first[track + 1] - first[track]);
    sortByTime(c_.slices, mineInOrder, task_);
    fillRows(mineInOrder, TrackId(track));
  }
  release(c_.slices.start);
  release(c_.slices.end);
}

void Assembly::fillRows(std::span<const std::uint32_t> order, TrackId trackId) {
  const RawSlices& raw = c_.slices;
  Nester nester;
  std::vector<Placement> placements;
  placements.reserve(order.size());
  for (const std::uint32_t i : order) {
    if ((placements.size() & 0xFFFF) == 0 && task_.cancelled()) return;
    placements.push_back(nester.place({raw.start[i], raw.end[i]}));
  }
  const std::uint16_t nested = nester.nestedRows();
  const std::uint32_t rowCount = std::uint32_t{nested} + nester.spillRows();
  Track& track = t_.tracks[trackId.index()];
  track.firstRow = RowId(t_.rows.size());
  track.rowCount = rowCount;
  std::vector<std::uint32_t> next(rowCount + 1, 0);
  for (Placement& p : placements) {
    if (p.spill) p.row = static_cast<std::uint16_t>(p.row + nested);
    ++next[p.row + 1u];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  SliceTable& out = t_.slices;
  const auto base = static_cast<std::uint32_t>(out.start.size());
  for (std::uint32_t row = 0; row < rowCount; ++row)
    t_.rows.push_back({trackId, static_cast<std::uint16_t>(row), row >= nested, base + next[row],
                       base + next[row + 1]});
  const std::size_t end = base + order.size();
  out.start.resize(end);
  out.end.resize(end);
  out.row.resize(end);
  out.parent.resize(end);
  std::vector<std::uint32_t> slot(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint32_t to = base + next[placements[k].row]++;
    slot[k] = to;
    rawOf_[to] = order[k];
    out.start[to] = raw.start[order[k]] - t_.origin;
    out.end[to] = raw.end[order[k]] - t_.origin;
    out.row[to] = RowId(track.firstRow.index() + placements[k].row);
    const std::uint32_t parent = placements[k].parent;
    out.parent[to] = parent == kNone ? SliceId() : SliceId(slot[parent]);
  }
}

void Assembly::gather() {
  RawSlices& raw = c_.slices;
  SliceTable& s = t_.slices;
  const std::size_t n = rawOf_.size();
  const auto each = [&](auto& column, auto&& value) {
    column.resize(n);
    for (std::size_t i = 0; i < n; ++i) column[i] = value(rawOf_[i]);
  };
  each(s.name, [&](std::uint32_t i) { return text(StringId(raw.name[i])); });
  release(raw.name);
  each(s.flags, [&](std::uint32_t i) {
    const bool async = c_.tracks[raw.track[i]].kind == TrackKind::async;
    return static_cast<std::uint8_t>((async ? SliceTable::kAsync : 0) |
                                     (i >= raw.unfinishedFrom ? SliceTable::kUnfinished : 0));
  });
  if (task_.cancelled()) return;
  each(s.categoryText, [&](std::uint32_t i) { return raw.category[i]; });
  each(s.category, [&](std::uint32_t i) { return c_.categoryKinds[raw.category[i]]; });
  release(raw.category);
  each(s.shape, [&](std::uint32_t i) { return ShapeId(raw.shape[i]); });
  release(raw.shape);
  if (task_.cancelled()) return;
  each(s.argsOffset, [&](std::uint32_t i) { return raw.argsOffset[i]; });
  release(raw.argsOffset);
  each(s.argsLength, [&](std::uint32_t i) { return raw.argsLength[i]; });
  release(raw.argsLength);
}

namespace {

/// Where the entries of a sparse column belong, found by counting instead of comparing: a bit for
/// each slice that has a value, and how many come before each word.
class Ranks {
 public:
  explicit Ranks(std::size_t slices) : bits_(slices / 64 + 1), before_(bits_.size() + 1) {}
  void clear() { std::fill(bits_.begin(), bits_.end(), 0); }
  void set(std::uint32_t slice) { bits_[slice / 64] |= std::uint64_t{1} << (slice % 64); }
  std::size_t count() {
    for (std::size_t i = 0; i < bits_.size(); ++i)
      before_[i + 1] = before_[i] + static_cast<std::uint32_t>(std::popcount(bits_[i]));
    return before_.back();
  }
  [[nodiscard]] std::size_t of(std::uint32_t slice) const {
    const std::uint64_t below = (std::uint64_t{1} << (slice % 64)) - 1;
    return before_[slice / 64] + static_cast<std::size_t>(std::popcount(bits_[slice / 64] & below));
  }

 private:
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> before_;
};

}  // namespace

void Assembly::sparseColumns() {
  std::vector<std::uint32_t> sliceOfRaw(c_.slices.size(), kNone);
  for (std::size_t i = 0; i < rawOf_.size(); ++i)
    sliceOfRaw[rawOf_[i]] = static_cast<std::uint32_t>(i);
  if (!only_) {
    rawOf_.clear();
    rawOf_.shrink_to_fit();
    c_.slices.track.clear();
  }
  Ranks ranks(t_.slices.size());
  const auto take = [&]<class Id, class T>(RawValues& raw, SparseColumn<Id, T>& column) {
    ranks.clear();
    for (std::size_t i = 0; i < raw.slice.size(); ++i)
      if (const std::uint32_t slice = sliceOfRaw[raw.slice[i]]; slice != kNone) ranks.set(slice);
    std::vector<typename SparseColumn<Id, T>::Entry> entries(ranks.count());
    for (std::size_t i = 0; i < raw.slice.size(); ++i)
      if (const std::uint32_t slice = sliceOfRaw[raw.slice[i]]; slice != kNone)
        entries[ranks.of(slice)] = {SliceId(slice), T(raw.value[i])};
    column.assign(std::move(entries));
    release(raw.slice);
    release(raw.value);
  };
  SparseValues& v = c_.sparse;
  SliceTable& s = t_.slices;
  take(v.correlation, s.correlation);
  take(v.externalId, s.externalId);
  take(v.bytes, s.bytes);
  take(v.sequence, s.sequence);
  take(v.forwardThread, s.forwardThread);
  take(v.streamArg, s.streamArg);
  take(v.graphId, s.graphId);
  take(v.graphNode, s.graphNode);
  take(v.waitOnStream, s.waitOnStream);
  take(v.waitOnRecordCorrelation, s.waitOnRecordCorrelation);
  take(v.collective, s.collective);
}

void Assembly::makeInstants() {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < c_.instants.size(); ++i)
    if (mine(c_.instants[i].track)) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    const EventBatch::Instant& x = c_.instants[a];
    const EventBatch::Instant& y = c_.instants[b];
    return std::tie(trackOfRaw_[x.track], x.ts) < std::tie(trackOfRaw_[y.track], y.ts);
  });
  InstantTable& out = t_.instants;
  out.time.reserve(order.size());
  out.name.reserve(order.size());
  out.track.reserve(order.size());
  out.args.reserve(order.size());
  for (const std::uint32_t i : order) {
    const EventBatch::Instant& raw = c_.instants[i];
    out.time.push_back(raw.ts - t_.origin);
    out.name.push_back(text(raw.name));
    out.track.push_back(trackOfRaw_[raw.track]);
    out.args.push_back(raw.args);
  }
  release(c_.instants);
}

void Assembly::makeCounters() {
  std::map<std::pair<TrackId, StringId>, std::vector<std::pair<TimeNs, double>>> series;
  for (std::size_t i = 0; i < c_.counters.size(); ++i) {
    const EventBatch::Counter& raw = c_.counters[i];
    if (mine(raw.track))
      series[{trackOfRaw_[raw.track], raw.series}].emplace_back(raw.ts - t_.origin, raw.value);
  }
  release(c_.counters);
  for (auto& [key, samples] : series) {
    std::stable_sort(samples.begin(), samples.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    CounterSeries out{key.first, text(key.second), {}, {}};
    for (const auto& [time, value] : samples) {
      out.time.push_back(time);
      out.value.push_back(value);
    }
    t_.counters.push_back(std::move(out));
  }
}

void Assembly::makeMemory() {
  for (std::size_t i = 0; i < c_.memory.size(); ++i) {
    const EventBatch::Memory& raw = c_.memory[i];
    if (!mine(raw.track)) continue;
    MemoryEvent event = raw.event;
    event.time -= t_.origin;
    event.track = trackOfRaw_[raw.track];
    t_.memory.push_back(event);
  }
  release(c_.memory);
  std::stable_sort(t_.memory.begin(), t_.memory.end(),
                   [](const MemoryEvent& a, const MemoryEvent& b) { return a.time < b.time; });
}

void Assembly::makeLinks() {
  std::vector<std::vector<TrackId>> tracksOfLane(c_.lanes.size());
  for (std::size_t i = 0; i < t_.tracks.size(); ++i)
    tracksOfLane[c_.tracks[rawTrackOf_[i]].lane].push_back(TrackId(i));
  std::vector<EventBatch::Flow> flows;
  flows.reserve(only_ ? 0 : c_.flows.size());
  for (std::size_t i = 0; i < c_.flows.size(); ++i) {
    EventBatch::Flow flow = c_.flows[i];
    flow.lane = merged_.lane[flow.lane];
    const std::int64_t rank = c_.rankOfLane(flow.lane);
    if (only_ && rank != rank_ && rank != kNoRank) continue;
    flow.ts -= t_.origin;
    for (StringId* id : {&flow.id, &flow.category, &flow.name}) *id = text(*id);
    flows.push_back(flow);
  }
  release(c_.flows);
  linkAll(t_, std::move(flows), tracksOfLane, task_);
}

TraceTables Assembly::run() {
  t_.info = c_.info;
  findOrigin();
  makeTracks();
  makeDevices();
  placeSlices();
  if (task_.cancelled()) return {};
  gather();
  if (task_.cancelled()) return {};
  sparseColumns();
  makeInstants();
  makeCounters();
  makeMemory();
  if (task_.cancelled()) return {};
  for (const StringId category : c_.categoryTexts) t_.categoryTexts.push_back(text(category));
  for (const ShapeTexts& s : c_.shapes)
    t_.shapes.push_back({text(s.dims), text(s.types), text(s.concrete), text(s.strides)});
  for (CollectiveArgs a : c_.collectives) {
    for (StringId* id : {&a.name, &a.dtype, &a.group, &a.groupDescription, &a.ranks})
      *id = text(*id);
    t_.collectives.push_back(a);
  }
  t_.args = c_.argsReader;
  nameTracks(t_);
  makeLinks();
  return std::move(t_);
}

}  // namespace

TraceTables assemble(Collected& c, const Merged& merged, bool only, std::int64_t rank,
                     const Task& task) {
  return Assembly(c, merged, only, rank, task).run();
}

}  // namespace ridgeline::build
