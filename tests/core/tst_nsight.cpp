#include <QTest>

#include "core/io/load_trace.h"
#include "core/trace/producer.h"
#include "core/trace/wall_clock.h"
#include "core/workload/steps.h"
#include "tests/support/nsight_database.h"
#include "tests/support/shared_data.h"

using namespace ridgeline;
using ridgeline::test::Database;
using ridgeline::test::globalId;

namespace {

using Traces = std::vector<std::shared_ptr<const Trace>>;

/// Loads a database; empty (and a warning, which the tests do not expect) when that fails.
Traces loadAll(const std::string& path) {
  const auto loaded = loadTrace(path);
  Traces traces;
  if (!loaded.ok()) {
    qWarning("%s", loaded.failed() ? loaded.error().text().c_str() : "cancelled");
    return traces;
  }
  for (const LoadedTrace& one : loaded.value()) {
    traces.push_back(one.trace);
    if (!one.trace->importLog().balanced()) qWarning("the import log is not balanced");
  }
  return traces;
}

std::shared_ptr<const Trace> load(const std::string& path) {
  const Traces traces = loadAll(path);
  return traces.size() == 1 ? traces.front() : nullptr;
}

std::uint64_t problem(const Trace& trace, std::string_view key) {
  const auto it = trace.importLog().problems.find(key);
  return it == trace.importLog().problems.end() ? 0 : it->second.count;
}

std::string sentence(const Trace& trace, std::string_view key) {
  const auto it = trace.importLog().problems.find(key);
  return it == trace.importLog().problems.end() ? std::string() : it->second.sentence;
}

SliceId named(const Trace& trace, std::string_view name) {
  for (std::size_t i = 0; i < trace.slices().size(); ++i)
    if (trace.name(SliceId(i)) == name) return SliceId(i);
  return {};
}

std::string kernelRow(const std::string& start, const std::string& end, int correlation,
                      int pid = 100, int name = 2) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + start + ", " + end + ", 0, 1, 7, " +
         std::to_string(correlation) + ", " + globalId(pid) + ", " + std::to_string(name) +
         ", 3, 12, 2, 1, 256, 1, 1, 32, NULL)";
}

std::string callRow(int start, int end, int correlation, int pid = 100) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + std::to_string(start) + ", " +
         std::to_string(end) + ", 0, " + globalId(pid, pid) + ", " + std::to_string(correlation) +
         ", 1, 0)";
}

std::string rangeRow(const std::string& start, const std::string& end, int type, const char* text,
                     const char* textId = "NULL", const char* rangeId = "NULL") {
  return "INSERT INTO NVTX_EVENTS VALUES (" + start + ", " + end + ", " + std::to_string(type) +
         ", " + rangeId + ", " + text + ", " + globalId(100, 100) + ", " + textId + ", 1)";
}

/// One launch and its kernel.
void fill(Database& db) {
  db.strings({"cudaLaunchKernel_v7000", "void gemm<float>(float*)", "gemm"}).kernels().calls();
  db.run(callRow(1000, 2000, 5)).run(kernelRow("1500", "9000", 5));
}

}  // namespace

class TestNsight : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aKernelIsLinkedToItsCall();
  void everyKindOfDeviceWorkIsRead();
  void rangesMarksAndNamesOfNvtxAreRead();
  void stepsComeFromRanges();
  void hostTablesMetricsAndMemoryAreRead();
  void processesWithDevicesAreRanksWithCorrelationsOfTheirOwn();
  void aStreamWaitKnowsItsRecord();
  void sessionsOfSeveralRanksStandOnOneClock();
  void devicesAreNamed();
  void argsAreReadOnDemandAndRefusedOnceTheFileHasChanged();
  void absentAndUnreadTablesAreNamed();
  void realExportsGiveWhatTheirTablesHold();
};

void TestNsight::aKernelIsLinkedToItsCall() {
  Database db;
  fill(db);
  db.run("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)")
      .run(
          "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2024.5'), "
          "('EXPORT_SCHEMA_VERSION', '3.13.2')")
      .run("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER)")
      .run("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1696392839587175550)");
  const auto t = load(db.path());
  QVERIFY(t);
  QCOMPARE(t->slices().size(), std::size_t{2});
  const SliceId call = named(*t, "cudaLaunchKernel");
  const SliceId kernel = named(*t, "void gemm<float>(float*)");
  QVERIFY(call.valid() && kernel.valid());
  QCOMPARE(t->origin(), TimeNs{1000});
  QCOMPARE(t->slices().span(kernel), (TimeSpan{500, 8000}));
  QCOMPARE(t->launchOf(kernel), call);
  QCOMPARE(t->slices().category[call.index()], Category::runtime);
  QCOMPARE(t->slices().category[kernel.index()], Category::kernel);
  const Track& stream = t->track(t->trackOf(kernel));
  QCOMPARE(stream.displayName, std::string("GPU 0 · stream 7"));
  QCOMPARE(t->track(t->trackOf(call)).displayName, std::string("process 100 · main"));
  QCOMPARE(t->info().baseTimeNs, std::optional(std::int64_t{1696392839587175550}));
  QCOMPARE(t->info().format, std::string("Nsight Systems SQLite export, schema 3.13.2"));
  QCOMPARE(producerOf(*t), std::string("Nsight Systems 2024.5 (CUDA)"));
  QCOMPARE(t->importLog().read, std::uint64_t{2});
  QCOMPARE(problem(*t, "nsight_schema"), std::uint64_t{0});
}

void TestNsight::everyKindOfDeviceWorkIsRead() {
  Database db;
  fill(db);
  db.run(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, "
        "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
        "bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER)")
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (9000, 9100, 0, 1, 7, 6, " +
           globalId(100) + ", 4096, 1, 1, 2), (9100, 9200, 0, 1, 7, 7, " + globalId(100) +
           ", 64, 99, NULL, NULL)")
      .run(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, "
          "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
          "value INTEGER, bytes INTEGER, memKind INTEGER)")
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (9300, 9400, 0, 2, 7, 8, " +
           globalId(100) + ", 0, 512, 2)")
      .run(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, "
          "deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, "
          "globalPid INTEGER, graphId INTEGER)")
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (9500, 9900, 0, 1, 8, 9, " +
           globalId(100) + ", 41)")
      .run(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, "
          "deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, "
          "globalPid INTEGER, syncType INTEGER, eventId INTEGER)")
      .run(
          "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (9500, 9900, 0, 1, 4294967295, "
          "5, " +
          globalId(100) + ", 4, 4294967295), (9500, 9900, 0, 1, 7, 5, " + globalId(100) +
          ", 3, 0)");
  const auto t = load(db.path());
  QVERIFY(t);
  const SliceTable& s = t->slices();
  const SliceId copy = named(*t, "Memcpy HtoD (Pinned -> Device)");
  QVERIFY(copy.valid());
  QCOMPARE(s.category[copy.index()], Category::memcpy);
  QCOMPARE(s.bytes.get(copy), std::optional(std::int64_t{4096}));
  QVERIFY(named(*t, "Memcpy").valid());
  const SliceId fillId = named(*t, "Memset (Device)");
  QVERIFY(fillId.valid());
  QCOMPARE(s.category[fillId.index()], Category::memset);
  // Another context's stream of the same number is another stream.
  QVERIFY(t->trackOf(fillId) != t->trackOf(copy));
  const SliceId graph = named(*t, "CUDA graph 41");
  QVERIFY(graph.valid());
  QCOMPARE(s.category[graph.index()], Category::kernel);
  const SliceId context = named(*t, "Context Sync");
  QVERIFY(context.valid());
  QCOMPARE(s.category[context.index()], Category::sync);
  QCOMPARE(t->track(t->trackOf(context)).displayName, std::string("GPU 0 · all streams sync"));
  QCOMPARE(t->track(t->trackOf(named(*t, "Stream Sync"))).stream, std::int64_t{7});
  QVERIFY(t->launchOf(context).valid());
  QCOMPARE(t->devices().size(), std::size_t{1});
  QCOMPARE(t->importLog().slices, std::uint64_t{8});
}

void TestNsight::rangesMarksAndNamesOfNvtxAreRead() {
  Database db;
  fill(db);
  db.ranges().run("INSERT INTO StringIds VALUES (9, 'registered'), (10, 'python'), (11, 'loop')");
  db.run(rangeRow("0", "NULL", 75, "'NCCL'"))
      .run(rangeRow("1000", "5000", 59, "'outer'"))
      .run(rangeRow("2100", "4000", 59, "NULL", "9"))
      .run(rangeRow("2000", "7000", 60, "'overlapping'"))
      .run(rangeRow("2500", "8000", 60, "'too'"))
      .run(rangeRow("3000", "NULL", 34, "'mark'"))
      .run(rangeRow("6000", "NULL", 59, "'open'"))
      .run(rangeRow("6100", "NULL", 37, "'by id'", "NULL", "3"))
      .run(rangeRow("6300", "NULL", 38, "NULL", "NULL", "3"))
      .run(rangeRow("0", "NULL", 39, "'trainer'"))
      .run(rangeRow("0", "10", 12345, "'odd'"))
      .run("CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT)")
      .run("INSERT INTO PROCESSES VALUES (" + globalId(100) + ", 100, 'python3'), (" + globalId(1) +
           ", 1, 'systemd')")
      .run("CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER)")
      .run("INSERT INTO ThreadNames VALUES (10, 10, " + globalId(100, 100) + "), (11, 10, " +
           globalId(100, 105) + ")");
  const auto t = load(db.path());
  QVERIFY(t);
  const SliceTable& s = t->slices();
  const SliceId outer = named(*t, "outer");
  QCOMPARE(s.category[outer.index()], Category::userAnnotation);
  QCOMPARE(s.parent[named(*t, "registered").index()], outer);
  const SliceId a = named(*t, "overlapping");
  QCOMPARE(t->track(t->trackOf(a)).kind, TrackKind::async);
  QCOMPARE(t->trackOf(a), t->trackOf(named(*t, "too")));
  QVERIFY(s.flags[a.index()] & SliceTable::kAsync);
  QCOMPARE(s.duration(named(*t, "by id")), TimeNs{200});
  QVERIFY(s.flags[named(*t, "open").index()] & SliceTable::kUnfinished);
  QCOMPARE(t->instants().size(), std::size_t{1});
  QCOMPARE(t->text(t->instants().name[0]), std::string_view("mark"));
  QCOMPARE(problem(*t, "nvtx_unknown"), std::uint64_t{1});
  QCOMPARE(t->text(t->track(t->trackOf(outer)).name), std::string_view("trainer"));
  QCOMPARE(t->text(t->processes()[0].name), std::string_view("python3"));
  const auto args = t->readArgs(outer);
  QVERIFY(args.ok());
  QVERIFY2(args.value().find(R"("domain":"NCCL")") != std::string::npos, args.value().c_str());
  // 13 rows and the name of the process.
  QCOMPARE(t->importLog().read, std::uint64_t{14});
}

void TestNsight::stepsComeFromRanges() {
  Database db;
  fill(db);
  db.ranges();
  for (int i = 0; i < 4; ++i) {
    const int at = 1000 + i * 10'000;
    db.run(rangeRow(std::to_string(at), std::to_string(at + 9'900), 59,
                    ("'iter " + std::to_string(i) + "'").c_str()));
    if (i > 0) db.run(callRow(at, at + 100, 10 + i));
    if (i > 0) db.run(kernelRow(std::to_string(at + 50), std::to_string(at + 8000), 10 + i));
  }
  const auto t = load(db.path());
  QVERIFY(t);
  const Steps steps = findSteps(*t);
  QCOMPARE(steps.steps.size(), std::size_t{4});
  QCOMPARE(steps.steps[3].number, std::int64_t{3});
  QVERIFY2(steps.source.find("iter") != std::string::npos, steps.source.c_str());
}

void TestNsight::hostTablesMetricsAndMemoryAreRead() {
  Database db;
  fill(db);
  db.run(
        "INSERT INTO StringIds VALUES (20, 'pthread_cond_wait'), (21, 'OS runtime started'), "
        "(22, 'CUPTI flush')")
      .run(
          "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER, "
          "globalTid INTEGER, nameId INTEGER)")
      .run("INSERT INTO OSRT_API VALUES (100, 900, 27, " + globalId(100, 101) +
           ", 20), (50, 50, 31, " + globalId(100, 101) + ", 21)")
      .run(
          "CREATE TABLE PROFILER_OVERHEAD (start INTEGER, end INTEGER, globalTid INTEGER, "
          "nameId INTEGER)")
      .run("INSERT INTO PROFILER_OVERHEAD VALUES (10, 20, " + globalId(100, 100) + ", 22)")
      .run(
          "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, "
          "value INTEGER)")
      .run(
          "INSERT INTO GPU_METRICS VALUES (10, 72057594037927937, 4, 50), "
          "(20, 72057594037927937, 4, 75.5), (30, 72057594037927937, 9, NULL)")
      .run(
          "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, metricId INTEGER, "
          "metricName TEXT)")
      .run("INSERT INTO TARGET_INFO_GPU_METRICS VALUES (72057594037927937, 4, 'SMs Active')")
      .run(
          "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, "
          "deviceId INTEGER, address INTEGER, bytes INTEGER, memoryOperationType INTEGER)")
      .run("INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (60, " + globalId(100) +
           ", 0, 4096, 512, 0), (90, " + globalId(100) + ", 0, 4096, 512, 1)");
  const auto t = load(db.path());
  QVERIFY(t);
  QCOMPARE(t->slices().category[named(*t, "CUPTI flush").index()], Category::overhead);
  QCOMPARE(t->track(t->trackOf(named(*t, "pthread_cond_wait"))).displayName,
           std::string("process 100 · thread 101"));
  QCOMPARE(t->counters().size(), std::size_t{1});
  QCOMPARE(t->counters()[0].value, (std::vector<double>{50, 75.5}));
  QCOMPARE(t->track(t->counters()[0].track).displayName, std::string("GPU 1 · SMs Active"));
  QCOMPARE(problem(*t, "metric_without_value"), std::uint64_t{1});
  QCOMPARE(t->memory().size(), std::size_t{2});
  QCOMPARE(t->memory()[1].bytes, std::int64_t{-512});
  QCOMPARE(t->importLog().counters, std::uint64_t{2});
  QCOMPARE(t->importLog().instants, std::uint64_t{3});
}

void TestNsight::processesWithDevicesAreRanksWithCorrelationsOfTheirOwn() {
  Database db;
  db.strings({"cudaLaunchKernel_v7000", "gemm a", "gemm", "gemm b"}).kernels().calls();
  db.run(callRow(1000, 2000, 5, 200))
      .run(kernelRow("1500", "9000", 5, 200, 4))
      .run(callRow(1100, 2100, 5, 90))
      .run(kernelRow("1600", "9000", 5, 90, 2));
  const Traces traces = loadAll(db.path());
  QCOMPARE(traces.size(), std::size_t{2});
  QCOMPARE(traces[0]->info().rank, std::optional(std::int64_t{0}));
  QCOMPARE(problem(*traces[0], "ranks_by_process"), std::uint64_t{1});
  const char* names[] = {"gemm a", "gemm b"};  // by process id: 90, then 200
  for (std::size_t i = 0; i < 2; ++i) {
    QCOMPARE(traces[i]->slices().size(), std::size_t{2});
    const SliceId kernel = named(*traces[i], names[i]);
    QVERIFY(kernel.valid());
    QCOMPARE(traces[i]->launchOf(kernel), named(*traces[i], "cudaLaunchKernel"));
  }
  // Ranks that MPI recorded are taken.
  Database mpi;
  mpi.strings({"cudaLaunchKernel_v7000", "gemm a", "gemm", "gemm b"}).kernels().ranges();
  for (const auto& [pid, rank] : {std::pair(200, 3), std::pair(90, 8)})
    mpi.run(kernelRow("1500", "9000", 5, pid, 4))
        .run("INSERT INTO NVTX_EVENTS VALUES (0, NULL, 39, NULL, 'MPI Rank " +
             std::to_string(rank) + "', " + globalId(pid, pid) + ", NULL, 0)");
  const Traces ranked = loadAll(mpi.path());
  QCOMPARE(ranked.size(), std::size_t{2});
  QCOMPARE(ranked[0]->info().rank, std::optional(std::int64_t{3}));
  QCOMPARE(ranked[1]->info().rank, std::optional(std::int64_t{8}));
  QCOMPARE(problem(*ranked[0], "ranks_by_process"), std::uint64_t{0});
}

void TestNsight::aStreamWaitKnowsItsRecord() {
  Database db;
  fill(db);
  db.run(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER, contextId INTEGER, "
        "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, eventId INTEGER)")
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 20, 30, " + globalId(100) +
           ", 4), (0, 1, 13, 10, " + globalId(100) + ", 4), (0, 1, 14, 8, " + globalId(100) +
           ", 4)")
      .run(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, "
          "deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, "
          "globalPid INTEGER, syncType INTEGER, eventId INTEGER)")
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (2000, 2000, 0, 1, 7, 12, " +
           globalId(100) + ", 2, 4)");
  const auto t = load(db.path());
  QVERIFY(t);
  const SliceId wait = named(*t, "Stream Wait Event");
  QVERIFY(wait.valid());
  QCOMPARE(t->slices().waitOnStream.get(wait), std::optional(std::int64_t{13}));
  QCOMPARE(t->slices().waitOnRecordCorrelation.get(wait), std::optional(std::int64_t{10}));
}

void TestNsight::sessionsOfSeveralRanksStandOnOneClock() {
  const auto session = [](const char* utc) {
    Database db;
    fill(db);
    db.run("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER)");
    if (utc != nullptr)
      db.run(std::string("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (") + utc + ")");
    return load(db.path());
  };
  const Traces known = {session("1700000000000000000"), session("1700000000000000250")};
  QCOMPARE(originsOnOneClock(known),
           (std::vector<TimeNs>{1700000000000001000, 1700000000000001250}));
  const Traces mixed = {known[0], session(nullptr)};
  QCOMPARE(originsOnOneClock(mixed), (std::vector<TimeNs>{1000, 1000}));
  const Traces far = {session("9223372036854775807")};
  QCOMPARE(originsOnOneClock(far), (std::vector<TimeNs>{1000}));
}

void TestNsight::devicesAreNamed() {
  Database db;
  fill(db);
  db.run(
        "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER, "
        "smCount INTEGER, cuDevice INTEGER, computeMajor INTEGER, computeMinor INTEGER)")
      .run(
          "INSERT INTO TARGET_INFO_GPU VALUES (1, 'NVIDIA L4', 1, 2, 0, 8, 9), "
          "(0, 'NVIDIA A100-SXM4-80GB', 84990623744, 108, 1, 8, 0)");
  const auto t = load(db.path());
  QVERIFY(t);
  QCOMPARE(t->devices().size(), std::size_t{1});
  QCOMPARE(t->devices()[0].name, std::string("NVIDIA A100-SXM4-80GB"));
  QCOMPARE(t->devices()[0].smCount, std::optional(std::int64_t{108}));
  QCOMPARE(t->devices()[0].totalMemory, std::optional(std::int64_t{84990623744}));
  QCOMPARE(t->devices()[0].computeMinor, std::optional(std::int64_t{0}));
}

void TestNsight::argsAreReadOnDemandAndRefusedOnceTheFileHasChanged() {
  Database db;
  fill(db);
  const std::string path = db.path();
  const auto t = load(path);
  QVERIFY(t);
  const SliceId kernel = named(*t, "void gemm<float>(float*)");
  const auto args = t->readArgs(kernel);
  QVERIFY(args.ok());
  for (const char* part : {R"("grid":[12,2,1])", R"("block":[256,1,1])", R"("shortName":"gemm")",
                           R"("registersPerThread":32)", R"("pid":100)"})
    QVERIFY2(args.value().find(part) != std::string::npos, args.value().c_str());
  QFile file(QString::fromStdString(path));
  QVERIFY(file.open(QIODevice::Append));
  file.write("x");
  file.close();
  QVERIFY(t->readArgs(kernel).failed());
}

void TestNsight::absentAndUnreadTablesAreNamed() {
  Database db;
  fill(db);
  db.run("CREATE TABLE SCHED_EVENTS (start INTEGER)").run("INSERT INTO SCHED_EVENTS VALUES (1)");
  db.run("CREATE TABLE COMPOSITE_EVENTS (start INTEGER)");
  const auto t = load(db.path());
  QVERIFY(t);
  QVERIFY(sentence(*t, "absent_tables").find("NVTX_EVENTS, OSRT_API") != std::string::npos);
  QVERIFY(sentence(*t, "unread_tables").ends_with("SCHED_EVENTS"));
  QCOMPARE(problem(*t, "nsight_schema"), std::uint64_t{1});
}

void TestNsight::realExportsGiveWhatTheirTablesHold() {
  // Counts and sums as SQL gives them: select count(*), sum(end-start) from …
  const struct {
    const char* path;
    std::size_t kernels, copies, calls, syncs, linked;
    TimeNs kernelTime, copyTime, callTime;
    std::int64_t bytes;
    std::uint64_t slices, instants, metadata;
    TimeNs origin;
    const char* device;
  } kFiles[] = {{"traces/nsys/hpcgroup__pipit/cloverleaf-nsys/perlmutter-cloverleaf-cuda.sqlite",
                 1312, 279, 3048, 1312, 2903, 294404540, 9390923, 571656984, 225116952,
                 1312 + 279 + 3048 + 1312 + 1828 + 47, 3, 7, 46977437, "NVIDIA A100-SXM4-80GB"},
                {"traces/nsys/hpcgroup__pipit/saxpy-mpi-cuda_nsys_perlmutter0.sqlite", 5, 15, 95, 0,
                 20, 88573480, 284699600, 1087784268, 3932160000, 5 + 15 + 95 + 22 + 16, 0, 6,
                 50043118, "NVIDIA A100-SXM4-40GB"}};
  for (const auto& file : kFiles) {
    const std::string path = test::sharedFile(file.path);
    if (path.empty()) QSKIP("the real traces are not beside this checkout");
    const auto t = load(path);
    QVERIFY(t);
    std::size_t kernels = 0, copies = 0, calls = 0, syncs = 0, linked = 0;
    TimeNs kernelTime = 0, copyTime = 0, callTime = 0;
    std::int64_t bytes = 0;
    const SliceTable& s = t->slices();
    for (std::size_t i = 0; i < s.size(); ++i) {
      const SliceId id(i);
      const Category c = s.category[i];
      kernels += c == Category::kernel;
      copies += c == Category::memcpy;
      calls += c == Category::runtime;
      syncs += c == Category::sync;
      if (c == Category::kernel) kernelTime += s.duration(id);
      if (c == Category::memcpy) copyTime += s.duration(id);
      if (c == Category::runtime) callTime += s.duration(id);
      linked += t->launchOf(id).valid();
      if (c == Category::memcpy) bytes += s.bytes.get(id).value_or(0);
    }
    QCOMPARE(kernels, file.kernels);
    QCOMPARE(copies, file.copies);
    QCOMPARE(calls, file.calls);
    QCOMPARE(syncs, file.syncs);
    QCOMPARE(linked, file.linked);
    QCOMPARE(kernelTime, file.kernelTime);
    QCOMPARE(copyTime, file.copyTime);
    QCOMPARE(callTime, file.callTime);
    QCOMPARE(bytes, file.bytes);
    QCOMPARE(t->origin(), file.origin);
    QCOMPARE(t->devices().size(), std::size_t{1});
    QCOMPARE(t->devices()[0].name, std::string(file.device));
    const ImportLog& log = t->importLog();
    QCOMPARE(log.slices, file.slices);
    QCOMPARE(log.instants, file.instants);
    QCOMPARE(log.metadata, file.metadata);
    QCOMPARE(log.dropped, std::uint64_t{0});
    QCOMPARE(problem(*t, "nsight_schema"), std::uint64_t{0});
  }
}

QTEST_GUILESS_MAIN(TestNsight)
#include "tst_nsight.moc"
