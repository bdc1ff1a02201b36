#include "core/io/rocprof_reader.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/io/args_files.h"
#include "core/io/event_fields.h"
#include "core/io/json_cursor.h"
#include "core/io/json_stream.h"
#include "core/io/rocprof_tables.h"

namespace ridgeline {

namespace {

constexpr std::int64_t kAbsent = EventArgs::kAbsent;

/// How the records of one list become events.
struct RecordKind {
  enum class As { kernel, copy, call, marker };
  std::string_view list;
  As as;
  std::string_view category;
};
constexpr RecordKind kKinds[] = {{"kernel_dispatch", RecordKind::As::kernel, "kernel"},
                                 {"counter_collection", RecordKind::As::kernel, "kernel"},
                                 {"memory_copy", RecordKind::As::copy, "gpu_memcpy"},
                                 {"hip_api", RecordKind::As::call, "hip_runtime"},
                                 {"hip_api_ext", RecordKind::As::call, "hip_runtime"},
                                 {"hsa_api", RecordKind::As::call, "hsa_runtime"},
                                 {"rccl_api", RecordKind::As::call, "rccl_api"},
                                 {"rocdecode_api", RecordKind::As::call, "rocdecode_api"},
                                 {"rocjpeg_api", RecordKind::As::call, "rocjpeg_api"},
                                 {"memory_allocation", RecordKind::As::call, "memory_allocation"},
                                 {"scratch_memory", RecordKind::As::call, "scratch_memory"},
                                 {"marker_api", RecordKind::As::marker, "user_annotation"}};

class RocprofReader {
 public:
  RocprofReader(ByteSource& source, TraceBuilder& builder, const Task& task)
      : source_(source), builder_(builder), task_(task), json_(source) {}

  Status run();

 private:
  void readProcesses();
  void readProcess();
  void readMember(std::string_view key);
  void readMetadata(std::string_view text);
  void readStrings();
  void readRecords();
  void readList(std::string_view name);
  template <class Take>
  void eachElement(Take&& take);
  void takeRecord(const RecordKind& kind, std::string_view text);
  void addKernel(const RecordKind& kind, const RocprofRecord& r, Event& event);
  void addCopy(const RocprofRecord& r, Event& event);
  void setDeviceLane(std::int64_t agent, const RocprofRecord& r, Event& event);
  [[nodiscard]] std::int64_t correlationOf(const RocprofRecord& r) const;
  void addAgent(std::string_view text);
  void drop(std::string_view key, std::string_view sentence, std::string_view text);
  /// The text ended, or what stands here is no JSON: nothing more is read.
  void stop();
  [[nodiscard]] std::uint64_t place() const { return json_.valueOffset(); }

  ByteSource& source_;
  TraceBuilder& builder_;
  const Task& task_;
  JsonStream json_;
  RocprofTables tables_;
  std::shared_ptr<PackedArgs> packed_;
  std::unique_ptr<ArgsPacker> packer_;
  std::string pid_;
  std::string name_, devicePid_, lane_;  ///< of the event being made
  bool byQueue_ = false;
  bool stopped_ = false;
  std::uint64_t records_ = 0;
  std::uint64_t processes_ = 0;
};

void RocprofReader::stop() {
  if (stopped_) return;
  stopped_ = true;
  if (task_.cancelled()) return;
  ++builder_.log().repaired;
  if (json_.ended())
    builder_.log().note("unclosed_object", "the file ends before its closing bracket", false,
                        json_.offset());
  else
    builder_.log().note("unreadable_entry", "what follows is not JSON", true, json_.offset());
}

void RocprofReader::drop(std::string_view key, std::string_view sentence, std::string_view text) {
  ++builder_.log().read;
  ++builder_.log().dropped;
  builder_.log().note(key, sentence, true, place(), text);
}

/// Each value of the list that comes next.
template <class Take>
void RocprofReader::eachElement(Take&& take) {
  if (!json_.take('[')) {
    if (!json_.skip()) stop();
    return;
  }
  while (!stopped_ && json_.peek() != ']') {
    const auto value = json_.value();
    if (!value) return stop();
    take(*value);
    if (!json_.take(',') && json_.peek() != ']') return stop();
    if ((++records_ & 0xFFF) != 0) continue;
    if (task_.cancelled()) return stop();
    task_.report({source_.consumed(), source_.size(), builder_.eventCount()});
  }
  if (!stopped_) json_.take(']');
}

void RocprofReader::addAgent(std::string_view text) {
  const RocprofTables::Agent* agent = tables_.addAgent(text);
  if (agent == nullptr)
    return drop("unreadable_record", "records that are not valid JSON were left out", text);
  if (agent->gpu) builder_.addDevice(agent->device);
  const std::string pid = (agent->gpu ? "GPU " : "agent ") + std::to_string(agent->device.ordinal);
  Event event;
  event.phase = 'M';
  event.name = "process_name";
  event.pid = pid;
  event.args.metadataName = agent->device.name;
  event.inputOffset = place();
  builder_.add(event);
}

void RocprofReader::readMetadata(std::string_view text) {
  JsonCursor cursor(text);
  if (!cursor.take('{')) return;
  std::string command = "host";
  while (cursor.peek() == '"') {
    const std::string_view key = cursor.rawString();
    if (!cursor.take(':')) break;
    const std::string_view value = cursor.rawValue();
    if (cursor.failed()) break;
    if (key == "pid") pid_ = unquoted(value);
    if (key == "config") {
      const std::size_t at = value.find("\"group_by_queue\"");
      byQueue_ = at != value.npos && value.substr(at, 24).find("true") != value.npos;
    }
    if (key == "command" && value.size() > 2) {
      JsonCursor list(value);
      std::string buffer;
      if (list.take('[')) command = unescaped(unquoted(list.rawValue()), buffer);
      command = command.substr(command.rfind('/') + 1);
    }
    if (!cursor.take(',')) break;
  }
  builder_.info().metadata.emplace_back("metadata", text);
  Event event;
  event.phase = 'M';
  event.name = "process_name";
  event.pid = pid_;
  event.args.metadataName = command;
  event.inputOffset = place();
  builder_.add(event);
}

void RocprofReader::readStrings() {
  if (!json_.take('{')) {
    if (!json_.skip()) stop();
    return;
  }
  while (!stopped_ && json_.peek() != '}') {
    const auto key = json_.key();
    if (!key) return stop();
    const std::string name(*key);
    if (name == "buffer_records")
      eachElement([&](std::string_view v) { tables_.addKind(v); });
    else if (name == "marker_api")
      eachElement([&](std::string_view v) { tables_.addMarker(v); });
    else if (!json_.skip())
      return stop();
    if (!json_.take(',') && json_.peek() != '}') return stop();
  }
  if (!stopped_) json_.take('}');
}

void RocprofReader::setDeviceLane(std::int64_t agentHandle, const RocprofRecord& r, Event& event) {
  const RocprofTables::Agent* agent = tables_.agent(agentHandle);
  const std::int64_t ordinal = agent != nullptr ? agent->device.ordinal : agentHandle;
  const bool stream = r.stream != kAbsent && (!byQueue_ || r.queue == kAbsent);
  const std::int64_t lane = stream ? r.stream : r.queue;
  devicePid_ = "GPU " + std::to_string(ordinal == kAbsent ? 0 : ordinal);
  lane_ = lane == kAbsent ? "copies" : std::to_string(lane);
  event.pid = devicePid_;
  event.tid = lane_;
  event.args.device = ordinal == kAbsent ? 0 : ordinal;
  event.args.stream = lane;
}

/// Each process of a file counts its correlations from one.
std::int64_t RocprofReader::correlationOf(const RocprofRecord& r) const {
  constexpr std::int64_t kOfOneProcess = std::int64_t{1} << 40;
  const auto before = static_cast<std::int64_t>(processes_ - 1);
  if (r.correlation < 0 || r.correlation >= kOfOneProcess || before >= 1 << 20)
    return r.correlation;
  return before * kOfOneProcess + r.correlation;
}

void RocprofReader::addKernel(const RecordKind& kind, const RocprofRecord& r, Event& event) {
  name_ = tables_.kernelName(r.kernel);
  setDeviceLane(r.agent, r, event);
  event.category = kind.category;
  event.args.correlation = correlationOf(r);
}

void RocprofReader::addCopy(const RocprofRecord& r, Event& event) {
  name_ = tables_.operationName(r.kind, r.operation);
  if (name_.empty()) name_ = "MEMORY_COPY";
  const RocprofTables::Agent* to = tables_.agent(r.toAgent);
  setDeviceLane(to != nullptr && to->gpu ? r.toAgent : r.fromAgent, r, event);
  event.category = "gpu_memcpy";
  event.args.correlation = correlationOf(r);
  event.args.bytes = r.bytes;
}

void RocprofReader::takeRecord(const RecordKind& kind, std::string_view text) {
  RocprofRecord r;
  if (!readRocprofRecord(text, r))
    return drop("unreadable_record", "records that are not valid JSON were left out", text);
  if (r.start == kAbsent || r.end == kAbsent || r.start > kFarthestTime || r.end > kFarthestTime)
    return drop("record_without_time", "records without a start and an end were left out", text);
  Event event;
  event.ts = r.start;
  event.dur = r.end - r.start;  // a negative one is mended and told by the builder
  event.inputOffset = place();
  event.argsSpan = {place(), static_cast<std::uint32_t>(text.size())};
  if (kind.as == RecordKind::As::kernel) {
    addKernel(kind, r, event);
  } else if (kind.as == RecordKind::As::copy) {
    addCopy(r, event);
  } else {
    name_ = tables_.operationName(r.kind, r.operation);
    if (name_.empty()) name_ = kind.list;
    const std::string_view message = tables_.marker(r.correlation);
    if (kind.as == RecordKind::As::marker) {
      if (name_.find("Mark") != name_.npos) event.phase = 'i';
      if (!message.empty()) name_ = message;
    }
    lane_ = r.thread == kAbsent ? "" : std::to_string(r.thread);
    event.pid = pid_;
    event.tid = lane_;
    event.category = kind.category;
    if (kind.as == RecordKind::As::call) event.args.correlation = correlationOf(r);
  }
  event.name = name_;
  builder_.add(event);
  if (packer_) packer_->add(place(), text);
}

void RocprofReader::readList(std::string_view name) {
  for (const RecordKind& kind : kKinds)
    if (kind.list == name)
      return eachElement([&](std::string_view text) { takeRecord(kind, text); });
  const std::string key = "records_of_" + std::string(name);
  const std::string sentence =
      "records of the kind " + std::string(name) + " have no place on the timeline here";
  eachElement([&](std::string_view text) { drop(key, sentence, text); });
}

void RocprofReader::readRecords() {
  if (!json_.take('{')) {
    if (!json_.skip()) stop();
    return;
  }
  while (!stopped_ && json_.peek() != '}') {
    const auto key = json_.key();
    if (!key) return stop();
    readList(std::string(*key));
    if (!stopped_ && !json_.take(',') && json_.peek() != '}') return stop();
  }
  if (!stopped_) json_.take('}');
}

void RocprofReader::readMember(std::string_view key) {
  if (key == "metadata") {
    const auto text = json_.value();
    if (!text) return stop();
    readMetadata(*text);
  } else if (key == "agents") {
    eachElement([&](std::string_view text) { addAgent(text); });
  } else if (key == "kernel_symbols") {
    eachElement([&](std::string_view text) { tables_.addKernelSymbol(text); });
  } else if (key == "strings") {
    readStrings();
  } else if (key == "buffer_records" || key == "callback_records") {
    readRecords();
  } else if (!json_.skip()) {
    stop();
  }
}

void RocprofReader::readProcess() {
  if (!json_.take('{')) return stop();
  ++processes_;
  tables_ = RocprofTables();
  pid_ = std::to_string(processes_);
  while (!stopped_ && json_.peek() != '}') {
    const auto key = json_.key();
    if (!key) return stop();
    readMember(std::string(*key));
    if (!stopped_ && !json_.take(',') && json_.peek() != '}') return stop();
  }
  if (!stopped_) json_.take('}');
}

void RocprofReader::readProcesses() {
  if (!json_.take('[')) {
    readProcess();
    return;
  }
  while (!stopped_ && json_.peek() == '{') {
    readProcess();
    if (!stopped_ && !json_.take(',')) break;
  }
  if (!stopped_ && !json_.take(']')) stop();
}

Status RocprofReader::run() {
  builder_.info().producer = "rocprofv3 (ROCm)";
  if (auto inFile = argsInFile(source_)) {
    builder_.setArgs(std::move(inFile));
  } else {
    packed_ = std::make_shared<PackedArgs>();
    packer_ = std::make_unique<ArgsPacker>();
    builder_.setArgs(packed_);
  }
  if (json_.take('{')) {
    while (!stopped_ && json_.peek() != '}') {
      const auto key = json_.key();
      if (!key) {
        stop();
      } else if (*key == "rocprofiler-sdk-tool") {
        readProcesses();
      } else if (!json_.skip()) {
        stop();
      }
      if (!stopped_ && !json_.take(',') && json_.peek() != '}') stop();
    }
  }
  if (task_.cancelled()) return Cancelled{};
  if (packed_) packed_->append(packer_->take());
  builder_.info().textBytes = json_.offset();
  for (const SourceDamage& damage : source_.damage()) {
    ++builder_.log().repaired;
    builder_.log().note(damage.key, damage.sentence, damage.lost, damage.offset);
  }
  if (processes_ > 0) return Done{};
  return Error{"the file holds no records of rocprofv3", source_.name(),
               "Record again: rocprofv3 --sys-trace --output-format json -- PROGRAM."};
}

}  // namespace

Status readRocprof(ByteSource& source, TraceBuilder& builder, const Task& task,
                   const LoadOptions&) {
  return RocprofReader(source, builder, task).run();
}

}  // namespace ridgeline
