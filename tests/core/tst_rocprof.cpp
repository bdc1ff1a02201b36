#include <random>

#include <QTest>

#include "core/io/load_trace.h"
#include "core/trace/cut_off.h"
#include "core/trace/producer.h"
#include "tests/support/loaded_trace.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;
using ridgeline::test::load;
using ridgeline::test::loadFile;
using ridgeline::test::named;
using ridgeline::test::problem;
using ridgeline::test::sharedFile;
using ridgeline::test::TemporaryFile;

namespace {

const std::string kTool = R"({"rocprofiler-sdk-tool": [{
 "metadata":{"pid":42,"command":["/usr/bin/python3","x.py"],"config":{"group_by_queue":false}},
 "agents":[{"id":{"handle":1},"type":1,"name":"EPYC","node_id":0,"logical_node_type_id":0},
  {"id":{"handle":7},"type":2,"cu_count":256,"wave_front_size":64,"gfx_target_version":90500,
   "name":"gfx950","product_name":"AMD Instinct MI350X","node_id":2,"logical_node_type_id":1,
   "mem_banks":[{"size_in_bytes":1000},{"size_in_bytes":24}],"hive_id":17332996360099338395}],
 "strings":{"callback_records":[{"kind":"NONE","operations":[]}],
  "buffer_records":[{"kind":"NONE","operations":[]},
   {"kind":"HIP_RUNTIME_API","operations":["hipApiName","hipLaunchKernel","hipMemcpy"]},
   {"kind":"MEMORY_COPY","operations":["MEMORY_COPY_NONE","MEMORY_COPY_HOST_TO_DEVICE"]},
   {"kind":"MARKER_CORE_API","operations":["roctxMarkA","roctxRangePushA"]},
   {"kind":"KERNEL_DISPATCH","operations":["KERNEL_DISPATCH_NONE"]}],
  "marker_api":[{"key":30,"value":"step 1"},{"key":31,"value":"here"}]},
 "code_objects":[{"code_object_id":1}],
 "kernel_symbols":[{"kernel_id":5,"kernel_name":"_Zgemm.kd","formatted_kernel_name":"gemm<a>"}],
 "buffer_records":{
  "kernel_dispatch":[{"kind":4,"operation":2,"thread_id":42,
    "correlation_id":{"internal":11,"external":0},"start_timestamp":63857982592000,
    "end_timestamp":63857982594840,"dispatch_info":{"agent_id":{"handle":7},
    "queue_id":{"handle":16},"kernel_id":5,"grid_size":{"x":1,"y":1,"z":1}},
    "stream_id":{"handle":3}}],
  "hip_api":[{"kind":1,"operation":1,"thread_id":42,"correlation_id":{"internal":11},
    "start_timestamp":63857982590000,"end_timestamp":63857982591000},
   {"kind":1,"operation":2,"thread_id":42,"correlation_id":{"internal":12},
    "start_timestamp":63857982595000,"end_timestamp":63857982599000}],
  "memory_copy":[{"kind":2,"operation":1,"correlation_id":{"internal":12},"thread_id":42,
    "start_timestamp":63857982596000,"end_timestamp":63857982598000,"bytes":4096,
    "src_agent_id":{"handle":1},"dst_agent_id":{"handle":7}}],
  "marker_api":[{"kind":3,"operation":1,"thread_id":42,"correlation_id":{"internal":30},
    "start_timestamp":63857982589000,"end_timestamp":63857982599000},
   {"kind":3,"operation":0,"thread_id":42,"correlation_id":{"internal":31},
    "start_timestamp":63857982589500,"end_timestamp":63857982589500}],
  "pc_sample_host_trap":[{"record":{}},{"record":{}}],
  "scratch_memory":[]}}]})";

}  // namespace

/// rocprofv3's JSON.
class TestRocprof : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyRecordBecomesWhatItIs() {
    const auto t = load(kTool);
    QVERIFY(t);
    const ImportLog& log = t->importLog();
    QCOMPARE(producerOf(*t), std::string("rocprofv3 (ROCm)"));
    QCOMPARE(t->info().format, std::string("rocprofv3 JSON"));
    QCOMPARE(log.read, std::uint64_t{11});  // 8 records shown or marked, 2 samples … 3 processes
    QCOMPARE(log.slices, std::uint64_t{5});
    QCOMPARE(log.instants, std::uint64_t{1});
    QCOMPARE(log.metadata, std::uint64_t{3});
    QCOMPARE(log.dropped, std::uint64_t{2});
    QCOMPARE(problem(*t, "records_of_pc_sample_host_trap"), std::uint64_t{2});
    QCOMPARE(t->devices().size(), std::size_t{1});
    const Device& device = t->devices()[0];
    QCOMPARE(device.name, std::string("AMD Instinct MI350X"));
    QCOMPARE(device.ordinal, std::int64_t{1});
    QCOMPARE(device.totalMemory, std::optional<std::int64_t>(1024));
    QCOMPARE(device.computeMajor, std::optional<std::int64_t>(9));
    QCOMPARE(device.computeMinor, std::optional<std::int64_t>(5));
  }

  void eachProcessOfAFileCountsItsLaunches() {
    // A second process that starts later and counts its correlations from one as well.
    const std::size_t list = kTool.find('[') + 1;
    std::string other = kTool.substr(list, kTool.size() - list - 2);
    for (std::size_t at = 0; (at = other.find("638579825", at)) != other.npos; ++at)
      other[at + 8] = '6';
    other.replace(other.find("\"pid\":42"), 8, "\"pid\":43");
    const auto t = load(kTool.substr(0, kTool.size() - 2) + "," + other + "]}");
    QVERIFY(t);
    std::size_t work = 0;
    for (std::size_t i = 0; i < t->slices().size(); ++i) {
      if (!isDeviceWork(t->slices().category[i])) continue;
      ++work;
      const SliceId call = t->launchOf(SliceId(i));
      QVERIFY(call.valid());
      QVERIFY(t->slices().start[i] - t->slices().start[call.index()] < 1'000'000);
    }
    QCOMPARE(work, std::size_t{4});
  }

  void kernelsHaveTheirNameTimeStreamAndLaunch() {
    const auto t = load(kTool);
    QVERIFY(t);
    const SliceId kernel = named(*t, "gemm<a>");
    QVERIFY(kernel.valid());
    QCOMPARE(t->slices().duration(kernel), TimeNs{2840});
    QCOMPARE(t->slices().start[kernel.index()] + t->origin(), TimeNs{63857982592000});
    QCOMPARE(t->track(t->trackOf(kernel)).stream, std::int64_t{3});
    QCOMPARE(t->launchOf(kernel), named(*t, "hipLaunchKernel"));
    QCOMPARE(t->launchOf(named(*t, "MEMORY_COPY_HOST_TO_DEVICE")), named(*t, "hipMemcpy"));
    QCOMPARE(t->slices().bytes.get(named(*t, "MEMORY_COPY_HOST_TO_DEVICE")),
             std::optional<std::int64_t>(4096));
    QVERIFY(named(*t, "step 1").valid());
  }

  void theRecordIsReadOnDemand() {
    const auto t = load(kTool);
    QVERIFY(t);
    const TemporaryFile file(kTool);
    const auto again = loadFile(file.path());
    QVERIFY(again);
    const auto args = again->readArgs(named(*again, "gemm<a>"));
    QVERIFY(args.ok());
    QVERIFY(args.value().starts_with("{\"kind\":4"));
    QVERIFY(args.value().find("\"grid_size\"") != std::string::npos);
  }

  void queuesAreLanesWhereTheRunGroupedByQueue() {
    std::string text = kTool;
    text.replace(text.find("\"group_by_queue\":false"), 22, "\"group_by_queue\": true");
    const auto t = load(text);
    QVERIFY(t);
    QCOMPARE(t->track(t->trackOf(named(*t, "gemm<a>"))).stream, std::int64_t{16});
  }

  void aCutFileKeepsWhatIsThere() {
    const std::size_t whole = kTool.find("\"memory_copy\"");
    for (std::size_t cut = kTool.find("\"hip_api\""); cut < whole; cut += 7) {
      const TemporaryFile file(std::string_view(kTool).substr(0, cut));
      const auto t = loadFile(file.path());
      QVERIFY(t);
      QVERIFY(named(*t, "gemm<a>").valid());
      QCOMPARE(problem(*t, "unclosed_object"), std::uint64_t{1});
      QVERIFY(isCutOff(t->importLog()));
    }
  }

  void recordsWithoutATimeAreCountedAsLost() {
    std::string text = kTool;
    text.replace(text.find("\"start_timestamp\":63857982595000"), 17, "\"start_timestomp\"");
    text.replace(text.find("\"end_timestamp\":63857982594840"), 30, "\"end_timestamp\":\"soon\"");
    const auto t = load(text);
    QVERIFY(t);
    QCOMPARE(problem(*t, "record_without_time"), std::uint64_t{2});
    QCOMPARE(t->importLog().dropped, std::uint64_t{4});
  }

  void damageNeitherCrashesNorBreaksTheBalance() {
    std::mt19937 random(7);
    std::size_t loaded = 0;
    for (int round = 0; round < 300; ++round) {
      std::string text = kTool;
      for (int change = 0; change < 3; ++change) {
        const std::size_t at = 30 + random() % (text.size() - 30);
        static constexpr char kBytes[] = "{}[],:\"\\0-e \x01";
        if (random() % 3 == 0)
          text.erase(at, random() % 40);
        else
          text.insert(at, 1, kBytes[random() % (sizeof kBytes - 1)]);
      }
      const TemporaryFile file(text);
      const auto result = loadTrace(file.path());
      if (!result.ok()) continue;
      ++loaded;
      QVERIFY(result.value()[0].trace->importLog().balanced());
    }
    QVERIFY(loaded > 200);
  }

  void deepRecordsAreNoTrap() {
    std::string nested;
    for (int i = 0; i < 200'000; ++i) nested += "{\"dispatch_info\":";
    nested += "1" + std::string(200'000, '}');
    const auto t = load(R"({"rocprofiler-sdk-tool":[{"buffer_records":{"kernel_dispatch":[)" +
                        nested + "]}}]}");
    QVERIFY(t);
    QCOMPARE(t->importLog().dropped, std::uint64_t{1});
  }

  void anEmptyToolFileIsRefused() {
    const TemporaryFile file(R"({"rocprofiler-sdk-tool": []})");
    const auto loaded = loadTrace(file.path());
    QVERIFY(loaded.failed());
    QVERIFY(!loaded.error().todo.empty());
  }

  void theRealFileHasAllItsDispatches() {
    const std::string path = sharedFile("traces/rocprof/AMD-AGI__TraceLens/908_results.json.gz");
    if (path.empty()) QSKIP("The folder with real traces is not beside this checkout.");
    const auto t = loadFile(path);
    QVERIFY(t);
    QCOMPARE(t->importLog().slices, std::uint64_t{43915});
    QCOMPARE(t->importLog().dropped, std::uint64_t{0});
    QCOMPARE(t->devices().size(), std::size_t{1});
    QCOMPARE(t->devices()[0].streams.size(), std::size_t{567});
    QCOMPARE(t->devices()[0].name, std::string("AMD Instinct MI350X"));
    const SliceId copy = named(*t, "__amd_rocclr_copyBuffer");
    QVERIFY(copy.valid());
    const auto args = t->readArgs(copy);
    QVERIFY(args.ok());
    QVERIFY(args.value().find("dispatch_info") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestRocprof)
#include "tst_rocprof.moc"
