#include <array>
#include <limits>

#include "core/io/nsight_import.h"

namespace ridgeline {

namespace {

using Column = NsightColumn;

constexpr std::int64_t kAbsent = EventArgs::kAbsent;
/// Times beyond are no times; sums of two still fit.
constexpr std::int64_t kFarthestTime = std::int64_t{1} << 61;
bool isFar(std::int64_t time) {
  return time > kFarthestTime || time < -kFarthestTime;
}
constexpr std::int64_t kNoStream = 0xFFFFFFFF;  // CUPTI_SYNCHRONIZATION_INVALID_VALUE

/// ENUM_CUDA_MEMCPY_OPER, as Kineto writes it.
std::string_view copyName(std::int64_t kind) {
  static constexpr std::array<std::string_view, 14> kNames = {"Memcpy",
                                                              "Memcpy HtoD",
                                                              "Memcpy DtoH",
                                                              "Memcpy HtoA",
                                                              "Memcpy AtoH",
                                                              "Memcpy AtoA",
                                                              "Memcpy AtoD",
                                                              "Memcpy DtoA",
                                                              "Memcpy DtoD",
                                                              "Memcpy HtoH",
                                                              "Memcpy PtoP",
                                                              "Memcpy HtoD (unified memory)",
                                                              "Memcpy DtoH (unified memory)",
                                                              "Memcpy DtoD (unified memory)"};
  return kind >= 0 && kind < static_cast<std::int64_t>(kNames.size())
             ? kNames[static_cast<std::size_t>(kind)]
             : kNames[0];
}

/// ENUM_CUDA_MEM_KIND.
std::string_view memoryName(std::int64_t kind) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"};
  return kind >= 0 && kind < static_cast<std::int64_t>(kNames.size())
             ? kNames[static_cast<std::size_t>(kind)]
             : "Unknown";
}

/// ENUM_CUPTI_SYNC_TYPE, as Kineto writes it.
std::string_view syncName(std::int64_t type) {
  switch (type) {
    case 1:
      return "Event Sync";
    case 2:
      return "Stream Wait Event";
    case 3:
      return "Stream Sync";
    case 4:
      return "Context Sync";
    default:
      return "Synchronization";
  }
}

/// "cudaLaunchKernel_v7000" → "cudaLaunchKernel"; also "…_v7000_ptsz".
std::string_view withoutVersion(std::string_view name) {
  std::string_view rest = name;
  for (const std::string_view tail : {"_ptsz", "_ptds"})
    if (rest.ends_with(tail)) rest.remove_suffix(tail.size());
  const std::size_t last = rest.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == rest.size() || last == 0) return name;
  return rest[last] == 'v' && rest[last - 1] == '_' ? rest.substr(0, last - 1) : name;
}

/// NVTX_EVENTS.eventType (ENUM_NSYS_EVENT_TYPE); from 64 on those of nvtxt files.
enum class Nvtx {
  mark,
  push,
  pop,
  start,
  end,
  thread,
  pushPopRange,
  startEndRange,
  description,
  unknown
};

Nvtx nvtxKind(std::int64_t type) {
  switch (type) {
    case 34:
    case 65:
      return Nvtx::mark;
    case 35:
    case 66:
      return Nvtx::push;
    case 36:
    case 67:
      return Nvtx::pop;
    case 37:
    case 68:
      return Nvtx::start;
    case 38:
    case 69:
      return Nvtx::end;
    case 39:
    case 72:
      return Nvtx::thread;
    case 59:
    case 70:
      return Nvtx::pushPopRange;
    case 60:
    case 71:
      return Nvtx::startEndRange;
    case 33:
    case 64:
    case 73:
    case 74:
    case 75:
    case 76:
    case 97:
    case 98:
    case 99:
      return Nvtx::description;
    default:
      return Nvtx::unknown;
  }
}

}  // namespace

void NsightImport::eachRow(const std::string& table, const std::function<void(NsightRows&)>& row) {
  constexpr std::uint64_t kRowsBetweenReports = 16'384;
  if (cancelled_ || !file_.has(table)) return;
  NsightRows rows(file_, table, tables_.size(), builder_.log());
  tables_.push_back(table);
  std::uint64_t count = 0;
  while (rows.next()) {
    row(rows);
    if (++count % kRowsBetweenReports != 0) continue;
    task_.report({std::min(file_.bytesRead(), fileBytes_), fileBytes_, builder_.eventCount()});
    if (builder_.sliceCount() > TraceBuilder::kMostSlices) break;
  }
  cancelled_ |= rows.end() == SqliteRows::End::cancelled;
  if (rows.end() == SqliteRows::End::damaged)
    builder_.log().note("damaged_table",
                        "tables that could be read only in part, because the database is damaged",
                        true, ImportLog::kNoOffset,
                        table + " after " + std::to_string(count) + " rows: " + file_.lastError());
}

/// Which stream a CUDA event was last recorded on, for the waits on it.
void NsightImport::eventRecords() {
  constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
  if (!file_.has(kTable)) return;
  eachRow(kTable, [this](NsightRows& rows) {
    ++builder_.log().read;
    ++builder_.log().metadata;
    const auto context = rows.number(NsightColumn::contextId);
    const auto event = rows.number(NsightColumn::eventId);
    const auto stream = rows.number(NsightColumn::streamId);
    const Process& process = processOf(rows.number(NsightColumn::globalPid));
    const std::int64_t correlation = correlationOf(rows, process);
    if (event && stream && correlation != EventArgs::kAbsent)
      records_[{process.number, context.value_or(0), *event}].push_back({correlation, *stream});
  });
  for (auto& [key, records] : records_)
    std::sort(records.begin(), records.end(), [](const EventRecord& a, const EventRecord& b) {
      return a.correlation < b.correlation;
    });
}

NsightImport::Process& NsightImport::processOf(std::optional<std::int64_t> globalId) {
  // hardware id 8 bits, virtual machine 8, process 24, thread 24
  const std::int64_t key = globalId ? *globalId >> 24 : -1;
  const auto [it, isNew] = processes_.try_emplace(key);
  if (isNew) {
    if (globalId) it->second.pid = std::to_string(key & 0xFFFFFF);
    it->second.number = static_cast<std::int64_t>(processes_.size()) - 1;
  }
  return it->second;
}

NsightImport::Thread& NsightImport::threadOf(std::int64_t globalTid) {
  const auto [it, isNew] = threads_.try_emplace(globalTid);
  if (isNew) {
    it->second.process = &processOf(globalTid);
    it->second.tid = std::to_string(globalTid & 0xFFFFFF);
  }
  return it->second;
}

/// Correlations count anew in each process: with the process' number they are unique.
std::int64_t NsightImport::correlationOf(NsightRows& rows, const Process& process) {
  const auto value = rows.number(Column::correlationId);
  if (!value || *value <= 0 || *value > 0xFFFFFFFF || process.number >= (1 << 30)) return kAbsent;
  return process.number << 32 | *value;
}

void NsightImport::drop(NsightRows& rows, std::string_view key, std::string_view sentence) {
  ImportLog& log = builder_.log();
  ++log.read;
  ++log.dropped;
  log.note(key, sentence, true, ImportLog::kNoOffset, rows.where());
}

bool NsightImport::setTimes(NsightRows& rows, Event& event) {
  const auto start = rows.number(rows.has(Column::start) ? Column::start : Column::timestamp);
  const auto end = rows.number(Column::end);
  if (!start) {
    drop(rows, "row_without_start", "rows without a start were left out");
    return false;
  }
  if (!end) {
    drop(rows, "row_without_end", "rows without an end were left out");
    return false;
  }
  if (isFar(*start) || isFar(*end)) {
    drop(rows, "time_out_of_range", "rows whose times are beyond 73 years were left out");
    return false;
  }
  event.ts = *start;
  event.dur = *end - *start;
  return true;
}

void NsightImport::setDevice(NsightRows& rows, Event& event) {
  const auto device = rows.number(Column::deviceId);
  const auto stream = rows.number(Column::streamId);
  const auto context = rows.number(Column::contextId);
  const Process& process = processOf(rows.number(Column::globalPid));
  event.args.device = device.value_or(kAbsent);
  event.args.rank = process.rank;
  event.args.correlation = correlationOf(rows, process);
  const auto [name, isNew] = deviceNames_.try_emplace(event.args.device);
  if (isNew) name->second = device ? "GPU " + std::to_string(*device) : "GPU";
  event.pid = name->second;
  // Streams are numbered in each context; of most programs there is but one.
  const std::int64_t first =
      firstContext_.try_emplace({process.number, device.value_or(0)}, context.value_or(0))
          .first->second;
  const std::int64_t other = context.value_or(0) == first ? kAbsent : *context;
  const bool none = !stream || *stream == kNoStream || *stream < 0;
  if (!none) event.args.stream = *stream;
  std::string& lane = laneNames_[{other, none ? kAbsent : *stream}];
  if (lane.empty()) {
    lane = none ? "all streams" : std::to_string(*stream);
    if (other != kAbsent) lane += " (context " + std::to_string(other) + ")";
  }
  event.tid = lane;
}

void NsightImport::deviceTable(const char* table,
                               void (NsightImport::*describe)(NsightRows&, Event&)) {
  eachRow(table, [&](NsightRows& rows) {
    Event event;
    event.inputOffset = ImportLog::kNoOffset;
    if (!setTimes(rows, event)) return;
    if (event.ts == 0 && event.dur == 0) {
      drop(rows, "no_times", "device work of which no times were recorded was left out");
      return;
    }
    setDevice(rows, event);
    (this->*describe)(rows, event);
    event.argsSpan = rows.args();
    builder_.add(event);
  });
}

void NsightImport::describeKernel(NsightRows& rows, Event& event) {
  event.category = "kernel";
  for (const Column column : {Column::demangledName, Column::shortName, Column::mangledName}) {
    event.name = strings_.text(rows.number(column));
    if (!event.name.empty()) break;
  }
  if (event.name.empty()) event.name = "(kernel without a name)";
  event.args.graphNode = rows.number(Column::graphNodeId).value_or(kAbsent);
}

void NsightImport::describeCopy(NsightRows& rows, Event& event) {
  event.category = "gpu_memcpy";
  text_ = copyName(rows.number(Column::copyKind).value_or(0));
  const auto from = rows.number(Column::srcKind);
  const auto to = rows.number(Column::dstKind);
  if (from && to && text_.back() != ')')
    text_.append(" (").append(memoryName(*from)).append(" -> ").append(memoryName(*to)).append(")");
  event.name = text_;
  event.args.bytes = rows.number(Column::bytes).value_or(kAbsent);
  event.args.graphNode = rows.number(Column::graphNodeId).value_or(kAbsent);
}

void NsightImport::describeFill(NsightRows& rows, Event& event) {
  event.category = "gpu_memset";
  text_ = "Memset";
  if (const auto kind = rows.number(Column::memKind))
    text_.append(" (").append(memoryName(*kind)).append(")");
  event.name = text_;
  event.args.bytes = rows.number(Column::bytes).value_or(kAbsent);
  event.args.graphNode = rows.number(Column::graphNodeId).value_or(kAbsent);
}

/// A whole graph as one piece of work: its kernels were not recorded (--cuda-graph-trace=graph).
void NsightImport::describeGraph(NsightRows& rows, Event& event) {
  event.category = "kernel";
  const auto graph = rows.number(Column::graphId);
  text_ = "CUDA graph" + (graph ? " " + std::to_string(*graph) : std::string());
  event.name = text_;
  event.args.graphId = graph.value_or(kAbsent);
}

void NsightImport::describeSync(NsightRows& rows, Event& event) {
  event.category = "cuda_sync";
  const std::int64_t type = rows.number(Column::syncType).value_or(0);
  event.name = syncName(type);
  const auto recorded = rows.number(Column::eventId);
  if (type != 2 || !recorded) return;
  const Process& process = processOf(rows.number(Column::globalPid));
  const auto found =
      records_.find({process.number, rows.number(Column::contextId).value_or(0), *recorded});
  if (found == records_.end()) return;
  // The record that the wait saw: the last one called before it.
  for (auto it = found->second.rbegin(); it != found->second.rend(); ++it)
    if (it->correlation < event.args.correlation) {
      event.args.waitOnStream = it->stream;
      event.args.waitOnRecordCorrelation = it->correlation;
      break;
    }
}

bool NsightImport::setThread(NsightRows& rows, Event& event) {
  const auto id = rows.number(Column::globalTid);
  if (!id) {
    drop(rows, "row_without_thread", "rows that name no thread were left out");
    return false;
  }
  Thread& thread = threadOf(*id);
  thread.used = thread.process->used = true;
  event.pid = thread.process->pid;
  event.tid = thread.tid;
  event.args.rank = thread.process->rank;
  return true;
}

void NsightImport::hostTable(const char* table, const char* category) {
  constexpr std::int64_t kOsStart = 31;
  constexpr std::int64_t kOsFinish = 32;
  const std::string_view kind = category;
  eachRow(table, [&](NsightRows& rows) {
    Event event;
    event.inputOffset = ImportLog::kNoOffset;
    if (!setTimes(rows, event) || !setThread(rows, event)) return;
    event.category = kind;
    event.name =
        strings_.text(rows.number(rows.has(Column::nameId) ? Column::nameId : Column::textId));
    if (event.name.empty()) event.name = kind == "overhead" ? "profiler overhead" : "(no name)";
    if (kind == "cuda_runtime" || kind == "cuda_driver") {
      event.args.correlation =
          correlationOf(rows, *threadOf(*rows.number(Column::globalTid)).process);
      event.name = withoutVersion(event.name);
      event.category = event.name.starts_with("cuda") ? "cuda_runtime" : "cuda_driver";
    }
    const std::int64_t kindOfRow = rows.number(Column::eventClass).value_or(0);
    if (kind == "os_runtime" && (kindOfRow == kOsStart || kindOfRow == kOsFinish))
      event.phase = 'i';
    event.argsSpan = rows.args();
    builder_.add(event);
  });
}

void NsightImport::nvtxTable() {
  eachRow("NVTX_EVENTS", [this](NsightRows& rows) { nvtxRow(rows); });
}

void NsightImport::nvtxRow(NsightRows& rows) {
  const auto type = rows.number(Column::eventType);
  const bool hasEnd = rows.number(Column::end).has_value();
  const Nvtx kind = type ? nvtxKind(*type) : hasEnd ? Nvtx::pushPopRange : Nvtx::mark;
  if (kind == Nvtx::description) {
    ++builder_.log().read;
    ++builder_.log().metadata;
    const auto thread = rows.number(Column::globalTid);
    if (*type == 75 && thread)  // NvtxDomainCreate
    {
      std::string_view name = rows.text(Column::text);
      if (name.empty()) name = strings_.text(rows.number(Column::textId));
      domains_[{*thread >> 24, rows.number(Column::domainId).value_or(0)}] = name;
    }
    return;
  }
  if (kind == Nvtx::unknown)
    return drop(rows, "nvtx_unknown", "NVTX records of an unknown type were left out");
  Event event;
  event.inputOffset = ImportLog::kNoOffset;
  event.category = "user_annotation";
  if (!setThread(rows, event)) return;
  event.name = rows.text(Column::text);
  if (event.name.empty()) event.name = strings_.text(rows.number(Column::textId));
  if (kind == Nvtx::thread) {
    Thread& thread = threadOf(*rows.number(Column::globalTid));
    thread.name.clear();  // this is its name; emitNames says no other
    return metadata(*thread.process, thread.tid, "thread_name", event.name);
  }
  if (event.name.empty()) event.name = "(no name)";
  const bool range = kind == Nvtx::pushPopRange || kind == Nvtx::startEndRange;
  if (range && hasEnd) {
    if (!setTimes(rows, event)) return;
    event.async = kind == Nvtx::startEndRange;
  } else {
    const auto start = rows.number(Column::start);
    if (!start || isFar(*start))
      return drop(rows, "row_without_start", "rows without a start were left out");
    event.ts = *start;
    id_ = range ? rows.where() : std::to_string(rows.number(Column::rangeId).value_or(0));
    event.id = id_;
    event.phase = kind == Nvtx::mark                                 ? 'i'
                  : kind == Nvtx::push || kind == Nvtx::pushPopRange ? 'B'
                  : kind == Nvtx::pop                                ? 'E'
                  : kind == Nvtx::end                                ? 'e'
                                                                     : 'b';
    if (event.phase == 'E') event.name = {};
  }
  event.argsSpan = rows.args();
  builder_.add(event);
}

void NsightImport::metricsTable() {
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> names;
  if (!file_.has("GPU_METRICS")) return;
  eachRow("TARGET_INFO_GPU_METRICS", [&](NsightRows& rows) {
    ++builder_.log().read;
    ++builder_.log().metadata;
    names[{rows.number(Column::typeId).value_or(0), rows.number(Column::metricId).value_or(0)}] =
        rows.text(Column::metricName);
  });
  eachRow("GPU_METRICS", [&](NsightRows& rows) {
    const auto at = rows.number(Column::timestamp);
    const auto value = rows.real(Column::value);
    if (!at || !value || isFar(*at))
      return drop(rows, "metric_without_value", "samples without a time or a value were left out");
    const std::int64_t type = rows.number(Column::typeId).value_or(0);
    const std::int64_t metric = rows.number(Column::metricId).value_or(0);
    std::string& name = names[{type, metric}];
    if (name.empty()) name = "metric " + std::to_string(metric);
    const std::int64_t device = type & 0xFF;
    std::string& pid = deviceNames_[device];
    if (pid.empty()) pid = "GPU " + std::to_string(device);
    const std::array<std::pair<std::string_view, double>, 1> values = {{{"value", *value}}};
    Event event;
    event.phase = 'C';
    event.inputOffset = ImportLog::kNoOffset;
    event.pid = pid;
    event.tid = "metrics";
    event.name = name;
    event.ts = *at;
    event.counterValues = values;
    builder_.add(event);
  });
}

void NsightImport::memoryTable() {
  eachRow("CUDA_GPU_MEMORY_USAGE_EVENTS", [this](NsightRows& rows) {
    const auto at = rows.number(Column::start);
    const auto bytes = rows.number(Column::bytes);
    const auto process = rows.number(Column::globalPid);
    if (!at || !bytes || isFar(*at) || isFar(*bytes))
      return drop(rows, "memory_without_size",
                  "memory records without a time or a size were left out");
    Process& owner = processOf(process);
    owner.used = true;
    Event event;
    event.phase = 'i';
    event.inputOffset = ImportLog::kNoOffset;
    event.name = "[memory]";
    event.category = "cpu_instant_event";
    event.pid = event.tid = owner.pid;
    event.ts = *at;
    event.args.rank = owner.rank;
    const bool release = rows.number(Column::memoryOperationType).value_or(0) == 1;
    event.args.bytes = release ? -*bytes : *bytes;
    event.args.address = rows.number(Column::address).value_or(kAbsent);
    event.args.device = rows.number(Column::deviceId).value_or(kAbsent);
    event.args.deviceType = 1;  // a CUDA device, as PyTorch numbers kinds of devices
    event.argsSpan = rows.args();
    builder_.add(event);
  });
}

}  // namespace ridgeline
