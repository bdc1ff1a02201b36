#include "core/trace/trace_builder.h"

#include <charconv>
#include <limits>
#include <set>

#include "core/trace/trace_builder_state.h"

namespace ridgeline {

using namespace build;

struct TraceBuilder::State : Collected {
  std::unordered_map<std::string, std::uint32_t> processByKey;
  std::unordered_map<std::string, std::int64_t> rankByPid;
  std::unordered_map<std::uint64_t, std::uint32_t> laneByKey;
  std::unordered_map<std::uint64_t, std::uint32_t> trackByKey;
  std::unordered_map<std::string, std::uint16_t> categoryByText;
  std::unordered_map<ShapeTexts, ShapeId, ShapeHash> shapeByTexts;
  std::unordered_map<std::string, CollectiveId> collectiveByKey;
  // The last of each kind looked up: neighbours in a file mostly share them.
  std::string lastPid, lastTid, lastCategory;
  std::int64_t lastRank = kNoRank;
  std::uint32_t lastLane = kNone;
  std::uint16_t lastCategoryIndex = 0;

  std::uint32_t processOf(std::string_view pid, std::int64_t rank);
  std::uint32_t laneOf(const Event& event);
  std::uint32_t trackOf(const Event& event, TrackKind kind, StringId asyncName = {});
  std::uint16_t categoryIndex(std::string_view text);
  ShapeId shapeOf(const EventArgs& args);
  CollectiveId collectiveOf(const EventArgs& args);
  StringId optionalText(std::string_view text) {
    return text.empty() ? StringId() : strings.intern(text);
  }

  void addSlice(const Event& event);
  void addMark(const Event& event, bool async, bool begin);
  void addInstant(const Event& event);
  void addFlow(const Event& event);
  void addCounter(const Event& event);
  void addMetadata(const Event& event);
  void addSparse(const EventArgs& args, std::uint32_t slice);
};

std::uint32_t TraceBuilder::State::processOf(std::string_view pid, std::int64_t rank) {
  std::string key(pid);
  if (rank == kNoRank) {
    const auto known = rankByPid.find(key);
    if (known != rankByPid.end()) rank = known->second;
  } else {
    rankByPid.emplace(key, rank);
  }
  key += '\0';
  if (rank != kNoRank) key += std::to_string(rank);
  const auto [it, isNew] =
      processByKey.emplace(std::move(key), static_cast<std::uint32_t>(processes.size()));
  if (isNew) processes.push_back({strings.intern(pid), rank, {}, {}, EventArgs::kAbsent});
  return it->second;
}

std::uint32_t TraceBuilder::State::laneOf(const Event& event) {
  if (lastLane != kNone && event.pid == lastPid && event.tid == lastTid &&
      event.args.rank == lastRank)
    return lastLane;
  const std::uint32_t process = processOf(event.pid, event.args.rank);
  const StringId tid = strings.intern(event.tid);
  const std::uint64_t key = (std::uint64_t{process} << 32) | tid.value;
  const auto [it, isNew] = laneByKey.emplace(key, static_cast<std::uint32_t>(lanes.size()));
  if (isNew) lanes.push_back({process, tid, {}, EventArgs::kAbsent});
  lastPid = event.pid;
  lastTid = event.tid;
  lastRank = event.args.rank;
  lastLane = it->second;
  return lastLane;
}

namespace {

/// The number in "7", "stream 7", "stream 7 " …; absent if there is none.
std::int64_t trailingNumber(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::size_t at = text.size();
  while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9') --at;
  std::int64_t value = EventArgs::kAbsent;
  if (at < text.size()) std::from_chars(text.data() + at, text.data() + text.size(), value);
  return value;
}

TrackKind trackKindOf(Category category) {
  switch (category) {
    case Category::kernel:
    case Category::memcpy:
    case Category::memset:
      return TrackKind::stream;
    case Category::deviceAnnotation:
      return TrackKind::deviceAnnotation;
    case Category::sync:
      return TrackKind::deviceSync;
    case Category::overhead:
      return TrackKind::overhead;
    case Category::profilerSpan:
      return TrackKind::other;
    default:
      return TrackKind::thread;
  }
}

}  // namespace

std::uint32_t TraceBuilder::State::trackOf(const Event& event, TrackKind kind, StringId asyncName) {
  const std::uint32_t lane = laneOf(event);
  const std::uint64_t key = (std::uint64_t{lane} << 32) |
                            (std::uint64_t{static_cast<std::uint8_t>(kind)} << 28) |
                            (asyncName.valid() ? (asyncName.value & 0x0FFFFFFFu) : 0x0FFFFFFFu);
  const auto [it, isNew] = trackByKey.emplace(key, static_cast<std::uint32_t>(tracks.size()));
  if (!isNew) return it->second;
  RawTrack track{lane, kind, asyncName, EventArgs::kAbsent, EventArgs::kAbsent};
  if (kind == TrackKind::stream || kind == TrackKind::deviceAnnotation ||
      kind == TrackKind::deviceSync) {
    track.device = event.args.device;
    if (track.device == EventArgs::kAbsent) track.device = trailingNumber(event.pid);
    track.stream = event.args.stream;
    if (track.stream == EventArgs::kAbsent || kind != TrackKind::stream) {
      const std::int64_t byLane = trailingNumber(event.tid);
      if (byLane != EventArgs::kAbsent) track.stream = byLane;
    }
  }
  tracks.push_back(track);
  return it->second;
}

std::uint16_t TraceBuilder::State::categoryIndex(std::string_view text) {
  if (!categoryTexts.empty() && text == lastCategory) return lastCategoryIndex;
  const auto [it, isNew] =
      categoryByText.emplace(std::string(text), static_cast<std::uint16_t>(categoryTexts.size()));
  if (isNew) {
    if (categoryTexts.size() >= std::numeric_limits<std::uint16_t>::max()) {
      it->second = 0;  // 65,535 categories: the rest share the first one's text
    } else {
      categoryTexts.push_back(strings.intern(text));
      categoryKinds.push_back(ridgeline::categoryOf(text));
    }
  }
  lastCategory = text;
  lastCategoryIndex = it->second;
  return lastCategoryIndex;
}

ShapeId TraceBuilder::State::shapeOf(const EventArgs& args) {
  if (args.inputDims.empty() && args.inputTypes.empty() && args.concreteInputs.empty()) return {};
  const ShapeTexts texts{optionalText(args.inputDims), optionalText(args.inputTypes),
                         optionalText(args.concreteInputs), optionalText(args.inputStrides)};
  const auto [it, isNew] = shapeByTexts.emplace(texts, ShapeId(shapes.size()));
  if (isNew) shapes.push_back(texts);
  return it->second;
}

CollectiveId TraceBuilder::State::collectiveOf(const EventArgs& a) {
  std::string key;
  for (const std::string_view text : {a.collectiveName, a.collectiveDtype, a.processGroup,
                                      a.processGroupDescription, a.processGroupRanks})
    (key += text) += '\0';
  for (const std::int64_t value : {a.inElements, a.outElements, a.groupSize, a.collectiveSequence})
    (key += std::to_string(value)) += '\0';
  const auto [it, isNew] =
      collectiveByKey.emplace(std::move(key), CollectiveId(collectives.size()));
  if (isNew)
    collectives.push_back({optionalText(a.collectiveName), optionalText(a.collectiveDtype),
                           optionalText(a.processGroup), optionalText(a.processGroupDescription),
                           optionalText(a.processGroupRanks), a.inElements, a.outElements,
                           a.groupSize, a.collectiveSequence});
  return it->second;
}

void TraceBuilder::State::addSparse(const EventArgs& a, std::uint32_t slice) {
  const auto put = [slice](auto& column, std::int64_t value) {
    if (value != EventArgs::kAbsent) column.push_back({slice, value});
  };
  put(sparse.correlation, a.correlation);
  put(sparse.externalId, a.externalId);
  put(sparse.bytes, a.bytes);
  put(sparse.sequence, a.sequence);
  put(sparse.forwardThread, a.forwardThread);
  put(sparse.streamArg, a.stream);
  put(sparse.graphId, a.graphId);
  put(sparse.graphNode, a.graphNode);
  put(sparse.waitOnStream, a.waitOnStream);
  put(sparse.waitOnRecordCorrelation, a.waitOnRecordCorrelation);
  if (!a.collectiveName.empty()) sparse.collective.push_back({slice, collectiveOf(a)});
}

void TraceBuilder::State::addSlice(const Event& event) {
  const std::uint16_t category = categoryIndex(event.category);
  const Category kind = categoryKinds[category];
  const std::uint32_t track = trackOf(event, trackKindOf(kind));
  ImportLog& log = logOfTrack(track);
  ++log.slices;
  TimeNs dur = event.dur;
  if (dur < 0) {
    ++log.repaired;
    log.note("negative_duration", "events with a negative duration were given duration 0", false,
             event.inputOffset, event.name);
    dur = 0;
  }
  if (event.ts > std::numeric_limits<TimeNs>::max() - dur) {
    ++log.repaired;
    log.note("overflowing_duration", "events whose end lies beyond 64-bit nanoseconds were cut",
             false, event.inputOffset, event.name);
    dur = std::numeric_limits<TimeNs>::max() - event.ts;
  }
  const auto index = static_cast<std::uint32_t>(slices.size());
  slices.push_back({event.ts, event.ts + dur, track, strings.intern(event.name),
                    event.argsSpan.offset, event.argsSpan.length, shapeOf(event.args), category,
                    kind, 0});
  addSparse(event.args, index);
}

void TraceBuilder::State::addMark(const Event& event, bool async, bool begin) {
  const std::uint16_t category = categoryIndex(event.category);
  const TrackKind kind = async ? TrackKind::async : trackKindOf(categoryKinds[category]);
  const std::uint32_t track = trackOf(event, kind);
  marks.push_back({event.ts, track, strings.intern(event.name),
                   async ? strings.intern(event.id) : StringId(), event.argsSpan, event.inputOffset,
                   category, categoryKinds[category], begin});
}

void TraceBuilder::State::addInstant(const Event& event) {
  const std::uint32_t track =
      trackOf(event, event.phase == 'n' ? TrackKind::async : TrackKind::thread);
  ++logOfTrack(track).instants;
  instants.push_back({event.ts, track, strings.intern(event.name), event.argsSpan});
  if (event.name != "[memory]" || event.args.bytes == EventArgs::kAbsent) return;
  RawMemory memoryEvent;
  memoryEvent.track = track;
  memoryEvent.event.time = event.ts;
  memoryEvent.event.address = event.args.address;
  memoryEvent.event.bytes = event.args.bytes;
  memoryEvent.event.totalAllocated = event.args.totalAllocated;
  memoryEvent.event.totalReserved = event.args.totalReserved;
  memoryEvent.event.deviceType = event.args.deviceType;
  memoryEvent.event.deviceIndex = event.args.device;
  memory.push_back(memoryEvent);
}

void TraceBuilder::State::addFlow(const Event& event) {
  const std::uint32_t lane = laneOf(event);
  ++logs[processes[lanes[lane].process].rank].links;
  flows.push_back({event.ts, strings.intern(event.id), strings.intern(event.category),
                   strings.intern(event.name), lane, event.phase, event.bindEnclosing});
}

void TraceBuilder::State::addCounter(const Event& event) {
  const std::uint32_t track = trackOf(event, TrackKind::counter, strings.intern(event.name));
  ++logOfTrack(track).counters;
  for (const auto& [series, value] : event.counterValues)
    counters.push_back({event.ts, track, strings.intern(series), value});
}

void TraceBuilder::State::addMetadata(const Event& event) {
  const std::uint32_t lane = laneOf(event);
  RawProcess& process = processes[lanes[lane].process];
  ++logs[process.rank].metadata;
  if (event.name == "process_name") {
    process.name = optionalText(event.args.metadataName);
  } else if (event.name == "process_labels") {
    process.labels = optionalText(event.args.metadataName);
  } else if (event.name == "process_sort_index") {
    process.sortIndex = event.args.sortIndex;
  } else if (event.name == "thread_name") {
    lanes[lane].name = optionalText(event.args.metadataName);
  } else if (event.name == "thread_sort_index") {
    lanes[lane].sortIndex = event.args.sortIndex;
  }
}

TraceBuilder::TraceBuilder() : s_(std::make_unique<State>()) {}
TraceBuilder::~TraceBuilder() = default;

void TraceBuilder::addDevice(const Device& device) {
  s_->devices.push_back(device);
}
TraceInfo& TraceBuilder::info() {
  return s_->info;
}
ImportLog& TraceBuilder::log() {
  return s_->readerLog;
}
void TraceBuilder::setArgs(std::shared_ptr<const ArgsReader> args) {
  s_->argsReader = std::move(args);
}

void TraceBuilder::add(const Event& event) {
  ++s_->readerLog.read;
  switch (event.phase) {
    case 'X':
      return s_->addSlice(event);
    case 'B':
      return s_->addMark(event, false, true);
    case 'E':
      return s_->addMark(event, false, false);
    case 'b':
    case 'S':
      return s_->addMark(event, true, true);
    case 'e':
    case 'F':
      return s_->addMark(event, true, false);
    case 'i':
    case 'I':
    case 'R':
    case 'n':
    case 'T':
      return s_->addInstant(event);
    case 's':
    case 't':
    case 'f':
      return s_->addFlow(event);
    case 'C':
      return s_->addCounter(event);
    case 'M':
      return s_->addMetadata(event);
    default:
      ++s_->readerLog.dropped;
      s_->readerLog.note(
          "unknown_phase", "events of a phase that has no place on a timeline were left out", true,
          event.inputOffset, std::string(1, event.phase) + " " + std::string(event.name));
  }
}

std::vector<std::shared_ptr<const Trace>> TraceBuilder::finish() {
  State& s = *s_;
  pairMarks(s);
  std::set<std::int64_t> ranks;
  for (const RawTrack& track : s.tracks) {
    const std::int64_t rank = s.processes[s.lanes[track.lane].process].rank;
    if (rank != kNoRank) ranks.insert(rank);
  }
  std::vector<std::shared_ptr<const Trace>> traces;
  if (ranks.size() < 2) {
    ImportLog all = s.readerLog;
    for (const auto& [rank, log] : s.logs) all.add(log);
    TraceTables tables = assemble(s, false, kNoRank);
    all.add(tables.importLog);
    tables.importLog = std::move(all);
    if (!tables.info.rank && ranks.size() == 1) tables.info.rank = *ranks.begin();
    traces.push_back(std::make_shared<const Trace>(std::move(tables)));
  } else {
    for (const std::int64_t rank : ranks) {
      TraceTables tables = assemble(s, true, rank);
      tables.info.rank = rank;
      ImportLog& log = tables.importLog;
      const bool first = traces.empty();
      // Events that name no rank, and the reader's own findings, are told with the first rank.
      if (first) log.add(s.logs[kNoRank]);
      log.add(s.logs[rank]);
      if (first) {
        ImportLog reader = s.readerLog;
        reader.read = 0;
        log.add(reader);
      }
      log.read = log.slices + log.instants + log.counters + log.links + log.metadata + log.dropped;
      traces.push_back(std::make_shared<const Trace>(std::move(tables)));
    }
  }
  s_ = std::make_unique<State>();
  return traces;
}

}  // namespace ridgeline
