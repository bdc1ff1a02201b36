#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "core/trace/nesting.h"
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

/// One rank being taken out of what was collected.
class Assembly {
 public:
  Assembly(Collected& c, bool only, std::int64_t rank) : c_(c), only_(only), rank_(rank) {}

  TraceTables run();

 private:
  [[nodiscard]] bool mine(std::uint32_t track) const {
    return !only_ || c_.rankOfTrack(track) == rank_ || c_.rankOfTrack(track) == kNoRank;
  }
  StringId text(StringId id) {
    // A single rank takes the pool as it is; several ranks copy what they use.
    return only_ ? (id.valid() ? t_.strings.intern(c_.strings.text(id)) : id) : id;
  }
  void findOrigin();
  void makeTracks();
  void makeDevices();
  void placeSlices();
  void fillRows(std::span<const std::uint32_t> order, TrackId track);
  void gather();
  void sparseColumns();
  void makeInstants();
  void makeCounters();
  void makeMemory();

  Collected& c_;
  const bool only_;
  const std::int64_t rank_;
  TraceTables t_;
  std::vector<TrackId> trackOfRaw_;
  std::vector<std::uint32_t> rawTrackOf_;  // by TrackId
  std::vector<std::uint32_t> rawOf_;       // by SliceId: raw slice
  std::vector<std::uint32_t> sliceOfRaw_;  // by raw slice: SliceId
  std::vector<SliceId> parentOf_;          // by SliceId
};

void Assembly::findOrigin() {
  TimeNs first = std::numeric_limits<TimeNs>::max();
  TimeNs last = std::numeric_limits<TimeNs>::min();
  const auto see = [&](TimeNs begin, TimeNs end) {
    first = std::min(first, begin);
    last = std::max(last, end);
  };
  for (const RawSlice& s : c_.slices)
    if (mine(s.track)) see(s.start, s.end);
  for (const RawInstant& i : c_.instants)
    if (mine(i.track)) see(i.ts, i.ts);
  for (const RawCounter& k : c_.counters)
    if (mine(k.track)) see(k.ts, k.ts);
  if (first > last) first = last = 0;
  t_.origin = first;
  t_.span = {0, last - first};
}

void Assembly::makeTracks() {
  std::vector<std::uint32_t> raws;
  for (std::uint32_t i = 0; i < c_.tracks.size(); ++i)
    if (mine(i)) raws.push_back(i);

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
    track.name = r.asyncName.valid() ? text(r.asyncName) : text(lane.name);
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
  std::vector<std::uint32_t> order;
  order.reserve(c_.slices.size());
  for (std::uint32_t i = 0; i < c_.slices.size(); ++i)
    if (mine(c_.slices[i].track)) order.push_back(i);
  std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    const RawSlice& x = c_.slices[a];
    const RawSlice& y = c_.slices[b];
    const std::uint32_t tx = trackOfRaw_[x.track].value;
    const std::uint32_t ty = trackOfRaw_[y.track].value;
    return std::tie(tx, x.start, y.end, a) < std::tie(ty, y.start, x.end, b);
  });
  rawOf_.reserve(order.size());
  parentOf_.reserve(order.size());
  std::size_t at = 0;
  for (std::size_t track = 0; track < t_.tracks.size(); ++track) {
    const std::size_t begin = at;
    while (at < order.size() && trackOfRaw_[c_.slices[order[at]].track].index() == track) ++at;
    fillRows(std::span(order).subspan(begin, at - begin), TrackId(track));
  }
}

void Assembly::fillRows(std::span<const std::uint32_t> order, TrackId trackId) {
  std::vector<TimeSpan> spans;
  spans.reserve(order.size());
  for (const std::uint32_t raw : order) spans.push_back({c_.slices[raw].start, c_.slices[raw].end});
  const Nesting nesting = nest(spans);
  const std::uint32_t rowCount = std::uint32_t{nesting.nestedRows} + nesting.spillRows;
  Track& track = t_.tracks[trackId.index()];
  track.firstRow = RowId(t_.rows.size());
  track.rowCount = rowCount;
  std::vector<std::uint32_t> next(rowCount + 1, 0);
  for (const Placement& p : nesting.placements) ++next[p.row + 1u];
  std::partial_sum(next.begin(), next.end(), next.begin());
  const auto base = static_cast<std::uint32_t>(rawOf_.size());
  for (std::uint32_t row = 0; row < rowCount; ++row)
    t_.rows.push_back({trackId, static_cast<std::uint16_t>(row), row >= nesting.nestedRows,
                       base + next[row], base + next[row + 1]});
  rawOf_.resize(base + order.size());
  parentOf_.resize(base + order.size());
  std::vector<std::uint32_t> slot(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    slot[k] = base + next[nesting.placements[k].row]++;
    rawOf_[slot[k]] = order[k];
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint32_t parent = nesting.placements[k].parent;
    if (parent != 0xFFFFFFFFu) parentOf_[slot[k]] = SliceId(slot[parent]);
  }
}

void Assembly::gather() {
  SliceTable& s = t_.slices;
  const std::size_t n = rawOf_.size();
  const auto resizeAll = [n](auto&... columns) { (columns.resize(n), ...); };
  resizeAll(s.start, s.end, s.name, s.category, s.flags, s.categoryText, s.row, s.shape,
            s.argsOffset, s.argsLength);
  sliceOfRaw_.assign(c_.slices.size(), kNone);
  for (std::size_t i = 0; i < n; ++i) {
    const RawSlice& raw = c_.slices[rawOf_[i]];
    s.start[i] = raw.start - t_.origin;
    s.end[i] = raw.end - t_.origin;
    s.name[i] = text(raw.name);
    s.category[i] = raw.category;
    s.flags[i] = static_cast<std::uint8_t>(
        raw.flags | (c_.tracks[raw.track].kind == TrackKind::async ? SliceTable::kAsync : 0));
    s.categoryText[i] = raw.categoryText;
    s.shape[i] = raw.shape;
    s.argsOffset[i] = raw.argsOffset;
    s.argsLength[i] = raw.argsLength;
    sliceOfRaw_[rawOf_[i]] = static_cast<std::uint32_t>(i);
  }
  s.parent = std::move(parentOf_);
  for (std::size_t r = 0; r < t_.rows.size(); ++r)
    for (std::uint32_t i = t_.rows[r].first; i < t_.rows[r].last; ++i) s.row[i] = RowId(r);
}

void Assembly::sparseColumns() {
  const auto take = [this](const auto& raw, auto& column) {
    using Column = std::remove_reference_t<decltype(column)>;
    std::vector<typename Column::Entry> entries;
    entries.reserve(raw.size());
    for (const auto& value : raw)
      if (sliceOfRaw_[value.slice] != kNone)
        entries.push_back({SliceId(sliceOfRaw_[value.slice]), value.value});
    column.assign(std::move(entries));
  };
  const SparseValues& v = c_.sparse;
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
    const RawInstant& x = c_.instants[a];
    const RawInstant& y = c_.instants[b];
    return std::tie(trackOfRaw_[x.track], x.ts) < std::tie(trackOfRaw_[y.track], y.ts);
  });
  for (const std::uint32_t i : order) {
    const RawInstant& raw = c_.instants[i];
    t_.instants.time.push_back(raw.ts - t_.origin);
    t_.instants.name.push_back(text(raw.name));
    t_.instants.track.push_back(trackOfRaw_[raw.track]);
    t_.instants.args.push_back(raw.args);
  }
}

void Assembly::makeCounters() {
  std::map<std::pair<TrackId, StringId>, std::vector<std::pair<TimeNs, double>>> series;
  for (const RawCounter& raw : c_.counters)
    if (mine(raw.track))
      series[{trackOfRaw_[raw.track], raw.series}].emplace_back(raw.ts - t_.origin, raw.value);
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
  for (const RawMemory& raw : c_.memory) {
    if (!mine(raw.track)) continue;
    MemoryEvent event = raw.event;
    event.time -= t_.origin;
    event.track = trackOfRaw_[raw.track];
    t_.memory.push_back(event);
  }
  std::stable_sort(t_.memory.begin(), t_.memory.end(),
                   [](const MemoryEvent& a, const MemoryEvent& b) { return a.time < b.time; });
}

TraceTables Assembly::run() {
  t_.info = c_.info;
  findOrigin();
  makeTracks();
  makeDevices();
  placeSlices();
  gather();
  sparseColumns();
  makeInstants();
  makeCounters();
  makeMemory();
  for (const StringId category : c_.categoryTexts) t_.categoryTexts.push_back(text(category));
  for (const ShapeTexts& s : c_.shapes)
    t_.shapes.push_back({text(s.dims), text(s.types), text(s.concrete), text(s.strides)});
  for (CollectiveArgs a : c_.collectives) {
    for (StringId* id : {&a.name, &a.dtype, &a.group, &a.groupDescription, &a.ranks})
      *id = text(*id);
    t_.collectives.push_back(a);
  }
  t_.args = c_.argsReader;
  std::vector<std::vector<TrackId>> tracksOfLane(c_.lanes.size());
  for (std::size_t i = 0; i < t_.tracks.size(); ++i)
    tracksOfLane[c_.tracks[rawTrackOf_[i]].lane].push_back(TrackId(i));
  std::vector<RawFlow> flows;
  for (RawFlow flow : c_.flows) {
    const std::int64_t rank = c_.processes[c_.lanes[flow.lane].process].rank;
    if (only_ && rank != rank_ && rank != kNoRank) continue;
    flow.ts -= t_.origin;
    for (StringId* id : {&flow.id, &flow.category, &flow.name}) *id = text(*id);
    flows.push_back(flow);
  }
  nameTracks(t_);
  linkAll(t_, flows, tracksOfLane);
  return std::move(t_);
}

}  // namespace

TraceTables assemble(Collected& c, bool only, std::int64_t rank) {
  return Assembly(c, only, rank).run();
}

}  // namespace ridgeline::build
