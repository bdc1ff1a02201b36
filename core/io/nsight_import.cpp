#include "core/io/nsight_import.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace ridgeline {

namespace {

constexpr const char* kDeviceTables[] = {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
                                         "CUPTI_ACTIVITY_KIND_MEMSET",
                                         "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"};

/// Tables that say what the recording is, and hold nothing that happened.
bool isDescription(std::string_view table) {
  static constexpr std::string_view kPrefixes[] = {"ENUM_",     "TARGET_INFO_", "META_DATA_",
                                                   "ANALYSIS_", "EXPORT_",      "EXPORTED_"};
  static constexpr std::string_view kNames[] = {
      "StringIds",        "ThreadNames",      "PROCESSES",           "ProcessStreams",
      "DIAGNOSTIC_EVENT", "UnwindMethodType", "NVTX_PAYLOAD_SCHEMAS"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view p) { return table.starts_with(p); }) ||
         std::find(std::begin(kNames), std::end(kNames), table) != std::end(kNames);
}

std::string asJson(std::string_view text) {
  std::string json = "\"";
  for (const char ch : text) {
    if (ch == '"' || ch == '\\') json += '\\';
    json += static_cast<unsigned char>(ch) < 0x20 ? ' ' : ch;
  }
  return json + '"';
}

/// "MPI Rank 3" is how Nsight's MPI tracing names a rank's main thread.
std::optional<std::int64_t> mpiRank(std::string_view name) {
  constexpr std::string_view kWords = "MPI Rank ";
  if (!name.starts_with(kWords)) return std::nullopt;
  name.remove_prefix(kWords.size());
  std::int64_t rank = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), rank);
  return read.ec == std::errc() && read.ptr == name.data() + name.size() && rank >= 0
             ? std::optional(rank)
             : std::nullopt;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

Status NsightImport::run() {
  about();
  devices();
  namesOfProcesses();
  namesOfThreads();
  findRanks();
  eventRecords();
  if (!cancelled_) {
    hostTable("CUPTI_ACTIVITY_KIND_RUNTIME", "cuda_runtime");
    hostTable("CUPTI_ACTIVITY_KIND_DRIVER", "cuda_driver");
    deviceTable("CUPTI_ACTIVITY_KIND_KERNEL", &NsightImport::describeKernel);
    deviceTable("CUPTI_ACTIVITY_KIND_MEMCPY", &NsightImport::describeCopy);
    deviceTable("CUPTI_ACTIVITY_KIND_MEMSET", &NsightImport::describeFill);
    deviceTable("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", &NsightImport::describeGraph);
    deviceTable("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", &NsightImport::describeSync);
    nvtxTable();
    for (const char* table :
         {"MPI_COLLECTIVES_EVENTS", "MPI_P2P_EVENTS", "MPI_START_WAIT_EVENTS", "MPI_OTHER_EVENTS"})
      hostTable(table, "mpi");
    hostTable("CUBLAS_EVENTS", "cublas");
    hostTable("CUDNN_EVENTS", "cudnn");
    hostTable("OSRT_API", "os_runtime");
    hostTable("CUPTI_ACTIVITY_KIND_OVERHEAD", "overhead");
    hostTable("PROFILER_OVERHEAD", "overhead");
    metricsTable();
    memoryTable();
  }
  if (cancelled_ || task_.cancelled()) return Cancelled{};
  emitNames();
  nameTables();
  warnings();
  return Done{};
}

void NsightImport::about() {
  std::string version, schema;
  for (const char* table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    if (!file_.has(table)) continue;
    SqliteRows rows = file_.query("SELECT name, value FROM " + SqliteFile::quoted(table));
    while (rows.next()) {
      if (rows.text(0) == "EXPORT_PRODUCT_VERSION") version = rows.text(1);
      if (rows.text(0) == "EXPORT_SCHEMA_VERSION") schema = rows.text(1);
    }
  }
  TraceInfo& info = builder_.info();
  info.format = "Nsight Systems SQLite export, schema " + (schema.empty() ? "unknown" : schema);
  info.producer = "Nsight Systems" + (version.empty() ? "" : " " + version) + " (CUDA)";
  info.metadata.emplace_back("nsight_version", asJson(version));
  info.metadata.emplace_back("nsight_schema", asJson(schema));
  if (schema != "2.9.1" && schema != "3.13.2")
    builder_.log().note("nsight_schema",
                        "the export is of a schema that was not tried (2.9.1 and 3.13.2 were): "
                        "tables were read as far as they look alike",
                        false, ImportLog::kNoOffset, "schema " + schema);
  if (file_.has("TARGET_INFO_SESSION_START_TIME")) {
    SqliteRows rows = file_.query("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME");
    if (rows.next() && rows.kind(0) == SqliteRows::Kind::integer) info.baseTimeNs = rows.integer(0);
  }
  if (file_.has("ANALYSIS_DETAILS")) {
    SqliteRows rows = file_.query("SELECT startTime, stopTime FROM ANALYSIS_DETAILS");
    if (rows.next())
      info.metadata.emplace_back("recording_ns", "[" + std::to_string(rows.integer(0)) + ", " +
                                                     std::to_string(rows.integer(1)) + "]");
  }
}

/// What the profiler itself complained of.
void NsightImport::warnings() {
  if (!file_.has("DIAGNOSTIC_EVENT")) return;
  SqliteRows rows = file_.query("SELECT text FROM DIAGNOSTIC_EVENT WHERE severity IN (2, 3)");
  while (rows.next())
    builder_.log().note("profiler_warning", "warnings that the profiler itself recorded", false,
                        ImportLog::kNoOffset, rows.text(0));
}

/// A kernel's deviceId is the id of a row here (so do Nsight's own reports join them).
void NsightImport::devices() {
  if (!file_.has("TARGET_INFO_GPU")) return;
  const std::vector<std::string> columns = file_.columnsOf("TARGET_INFO_GPU");
  const auto column = [&](const char* name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end()
               ? SqliteFile::quoted(name)
               : std::string("NULL");
  };
  SqliteRows rows = file_.query("SELECT " + column("id") + ", " + column("name") + ", " +
                                column("totalMemory") + ", " + column("smCount") + ", " +
                                column("computeMajor") + ", " + column("computeMinor") + ", " +
                                column("threadsPerWarp") + " FROM TARGET_INFO_GPU");
  while (rows.next()) {
    const auto number = [&](int at) {
      return rows.kind(at) == SqliteRows::Kind::integer && rows.integer(at) > 0
                 ? std::optional(rows.integer(at))
                 : std::nullopt;
    };
    Device device;
    device.ordinal = rows.integer(0);
    device.name = rows.text(1);
    device.totalMemory = number(2);
    device.smCount = number(3);
    device.computeMajor = number(4);
    device.computeMinor = number(4) ? std::optional(rows.integer(5)) : std::nullopt;
    device.warpSize = number(6);
    builder_.addDevice(device);
  }
}

void NsightImport::namesOfProcesses() {
  if (!file_.has("PROCESSES")) return;
  NsightRows rows(file_, "PROCESSES", 0, builder_.log());
  while (rows.next())
    if (const auto id = rows.number(NsightColumn::globalPid))
      processOf(id).name = rows.text(NsightColumn::name);
}

void NsightImport::namesOfThreads() {
  if (!file_.has("ThreadNames")) return;
  NsightRows rows(file_, "ThreadNames", 0, builder_.log());
  while (rows.next())
    if (const auto id = rows.number(NsightColumn::globalTid))
      threadOf(*id).name = strings_.text(rows.number(NsightColumn::nameId));
}

/// Several processes with device work in one export are the ranks of one job.
void NsightImport::findRanks() {
  std::map<std::string, Process*> working;  // by pid
  for (const char* table : kDeviceTables) {
    if (!file_.has(table)) continue;
    SqliteRows rows =
        file_.query("SELECT DISTINCT \"globalPid\" FROM " + SqliteFile::quoted(table));
    while (rows.next())
      if (rows.kind(0) == SqliteRows::Kind::integer) {
        Process& process = processOf(rows.integer(0));
        working.emplace(process.pid, &process);
      }
    cancelled_ |= rows.end() == SqliteRows::End::cancelled;
  }
  std::int64_t number = 0;
  for (auto& [pid, process] : working) process->number = number++;
  for (auto& [id, process] : processes_)
    if (!working.contains(process.pid)) process.number = number++;
  std::map<Process*, std::int64_t> known;
  if (file_.has("NVTX_EVENTS")) {
    NsightRows rows(file_, "NVTX_EVENTS", 0, builder_.log(), "\"eventType\" = 39");
    while (rows.next()) {
      std::string_view name = rows.text(NsightColumn::text);
      if (name.empty()) name = strings_.text(rows.number(NsightColumn::textId));
      const auto thread = rows.number(NsightColumn::globalTid);
      if (const auto rank = mpiRank(name); rank && thread) known.emplace(&processOf(thread), *rank);
    }
  }
  std::set<std::int64_t> distinct;
  for (const auto& [pid, process] : working)
    if (const auto it = known.find(process); it != known.end()) distinct.insert(it->second);
  const bool allKnown = distinct.size() == working.size();
  if (working.size() == 1 && allKnown) builder_.info().rank = *distinct.begin();
  if (working.size() < 2) return;
  std::vector<std::pair<std::int64_t, Process*>> byPid;
  for (auto& [pid, process] : working) {
    std::int64_t value = 0;
    std::from_chars(pid.data(), pid.data() + pid.size(), value);
    byPid.emplace_back(value, process);
  }
  std::sort(byPid.begin(), byPid.end());
  for (std::size_t i = 0; i < byPid.size(); ++i)
    byPid[i].second->rank = allKnown ? known.at(byPid[i].second) : static_cast<std::int64_t>(i);
  if (!allKnown)
    builder_.log().note("ranks_by_process",
                        "several processes used devices; each is shown as a rank, numbered by "
                        "process id, because no rank was recorded",
                        false, ImportLog::kNoOffset, std::to_string(byPid.size()) + " processes");
}

void NsightImport::metadata(const Process& process, std::string_view tid, std::string_view what,
                            std::string_view text) {
  Event event;
  event.phase = 'M';
  event.name = what;
  event.pid = process.pid;
  event.tid = tid;
  event.args.rank = process.rank;
  event.args.metadataName = text;
  event.inputOffset = ImportLog::kNoOffset;
  builder_.add(event);
}

void NsightImport::emitNames() {
  std::map<std::string, const Process*> processes;  // in one order, whatever the hashing
  for (const auto& [id, process] : processes_)
    if (process.used && !process.name.empty()) processes.emplace(process.pid, &process);
  for (const auto& [pid, process] : processes)
    metadata(*process, pid, "process_name", process->name);
  std::map<std::pair<std::string, std::string>, const Thread*> threads;
  for (const auto& [id, thread] : threads_)
    if (thread.used && !thread.name.empty())
      threads.emplace(std::make_pair(thread.process->pid, thread.tid), &thread);
  for (const auto& [ids, thread] : threads)
    metadata(*thread->process, thread->tid, "thread_name", thread->name);
}

/// What is not there, and what is there but not shown.
void NsightImport::nameTables() {
  std::vector<std::string> absent;
  for (const char* table :
       {"StringIds", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
        "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_RUNTIME",
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "NVTX_EVENTS", "OSRT_API", "TARGET_INFO_GPU"})
    if (!file_.has(table)) absent.emplace_back(table);
  if (!absent.empty())
    builder_.log().note("absent_tables",
                        "tables that the export does not hold, because nothing of that kind was "
                        "recorded: " +
                            joined(absent),
                        false, ImportLog::kNoOffset);
  std::vector<std::string> unread;
  for (const std::string& table : file_.tables()) {
    if (isDescription(table) || std::find(tables_.begin(), tables_.end(), table) != tables_.end())
      continue;
    SqliteRows rows = file_.query("SELECT 1 FROM " + SqliteFile::quoted(table) + " LIMIT 1");
    if (rows.next()) unread.push_back(table);
  }
  if (!unread.empty())
    builder_.log().note("unread_tables",
                        "tables of the export that are not shown here: " + joined(unread), true,
                        ImportLog::kNoOffset);
}

}  // namespace ridgeline
