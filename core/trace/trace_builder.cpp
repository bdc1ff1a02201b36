#include "core/trace/trace_builder.h"

#include <limits>
#include <unordered_map>

#include "core/base/id_table.h"
#include "core/base/release_later.h"
#include "core/trace/interned_hash.h"
#include "core/trace/trace_builder_state.h"

namespace ridgeline {

using namespace build;

namespace {

/// From the ids of one collector to those of the builder.
struct Translation {
  ColumnVector<std::uint32_t> texts, lanes, tracks, categories, shapes, collectives, xla;

  [[nodiscard]] StringId text(StringId id) const {
    return id.valid() ? StringId(texts[id.index()]) : id;
  }
};

std::uint32_t& slot(ColumnVector<std::uint32_t>& map, std::uint32_t id) {
  if (id >= map.size()) map.resize(id + std::size_t{1} + id / 2, kNone);
  return map[id];
}

constexpr std::uint64_t kFlushAt = 4096;

}  // namespace

struct TraceBuilder::State : Collected {
  IdTable processByKey, laneByKey, trackByKey;
  std::unordered_map<StringId, std::uint32_t> categoryByText;
  std::unordered_map<ShapeTexts, std::uint32_t, InternedHash> shapeByTexts;
  std::unordered_map<CollectiveArgs, std::uint32_t, InternedHash> collectiveByArgs;
  std::unordered_map<XlaArgs, std::uint32_t, InternedHash> xlaByArgs;
  std::unordered_map<std::uint32_t, Translation> translations;  ///< by collector
  EventCollector own;                                           ///< for events added one by one
  EventBatch ownBatch;
  std::uint64_t events = 0;

  void flush();
  void merge(const EventBatch& batch, const Task& task);
  /// Gives back what only merging needs.
  void endMerging() {
    processByKey = laneByKey = trackByKey = {};
    translations = {};
  }
  void mergeUses(const EventBatch& batch, Translation& to, const Task& task);
  void mergeLane(const EventBatch::Lane& lane, Translation& to);
  void mergeTrack(const EventBatch::Track& track, Translation& to);
  void mergeSlices(const EventBatch& batch, const Translation& to);
  void mergeRest(const EventBatch& batch, const Translation& to, const Task& task);
  void mergeMetadata(const EventBatch::Metadata& m, const Translation& to);
};

void TraceBuilder::State::flush() {
  if (own.batch().empty()) return;
  own.swap(ownBatch);
  merge(ownBatch, {});
}

void TraceBuilder::State::mergeLane(const EventBatch::Lane& lane, Translation& to) {
  std::uint32_t& mapped = slot(to.lanes, lane.id);
  if (mapped != kNone) return;
  const StringId pid(to.texts[lane.pid]);
  const StringId tid(to.texts[lane.tid]);
  const std::uint32_t process = processByKey.findOrAdd(
      mixHash(pid.value, static_cast<std::uint64_t>(lane.rank)), processes.size(),
      [&](std::uint32_t i) { return processes[i].pid == pid && processes[i].rank == lane.rank; });
  if (process == processes.size())
    processes.push_back({pid, lane.rank, {}, {}, EventArgs::kAbsent});
  mapped = laneByKey.findOrAdd(mixHash(process, tid.value), lanes.size(), [&](std::uint32_t i) {
    return lanes[i].process == process && lanes[i].tid == tid;
  });
  if (mapped < lanes.size()) return;
  RawLane added;
  added.process = process;
  added.tid = tid;
  lanes.push_back(added);
}

void TraceBuilder::State::mergeTrack(const EventBatch::Track& track, Translation& to) {
  std::uint32_t& mapped = slot(to.tracks, track.id);
  if (mapped != kNone) return;
  const std::uint32_t lane = to.lanes[track.lane];
  const StringId counterName = to.text(track.counterName);
  mapped = trackByKey.findOrAdd(
      hashOfTrack(lane, track.kind, counterName), tracks.size(), [&](std::uint32_t i) {
        const RawTrack& other = tracks[i];
        return other.lane == lane && other.kind == track.kind && other.counterName == counterName;
      });
  if (mapped < tracks.size()) return;
  RawTrack added;
  added.lane = lane;
  added.kind = track.kind;
  added.counterName = counterName;
  added.device = track.device;
  added.stream = track.stream;
  tracks.push_back(added);
}

void TraceBuilder::State::mergeUses(const EventBatch& batch, Translation& to, const Task& task) {
  Poll poll(task);
  for (const EventBatch::Text& text : batch.texts) {
    if (poll.stop()) return;
    if (std::uint32_t& mapped = slot(to.texts, text.id); mapped == kNone)
      mapped = strings.intern(text.text).value;
  }
  // Where there are a million lanes, their tables grow all at once.
  if (poll.stopNow()) return;
  for (const EventBatch::Lane& lane : batch.lanes) mergeLane(lane, to);
  if (poll.stopNow()) return;
  for (const EventBatch::Track& track : batch.tracks) mergeTrack(track, to);
  for (const auto& [id, name] : batch.categories) {
    const StringId text = to.text(name);
    const auto [it, isNew] =
        categoryByText.emplace(text, static_cast<std::uint32_t>(categoryTexts.size()));
    if (isNew && categoryTexts.size() >= std::numeric_limits<std::uint16_t>::max()) {
      it->second = 0;
    } else if (isNew) {
      categoryTexts.push_back(text);
      categoryKinds.push_back(ridgeline::categoryOf(strings.text(text)));
    }
    slot(to.categories, id) = it->second;
  }
  for (const auto& [id, local] : batch.shapes) {
    const ShapeTexts texts{to.text(local.dims), to.text(local.types), to.text(local.concrete),
                           to.text(local.strides)};
    const auto [it, isNew] = shapeByTexts.emplace(texts, static_cast<std::uint32_t>(shapes.size()));
    if (isNew) shapes.push_back(texts);
    slot(to.shapes, id) = it->second;
  }
  for (const auto& [id, local] : batch.collectives) {
    CollectiveArgs args = local;
    for (StringId* text :
         {&args.name, &args.dtype, &args.group, &args.groupDescription, &args.ranks})
      *text = to.text(*text);
    const auto [it, isNew] =
        collectiveByArgs.emplace(args, static_cast<std::uint32_t>(collectives.size()));
    if (isNew) collectives.push_back(args);
    slot(to.collectives, id) = it->second;
  }
  for (const auto& [id, local] : batch.xlaArgs) {
    XlaArgs args = local;
    for (StringId* text : {&args.category, &args.op, &args.module, &args.shape, &args.frameworkOp})
      *text = to.text(*text);
    const auto [it, isNew] = xlaByArgs.emplace(args, static_cast<std::uint32_t>(xla.size()));
    if (isNew) xla.push_back(args);
    slot(to.xla, id) = it->second;
  }
}

void TraceBuilder::State::mergeSlices(const EventBatch& batch, const Translation& to) {
  const auto base = static_cast<std::uint32_t>(slices.size());
  const EventBatch::Slice* s = batch.slices.data();
  const std::size_t n = batch.slices.size();
  slices.start.append(n, [s](std::size_t i) { return s[i].start; });
  slices.end.append(n, [s](std::size_t i) { return s[i].end; });
  slices.argsOffset.append(n, [s](std::size_t i) { return s[i].argsOffset; });
  slices.argsLength.append(n, [s](std::size_t i) { return s[i].argsLength; });
  slices.track.append(n, [&](std::size_t i) {
    const std::uint32_t track = to.tracks[s[i].track];
    ++tracks[track].slices;
    return track;
  });
  slices.name.append(n, [&](std::size_t i) { return to.texts[s[i].name]; });
  slices.shape.append(
      n, [&](std::size_t i) { return s[i].shape == kNone ? kNone : to.shapes[s[i].shape]; });
  slices.category.append(
      n, [&](std::size_t i) { return static_cast<std::uint16_t>(to.categories[s[i].category]); });
  const auto take = [base](const EventBatch::Values& from, RawValues& column) {
    column.slice.append(from.size(), [&](std::size_t i) { return base + from[i].slice; });
    column.value.append(from.size(), [&](std::size_t i) { return from[i].value; });
  };
  take(batch.correlation, sparse.correlation);
  take(batch.externalId, sparse.externalId);
  take(batch.bytes, sparse.bytes);
  take(batch.sequence, sparse.sequence);
  take(batch.forwardThread, sparse.forwardThread);
  take(batch.streamArg, sparse.streamArg);
  take(batch.graphId, sparse.graphId);
  take(batch.graphNode, sparse.graphNode);
  take(batch.waitOnStream, sparse.waitOnStream);
  take(batch.waitOnRecordCorrelation, sparse.waitOnRecordCorrelation);
  for (const auto& [slice, value] : batch.collective) {
    sparse.collective.slice.push_back(base + slice);
    sparse.collective.value.push_back(to.collectives[value]);
  }
  for (const auto& [slice, value] : batch.xla) {
    sparse.xla.slice.push_back(base + slice);
    sparse.xla.value.push_back(to.xla[value]);
  }
  const auto& fill = batch.fill;
  sparse.fill.slice.append(fill.size(), [&](std::size_t i) { return base + fill[i].slice; });
  sparse.fill.value.append(fill.size(), [&](std::size_t i) { return fill[i].value; });
}

void TraceBuilder::State::mergeMetadata(const EventBatch::Metadata& m, const Translation& to) {
  using Kind = EventBatch::MetadataKind;
  RawLane& lane = lanes[to.lanes[m.lane]];
  RawProcess& process = processes[lane.process];
  ++lane.metadata;
  const StringId text = to.text(m.text);
  if (m.kind == Kind::processName) process.name = text;
  if (m.kind == Kind::processLabels) process.labels = text;
  if (m.kind == Kind::processSortIndex) process.sortIndex = m.number;
  if (m.kind == Kind::threadName) lane.name = text;
  if (m.kind == Kind::threadSortIndex) lane.sortIndex = m.number;
}

void TraceBuilder::State::mergeRest(const EventBatch& batch, const Translation& to,
                                    const Task& task) {
  Poll poll(task);
  for (EventBatch::Mark mark : batch.marks) {
    mark.track = to.tracks[mark.track];
    mark.name = to.text(mark.name);
    mark.id = to.text(mark.id);
    mark.category = static_cast<std::uint16_t>(to.categories[mark.category]);
    marks.push_back(mark);
  }
  for (EventBatch::Instant instant : batch.instants) {
    instant.track = to.tracks[instant.track];
    instant.name = to.text(instant.name);
    ++tracks[instant.track].instants;
    instants.push_back(instant);
  }
  for (EventBatch::Flow flow : batch.flows) {
    flow.lane = to.lanes[flow.lane];
    if (flow.id.isText()) flow.id = EventBatch::FlowId::of(to.text(flow.id.text()));
    for (StringId* text : {&flow.category, &flow.name}) *text = to.text(*text);
    if (flow.counted) ++lanes[flow.lane].links;
    flows.push_back(flow);
  }
  for (const std::uint32_t track : batch.counterTracks) ++tracks[to.tracks[track]].counters;
  for (EventBatch::Counter counter : batch.counters) {
    if (poll.stop()) return;
    counter.track = to.tracks[counter.track];
    counter.series = to.text(counter.series);
    counters.push_back(counter);
  }
  for (EventBatch::Memory record : batch.memory) {
    record.track = to.tracks[record.track];
    memory.push_back(record);
  }
  for (const EventBatch::Metadata& m : batch.metadata) mergeMetadata(m, to);
}

void TraceBuilder::State::merge(const EventBatch& batch, const Task& task) {
  Translation& to = translations[batch.collector];
  mergeUses(batch, to, task);
  if (task.cancelled()) return;  // what follows relies on all that is used
  mergeSlices(batch, to);
  mergeRest(batch, to, task);
  events += batch.log.read;
  log.add(batch.log);
}

TraceBuilder::TraceBuilder() : s_(std::make_unique<State>()) {}
TraceBuilder::~TraceBuilder() {
  releaseLater(std::shared_ptr<const State>(std::move(s_)));
}

void TraceBuilder::addDevice(const Device& device) {
  s_->devices.push_back(device);
}
TraceInfo& TraceBuilder::info() {
  return s_->info;
}
ImportLog& TraceBuilder::log() {
  s_->flush();
  return s_->log;
}
void TraceBuilder::setArgs(std::shared_ptr<const ArgsReader> args) {
  s_->argsReader = std::move(args);
}
std::uint64_t TraceBuilder::eventCount() const {
  return s_->events + s_->own.batch().log.read;
}
std::uint64_t TraceBuilder::sliceCount() const {
  return s_->slices.size() + s_->marks.size();
}

void TraceBuilder::add(const Event& event) {
  s_->own.add(event);
  if (s_->own.batch().log.read >= kFlushAt) s_->flush();
}

void TraceBuilder::merge(const EventBatch& batch, const Task& task) {
  s_->flush();
  s_->merge(batch, task);
}

namespace {

/// What the input events of one rank (or of none) became.
ImportLog countsOf(const Collected& c, std::int64_t rank) {
  ImportLog log;
  for (const RawTrack& track : c.tracks) {
    if (c.rankOfLane(track.lane) != rank) continue;
    log.slices += track.slices;
    log.instants += track.instants;
    log.counters += track.counters;
    log.dropped += track.dropped;
  }
  for (std::uint32_t i = 0; i < c.lanes.size(); ++i) {
    if (c.rankOfLane(i) != rank) continue;
    log.links += c.lanes[i].links;
    log.metadata += c.lanes[i].metadata;
  }
  return log;
}

/// What is known once all events are there, and the slices of the B and E.
Merged prepare(Collected& c, const Task& task) {
  recogniseRanks(c, task);
  Merged merged = mergeLanes(c, task);
  if (!task.cancelled()) pairMarks(c, merged, task);
  if (!task.cancelled()) recogniseDialect(c, task);
  return merged;
}

}  // namespace

std::vector<std::shared_ptr<const Trace>> TraceBuilder::finish(const Task& task) {
  s_->flush();
  State& s = *s_;
  s.endMerging();
  const Merged merged = prepare(s, task);
  const std::vector<std::int64_t> ranks = ranksIn(s, task);
  std::vector<std::shared_ptr<const Trace>> traces;
  if (task.cancelled()) {
    // There is nothing to assemble.
  } else if (!s.severalRanks) {
    ImportLog all = s.log;
    all.add(countsOf(s, kNoRank));
    TraceTables tables = assemble(s, merged, false, kNoRank, task);
    all.add(tables.importLog);
    tables.importLog = std::move(all);
    if (!tables.info.rank && ranks.size() == 1) tables.info.rank = ranks.front();
    traces.push_back(std::make_shared<const Trace>(std::move(tables)));
  } else {
    for (const std::int64_t rank : ranks) {
      if (task.cancelled()) break;
      TraceTables tables = assemble(s, merged, true, rank, task);
      tables.info.rank = rank;
      ImportLog& log = tables.importLog;
      // Events that name no rank, and the reader's own findings, are told with the first rank.
      if (traces.empty()) {
        log.add(countsOf(s, kNoRank));
        log.add(s.log);
      }
      log.add(countsOf(s, rank));
      log.read = log.slices + log.instants + log.counters + log.links + log.metadata + log.dropped;
      traces.push_back(std::make_shared<const Trace>(std::move(tables)));
    }
  }
  releaseLater(std::shared_ptr<const State>(std::exchange(s_, std::make_unique<State>())));
  if (!task.cancelled()) return traces;
  for (auto& trace : traces) releaseLater(std::move(trace));
  return {};
}

}  // namespace ridgeline
