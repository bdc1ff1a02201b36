#include "core/trace/event_batch.h"

#include <array>
#include <atomic>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "core/base/id_table.h"
#include "core/base/release_later.h"
#include "core/base/string_pool.h"
#include "core/base/text_bits.h"
#include "core/trace/event_batch_keys.h"
#include "core/trace/kernel_fill.h"

namespace ridgeline {

using namespace batch;

namespace {

constexpr std::int64_t kAbsent = EventArgs::kAbsent;
constexpr std::uint32_t kNone = 0xFFFFFFFFu;

/// The number in "7", "stream 7", "stream 7 " …; absent if there is none.
std::int64_t trailingNumber(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::size_t at = text.size();
  while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9') --at;
  std::int64_t value = kAbsent;
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

EventBatch::MetadataKind metadataKindOf(std::string_view name) {
  using Kind = EventBatch::MetadataKind;
  if (name == "process_name") return Kind::processName;
  if (name == "process_labels") return Kind::processLabels;
  if (name == "process_sort_index") return Kind::processSortIndex;
  if (name == "thread_name") return Kind::threadName;
  if (name == "thread_sort_index") return Kind::threadSortIndex;
  return Kind::other;
}

}  // namespace

void EventBatch::clear() {
  const auto clearAll = [](auto&... lists) { (lists.clear(), ...); };
  clearAll(texts, lanes, tracks, categories, shapes, collectives, xlaArgs, slices, marks, instants,
           flows, counterTracks, counters, memory, metadata, correlation, externalId, bytes,
           sequence, forwardThread, streamArg, graphId, graphNode, waitOnStream,
           waitOnRecordCorrelation, collective, xla, fill);
  log = ImportLog();
}

struct EventCollector::State {
  EventBatch batch;
  std::uint32_t stamp = 1;
  StringPool strings;
  Stamps textUse, laneUse, trackUse, categoryUse, shapeUse, collectiveUse, xlaUse;
  IdTable laneByKey;
  ColumnVector<LaneKey> laneKeys;
  ColumnVector<std::array<std::uint32_t, 8>> tracksOfLane;  ///< by kind; counters stand apart
  IdTable counterByKey;
  ColumnVector<TrackKey> counterKeys;
  ColumnVector<std::uint32_t> counterTracks;  ///< by counter
  std::uint32_t trackCount = 0;
  std::vector<StringId> categoryTexts;
  std::vector<Category> categoryKinds;
  std::unordered_map<StringId, std::uint16_t> categoryByText;
  std::unordered_map<ShapeTexts, std::uint32_t, KeyHash> shapeByTexts;
  std::unordered_map<CollectiveArgs, std::uint32_t, KeyHash> collectiveByArgs;
  std::unordered_map<XlaArgs, std::uint32_t, KeyHash> xlaByArgs;
  /// The lanes met last: neighbours in a file mostly share them.
  struct KnownLane {
    std::string_view pid, tid;
    std::int64_t rank = kAbsent;
    std::uint32_t lane = kNone;
  };
  std::array<KnownLane, 64> knownLanes{};
  std::string_view lastCategory;
  std::uint16_t lastCategoryIndex = 0;
  bool anyCategory = false;

  StringId text(std::string_view text);
  using FlowId = EventBatch::FlowId;
  FlowId flowIdOf(std::string_view text);
  StringId optionalText(std::string_view t) { return t.empty() ? StringId() : text(t); }
  std::uint32_t laneOf(const Event& event);
  std::uint32_t findLane(const Event& event);
  std::uint32_t trackOf(const Event& event, TrackKind kind, StringId counterName = {});
  std::uint16_t categoryOf(std::string_view text);
  std::uint32_t shapeOf(const EventArgs& args);
  std::uint32_t collectiveOf(const EventArgs& args);
  std::uint32_t xlaOf(const EventArgs& args);
  void addSlice(const Event& event);
  void addSparse(const EventArgs& args, std::uint32_t slice);
  void addMark(const Event& event, bool async, bool begin);
  void addInstant(const Event& event);
  void addFlow(const Event& event);
  void addBoundFlow(const Event& event);
  StringId asyncId(const Event& event);
  void addCounter(const Event& event, const Task& task);
  void addMetadata(const Event& event);
};

EventBatch::FlowId EventCollector::State::flowIdOf(std::string_view t) {
  std::uint64_t number = 0;
  std::size_t i = 0;
  while (i < t.size() && i < 18 && t[i] >= '0' && t[i] <= '9')
    number = number * 10 + static_cast<std::uint64_t>(t[i++] - '0');
  // "07" is another id than "7".
  if (i > 0 && i == t.size() && (t.front() != '0' || i == 1)) return {number << 1 | 1};
  return FlowId::of(text(t));
}

StringId EventCollector::State::text(std::string_view t) {
  const StringId id = strings.intern(t);
  if (textUse.first(id.value, stamp)) batch.texts.push_back({id.value, strings.text(id)});
  return id;
}

std::uint32_t EventCollector::State::findLane(const Event& event) {
  const auto sample = [](std::string_view t) {
    return t.empty() ? 0u : static_cast<unsigned char>(t.back()) + t.size() * 7;
  };
  KnownLane& known = knownLanes[(sample(event.pid) * 31 + sample(event.tid)) % knownLanes.size()];
  if (known.lane != kNone && sameText(known.pid, event.pid) && sameText(known.tid, event.tid) &&
      known.rank == event.args.rank)
    return known.lane;
  const LaneKey key{strings.intern(event.pid).value, strings.intern(event.tid).value,
                    event.args.rank};
  const std::uint32_t lane = laneByKey.findOrAdd(
      KeyHash()(key), laneKeys.size(), [&](std::uint32_t other) { return laneKeys[other] == key; });
  if (lane == laneKeys.size()) {
    laneKeys.push_back(key);
    std::array<std::uint32_t, 8> none{};
    none.fill(kNone);
    tracksOfLane.push_back(none);
  }
  known = {strings.text(StringId(key.pid)), strings.text(StringId(key.tid)), key.rank, lane};
  return lane;
}

std::uint32_t EventCollector::State::laneOf(const Event& event) {
  const std::uint32_t lane = findLane(event);
  if (laneUse.first(lane, stamp)) {
    const LaneKey& key = laneKeys[lane];
    static_cast<void>(text(strings.text(StringId(key.pid))));
    static_cast<void>(text(strings.text(StringId(key.tid))));
    batch.lanes.push_back({lane, key.pid, key.tid, key.rank});
  }
  return lane;
}

std::uint32_t EventCollector::State::trackOf(const Event& event, TrackKind kind,
                                             StringId counterName) {
  const std::uint32_t lane = laneOf(event);
  std::uint32_t track = kNone;
  if (kind == TrackKind::counter) {
    const TrackKey key{lane, kind, counterName};
    const std::uint32_t counter =
        counterByKey.findOrAdd(KeyHash()(key), counterKeys.size(),
                               [&](std::uint32_t other) { return counterKeys[other] == key; });
    if (counter == counterKeys.size()) {
      counterKeys.push_back(key);
      counterTracks.push_back(trackCount++);
    }
    track = counterTracks[counter];
  } else {
    std::uint32_t& slot = tracksOfLane[lane][static_cast<std::size_t>(kind)];
    if (slot == kNone) slot = trackCount++;
    track = slot;
  }
  if (!trackUse.first(track, stamp)) return track;
  EventBatch::Track use{track, lane, kind, counterName, kAbsent, kAbsent};
  if (kind == TrackKind::stream || kind == TrackKind::deviceAnnotation ||
      kind == TrackKind::deviceSync) {
    use.device = event.args.device;
    if (use.device == kAbsent) use.device = trailingNumber(event.pid);
    use.stream = event.args.stream;
    if (use.stream == kAbsent || kind != TrackKind::stream) {
      const std::int64_t byLane = trailingNumber(event.tid);
      if (byLane != kAbsent) use.stream = byLane;
    }
  }
  batch.tracks.push_back(use);
  return track;
}

std::uint16_t EventCollector::State::categoryOf(std::string_view t) {
  if (!anyCategory || !sameText(t, lastCategory)) {
    const StringId id = strings.intern(t);
    const auto [it, isNew] =
        categoryByText.emplace(id, static_cast<std::uint16_t>(categoryTexts.size()));
    if (isNew) {
      if (categoryTexts.size() >= std::numeric_limits<std::uint16_t>::max()) {
        it->second = 0;  // 65,535 categories: the rest share the first one's text
      } else {
        categoryTexts.push_back(id);
        categoryKinds.push_back(ridgeline::categoryOf(t));
      }
    }
    anyCategory = true;
    lastCategory = strings.text(categoryTexts[it->second]);
    lastCategoryIndex = it->second;
  }
  if (categoryUse.first(lastCategoryIndex, stamp)) {
    const StringId id = categoryTexts[lastCategoryIndex];
    static_cast<void>(text(strings.text(id)));
    batch.categories.push_back({lastCategoryIndex, id});
  }
  return lastCategoryIndex;
}

std::uint32_t EventCollector::State::shapeOf(const EventArgs& args) {
  if (args.inputDims.empty() && args.inputTypes.empty() && args.concreteInputs.empty())
    return kNone;
  const ShapeTexts texts{optionalText(args.inputDims), optionalText(args.inputTypes),
                         optionalText(args.concreteInputs), optionalText(args.inputStrides)};
  const auto [it, isNew] =
      shapeByTexts.emplace(texts, static_cast<std::uint32_t>(shapeByTexts.size()));
  if (shapeUse.first(it->second, stamp)) batch.shapes.push_back({it->second, texts});
  return it->second;
}

std::uint32_t EventCollector::State::collectiveOf(const EventArgs& a) {
  const CollectiveArgs args{optionalText(a.collectiveName),
                            optionalText(a.collectiveDtype),
                            optionalText(a.processGroup),
                            optionalText(a.processGroupDescription),
                            optionalText(a.processGroupRanks),
                            a.inElements,
                            a.outElements,
                            a.groupSize,
                            a.collectiveSequence};
  const auto [it, isNew] =
      collectiveByArgs.emplace(args, static_cast<std::uint32_t>(collectiveByArgs.size()));
  if (collectiveUse.first(it->second, stamp)) batch.collectives.push_back({it->second, args});
  return it->second;
}

std::uint32_t EventCollector::State::xlaOf(const EventArgs& a) {
  const XlaArgs args{optionalText(a.hloCategory),
                     optionalText(a.hloOp),
                     optionalText(a.hloModule),
                     optionalText(a.hloShape),
                     optionalText(a.metadataName.empty() ? a.frameworkOp : a.metadataName),
                     a.modelFlops,
                     a.bytesAccessed,
                     a.stepNumber};
  const auto [it, isNew] = xlaByArgs.emplace(args, static_cast<std::uint32_t>(xlaByArgs.size()));
  if (xlaUse.first(it->second, stamp)) batch.xlaArgs.push_back({it->second, args});
  return it->second;
}

void EventCollector::State::addSparse(const EventArgs& a, std::uint32_t slice) {
  const auto put = [slice](auto& column, std::int64_t value) {
    if (value != kAbsent) column.push_back({slice, value});
  };
  put(batch.correlation, a.correlation);
  put(batch.externalId, a.externalId);
  put(batch.bytes, a.bytes);
  put(batch.sequence, a.sequence);
  put(batch.forwardThread, a.forwardThread);
  put(batch.streamArg, a.stream);
  put(batch.graphId, a.graphId);
  put(batch.graphNode, a.graphNode);
  put(batch.waitOnStream, a.waitOnStream);
  put(batch.waitOnRecordCorrelation, a.waitOnRecordCorrelation);
  if (!a.collectiveName.empty()) batch.collective.push_back({slice, collectiveOf(a)});
  if (a.ofXla()) batch.xla.push_back({slice, xlaOf(a)});
  if (const KernelFill fill(a.blocksPerSm, a.occupancyPercent); fill.known())
    batch.fill.push_back({slice, fill.packed()});
}

void EventCollector::State::addSlice(const Event& event) {
  constexpr TimeNs kLast = std::numeric_limits<TimeNs>::max() / 2;
  const std::uint16_t category = categoryOf(event.category);
  const TrackKind kind = event.async ? TrackKind::async : trackKindOf(categoryKinds[category]);
  const std::uint32_t track = trackOf(event, kind);
  TimeNs dur = event.dur;
  if (dur < 0) {
    ++batch.log.repaired;
    batch.log.note("negative_duration", "events with a negative duration were given duration 0",
                   false, event.inputOffset, event.name);
    dur = 0;
  }
  if (event.ts > kLast - dur) {
    ++batch.log.repaired;
    batch.log.note("overflowing_duration",
                   "events whose end lies beyond 64-bit nanoseconds were cut", false,
                   event.inputOffset, event.name);
    dur = event.ts > kLast ? 0 : kLast - event.ts;
  }
  const auto index = static_cast<std::uint32_t>(batch.slices.size());
  const std::uint32_t name = text(event.name).value;
  batch.slices.push_back({event.ts, event.ts + dur, event.argsSpan.offset, event.argsSpan.length,
                          track, name, shapeOf(event.args), category});
  addSparse(event.args, index);
}

/// What b and e, or S and F, have in common: the category and the id, and of the legacy ones the
/// name as well.
StringId EventCollector::State::asyncId(const Event& event) {
  std::string key(event.category);
  key += '\x1F';
  key += event.id;
  if (event.phase == 'S' || event.phase == 'F') {
    key += '\x1F';
    key += event.name;
  }
  return text(key);
}

void EventCollector::State::addMark(const Event& event, bool async, bool begin) {
  const std::uint16_t category = categoryOf(event.category);
  const TrackKind kind = async ? TrackKind::async : trackKindOf(categoryKinds[category]);
  const std::uint32_t track = trackOf(event, kind);
  const StringId name = text(event.name);
  const StringId id = async ? asyncId(event) : StringId();
  batch.marks.push_back(
      {event.ts, event.argsSpan, event.inputOffset, track, name, id, category, begin});
}

void EventCollector::State::addInstant(const Event& event) {
  const bool async = event.phase == 'n' || event.phase == 'T' || event.phase == 'p';
  const std::uint32_t track = trackOf(event, async ? TrackKind::async : TrackKind::thread);
  batch.instants.push_back({event.ts, event.argsSpan, track, text(event.name)});
  if (event.name != "[memory]" || event.args.bytes == kAbsent) return;
  EventBatch::Memory memory{{}, track};
  memory.event.time = event.ts;
  memory.event.address = event.args.address;
  memory.event.bytes = event.args.bytes;
  memory.event.totalAllocated = event.args.totalAllocated;
  memory.event.totalReserved = event.args.totalReserved;
  memory.event.deviceType = event.args.deviceType;
  memory.event.deviceIndex = event.args.device;
  batch.memory.push_back(memory);
}

void EventCollector::State::addFlow(const Event& event) {
  const std::uint32_t lane = laneOf(event);
  const FlowId id = flowIdOf(event.id);
  const StringId category = text(event.category);
  batch.flows.push_back(
      {event.ts, id, category, text(event.name), lane, event.phase, event.bindEnclosing, true});
}

/// The arrow of a slice with a bind_id: known by the id alone, whatever the slices are called.
void EventCollector::State::addBoundFlow(const Event& event) {
  if (!event.flowIn && !event.flowOut) return;
  const char phase = !event.flowIn ? 's' : event.flowOut ? 't' : 'f';
  const StringId none = text({});
  const FlowId id = flowIdOf(event.bindId);
  batch.flows.push_back({event.ts, id, none, none, laneOf(event), phase, true, false});
}

void EventCollector::State::addCounter(const Event& event, const Task& task) {
  // Counters of one name but several ids are several.
  const StringId name = event.id.empty()
                            ? text(event.name)
                            : text(std::string(event.name) + '[' + std::string(event.id) + ']');
  const std::uint32_t track = trackOf(event, TrackKind::counter, name);
  batch.counterTracks.push_back(track);
  Poll poll(task);
  for (const auto& [series, value] : event.counterValues) {
    if (poll.stop()) return;
    batch.counters.push_back({event.ts, track, text(series), value});
  }
}

void EventCollector::State::addMetadata(const Event& event) {
  const std::uint32_t lane = laneOf(event);
  batch.metadata.push_back({lane, metadataKindOf(event.name), optionalText(event.args.metadataName),
                            event.args.sortIndex});
}

EventCollector::EventCollector() : s_(std::make_unique<State>()) {
  static std::atomic<std::uint32_t> next = 1;
  s_->batch.collector = next++;
}
EventCollector::~EventCollector() {
  releaseLater(std::shared_ptr<const State>(std::move(s_)));
}

EventBatch& EventCollector::batch() {
  return s_->batch;
}

void EventCollector::swap(EventBatch& to) {
  const std::uint32_t id = s_->batch.collector;
  to.clear();
  std::swap(s_->batch, to);
  s_->batch.collector = id;
  ++s_->stamp;
}

namespace {

/// Events that are on no timeline elsewhere; here they are marks, and that is said.
void noteMark(const Event& event, ImportLog& log) {
  if (event.phase == 'P')
    log.note("sample_event", "samples (P) are shown as marks", false, event.inputOffset,
             event.name);
  else if (event.phase == 'v' || event.phase == 'V')
    log.note("memory_dump", "memory dumps (v, V) are shown as marks", false, event.inputOffset,
             event.name);
  else
    log.note("object_event", "objects (N, O, D) are shown as marks", false, event.inputOffset,
             event.name);
}

}  // namespace

void EventCollector::add(const Event& event) {
  static const Task kNobody;
  add(event, kNobody);
}

void EventCollector::add(const Event& event, const Task& task) {
  ++s_->batch.log.read;
  switch (event.phase) {
    case 'X':
      s_->addSlice(event);
      if (!event.bindId.empty()) s_->addBoundFlow(event);
      return;
    case 'B':
      s_->addMark(event, false, true);
      if (!event.bindId.empty()) s_->addBoundFlow(event);
      return;
    case 'E':
      return s_->addMark(event, false, false);
    case 'b':
    case 'S':
      return s_->addMark(event, true, true);
    case 'e':
    case 'F':
      return s_->addMark(event, true, false);
    case 'P':
    case 'N':
    case 'O':
    case 'D':
    case 'v':
    case 'V':
      noteMark(event, s_->batch.log);
      return s_->addInstant(event);
    case 'i':
    case 'I':
    case 'R':
    case 'n':
    case 'T':
    case 'p':
      return s_->addInstant(event);
    case 's':
    case 't':
    case 'f':
      return s_->addFlow(event);
    case 'C':
      return s_->addCounter(event, task);
    case 'M':
    case 'c':  // clock synchronisation
    case '(':  // contexts and linked ids
    case ')':
    case '=':
      return s_->addMetadata(event);
    default:
      ++s_->batch.log.dropped;
      s_->batch.log.note("unknown_phase", "events of a phase that nobody knows were left out", true,
                         event.inputOffset,
                         std::string(1, event.phase) + " " + std::string(event.name));
  }
}

}  // namespace ridgeline
