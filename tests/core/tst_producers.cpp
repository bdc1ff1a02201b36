#include <QTest>

#include "core/io/load_trace.h"
#include "core/trace/producer.h"
#include "core/workload/workload.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;
using ridgeline::test::sharedFile;
using ridgeline::test::TemporaryFile;

namespace {

using Traces = std::vector<std::shared_ptr<const Trace>>;

Traces loadAll(const std::string& path) {
  auto loaded = loadTrace(path);
  Traces traces;
  if (!loaded.ok()) {
    qWarning("%s", loaded.failed() ? loaded.error().text().c_str() : "cancelled");
    return traces;
  }
  for (const LoadedTrace& one : loaded.value()) {
    if (!one.trace->importLog().balanced()) qWarning("the import log is not balanced");
    traces.push_back(one.trace);
  }
  return traces;
}

std::shared_ptr<const Trace> load(std::string_view text) {
  const TemporaryFile file(text);
  const Traces traces = loadAll(file.path());
  return traces.size() == 1 ? traces.front() : nullptr;
}

SliceId named(const Trace& trace, std::string_view name) {
  for (std::size_t i = 0; i < trace.slices().size(); ++i)
    if (trace.name(SliceId(i)) == name) return SliceId(i);
  return {};
}

Category categoryOfSlice(const Trace& trace, std::string_view name) {
  const SliceId s = named(trace, name);
  return s.valid() ? trace.slices().category[s.index()] : Category::other;
}

std::size_t deviceWork(const Trace& trace) {
  std::size_t n = 0;
  for (const Category c : trace.slices().category) n += isDeviceWork(c) ? 1 : 0;
  return n;
}

std::size_t launched(const Trace& trace) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < trace.slices().size(); ++i)
    n += isDeviceWork(trace.slices().category[i]) && trace.launchOf(SliceId(i)).valid() ? 1 : 0;
  return n;
}

constexpr const char* kUnitrace = R"({"traceEvents":[
  {"ph":"X","tid":77,"pid":77,"name":"zeCommandListAppendLaunchKernel","cat":"cpu_op","ts":100,
   "dur":12,"id":1},
  {"ph":"s","tid":77,"pid":77,"name":"dep","cat":"Flow_H2D_1_0","ts":100,"id":1},
  {"ph":"X","tid":4294967294,"pid":4294967295,"name":"gemm[SIMD32 {1; 1; 1} {64; 1; 1}]",
   "cat":"gpu_op","ts":120,"dur":40,"args":{"id":"1"}},
  {"ph":"t","tid":4294967294,"pid":4294967295,"name":"dep","cat":"Flow_H2D_1_0","ts":120,"id":1},
  {"ph":"X","tid":4294967294,"pid":4294967295,
   "name":"zeCommandListAppendMemoryCopy(H2D)[4096 bytes]","cat":"gpu_op","ts":170,"dur":5,"id":2},
  {"ph":"X","tid":4294967294,"pid":4294967295,"name":"zeCommandListAppendBarrier","cat":"gpu_op",
   "ts":180,"dur":5,"id":3},
  {"ph":"B","tid":77,"pid":77,"name":"task","cat":"cpu_op","ts":200,"id":0},
  {"ph":"E","tid":77,"pid":77,"name":"task","cat":"cpu_op","ts":210,"id":0},
  {"ph":"R","tid":77,"pid":77,"name":"mark","cat":"cpu_op","ts":211,"id":0},
  {"ph":"M","name":"process_name","pid":77,"ts":1,"args":{"name":"RANK 3 HOST<node1>"}},
  {"ph":"M","name":"process_name","pid":4294967295,"ts":2,
   "args":{"name":"RANK 3 DEVICE<node1>[Intel(R) Data Center GPU Max 1550] 0:18:0:0 #0.0"}},
  {"ph":"M","name":"thread_name","pid":4294967295,"tid":4294967294,"ts":2,
   "args":{"name":"Thread 77 L0 Engine<0,0>"}}]})";

}  // namespace

class TestProducers : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void unitraceDeviceProcessesAreDevices() {
    const auto t = load(kUnitrace);
    QVERIFY(t);
    QCOMPARE(producerOf(*t), std::string("Intel unitrace"));
    QCOMPARE(t->info().rank, std::optional<std::int64_t>(3));
    QCOMPARE(t->devices().size(), std::size_t{1});
    QCOMPARE(t->devices()[0].name, std::string("Intel(R) Data Center GPU Max 1550"));
    QCOMPARE(deviceWork(*t), std::size_t{2});
    QCOMPARE(categoryOfSlice(*t, "zeCommandListAppendMemoryCopy(H2D)[4096 bytes]"),
             Category::memcpy);
    QCOMPARE(categoryOfSlice(*t, "zeCommandListAppendBarrier"), Category::sync);
    QCOMPARE(categoryOfSlice(*t, "zeCommandListAppendLaunchKernel"), Category::runtime);
    QCOMPARE(categoryOfSlice(*t, "task"), Category::userAnnotation);
    QCOMPARE(t->launchOf(named(*t, "gemm[SIMD32 {1; 1; 1} {64; 1; 1}]")),
             named(*t, "zeCommandListAppendLaunchKernel"));
    QCOMPARE(t->importLog().instants, std::uint64_t{1});
  }

  void processesThatNameTheirRankAreTakenApart() {
    const TemporaryFile file(R"([
      {"ph":"M","name":"process_name","pid":1,"args":{"name":"rank 0: python"}},
      {"ph":"M","name":"process_name","pid":2,"args":{"name":"[Rank 1] python"}},
      {"ph":"M","name":"process_name","pid":9,"args":{"name":"ranking service 5"}},
      {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":1},
      {"ph":"X","cat":"cpu_op","name":"b","pid":2,"tid":1,"ts":0,"dur":1},
      {"ph":"X","cat":"cpu_op","name":"c","pid":"rank1_gpu","tid":1,"ts":0,"dur":1},
      {"ph":"X","cat":"cpu_op","name":"d","pid":9,"tid":1,"ts":0,"dur":1}])");
    const Traces ranks = loadAll(file.path());
    QCOMPARE(ranks.size(), std::size_t{2});
    QCOMPARE(ranks[0]->info().rank, std::optional<std::int64_t>(0));
    QCOMPARE(ranks[1]->info().rank, std::optional<std::int64_t>(1));
    QVERIFY(named(*ranks[0], "a").valid() && !named(*ranks[0], "b").valid());
    QVERIFY(named(*ranks[1], "b").valid());
    std::uint64_t read = 0;
    for (const auto& rank : ranks) read += rank->importLog().read;
    QCOMPARE(read, std::uint64_t{7});
  }

  void theAutogradProfilersExportHasOpsAndKernels() {
    const auto t = load(R"([
      {"name":"aten::mm","ph":"X","ts":10,"dur":50,"tid":1,"pid":"CPU functions","args":{}},
      {"name":"sgemm","ph":"X","ts":30,"dur":20,"tid":0,"pid":"CUDA functions","args":{}},
      {"name":"aten::mm","ph":"s","ts":10,"tid":1,"pid":"CPU functions","id":0,
       "cat":"cpu_to_cuda","args":{}},
      {"name":"aten::mm","ph":"f","ts":30,"tid":0,"pid":"CUDA functions","id":0,
       "cat":"cpu_to_cuda","args":{}}])");
    QVERIFY(t);
    QCOMPARE(producerOf(*t), std::string("PyTorch autograd profiler (CUDA)"));
    QCOMPARE(categoryOfSlice(*t, "aten::mm"), Category::cpuOp);
    QCOMPARE(categoryOfSlice(*t, "sgemm"), Category::kernel);
    QCOMPARE(t->launchOf(named(*t, "sgemm")), named(*t, "aten::mm"));
    QCOMPARE(t->devices().size(), std::size_t{1});
  }

  void aGraphLaunchOwnsAllKernelsOfItsCorrelation() {
    const auto t = load(R"({"traceEvents":[
      {"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":0,"dur":5,
       "args":{"correlation":9}},
      {"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":10,"dur":5,
       "args":{"device":0,"stream":7,"correlation":9,"graph id":4,"graph node id":1}},
      {"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":8,"ts":12,"dur":5,
       "args":{"device":0,"stream":8,"correlation":9,"graph id":4,"graph node id":2}}]})");
    QVERIFY(t);
    for (const char* name : {"k1", "k2"})
      QCOMPARE(t->launchOf(named(*t, name)), named(*t, "cudaGraphLaunch"));
  }

  void mtiaWaitsAndRecordsAreNoWork() {
    const auto t = load(R"({"traceEvents":[
      {"ph":"X","cat":"mtia_ccp_events","name":"dma_request","pid":17,"tid":1,"ts":0,"dur":5,
       "args":{"correlation":1,"stream":101,"size":10}},
      {"ph":"X","cat":"mtia_ccp_events","name":"event_wait","pid":17,"tid":1,"ts":10,"dur":500,
       "args":{"stream":101}},
      {"ph":"X","cat":"mtia_ccp_events","name":"kernel_x","pid":17,"tid":1,"ts":600,"dur":5,
       "args":{"stream":101}},
      {"ph":"M","name":"process_name","pid":17,"args":{"name":"MTIA 17"}}]})");
    QVERIFY(t);
    QCOMPARE(categoryOfSlice(*t, "dma_request"), Category::memcpy);
    QCOMPARE(categoryOfSlice(*t, "event_wait"), Category::sync);
    QCOMPARE(categoryOfSlice(*t, "kernel_x"), Category::kernel);
    QCOMPARE(t->devices()[0].kind, std::string("MTIA"));
  }

  void rocmProfileDataIsReadFromTexts() {
    const auto t = load(R"([ {}
      ,{"name":"process_name","ph":"M","pid":"2","args":{"name":"GPU2"}}
      ,{"name":"thread_name","ph":"M","pid":"10","tid":"10","args":{"name":"Hip 10"}}
      ,{"pid":"2","tid":"0","name":"CopyHostToDevice","ts":"100","dur":"50","ph":"X",
        "args":{"desc":"CopyHostToDevice"}}
      ,{"pid":"2","tid":"0","name":"gemm","ts":"200","dur":"50","ph":"X",
        "args":{"desc":"KernelExecution"}}
      ,{"pid":"10","tid":"10","name":"hipMemcpy","ts":"90","dur":"70","ph":"X","args":{"desc":""}}
      ,{"pid":"10","tid":"10","name":"epoch 1","ts":"80","dur":"300","ph":"X","args":{"desc":""}}
      ,{"pid":"10","tid":"10","cat":"api_op","name":"api_op","ts":"100","id":"1","ph":"s"}
      ,{"pid":"2","tid":"0","cat":"api_op","name":"api_op","ts":"100","id":"1","ph":"f","bp":"e"}
      ,{"pid":"2","name":"Idle","ph":"C","ts":8,"args":{"idle":0}}
      ])");
    QVERIFY(t);
    QCOMPARE(producerOf(*t), std::string("rocmProfileData (ROCm)"));
    QCOMPARE(t->devices().size(), std::size_t{1});
    QCOMPARE(t->devices()[0].ordinal, std::int64_t{2});
    QCOMPARE(categoryOfSlice(*t, "CopyHostToDevice"), Category::memcpy);
    QCOMPARE(categoryOfSlice(*t, "gemm"), Category::kernel);
    QCOMPARE(categoryOfSlice(*t, "epoch 1"), Category::userAnnotation);
    QCOMPARE(t->launchOf(named(*t, "CopyHostToDevice")), named(*t, "hipMemcpy"));
    QCOMPARE(t->importLog().counters, std::uint64_t{1});
  }

  /// As the C++ exporter of msprof writes them.
  void streamsOfAscendHardwareAreDeviceWork() {
    const auto t = load(R"([
      {"name":"process_name","pid":31,"tid":0,"ph":"M","args":{"name":"CANN"}},
      {"name":"process_name","pid":45,"tid":0,"ph":"M","args":{"name":"Ascend Hardware"}},
      {"name":"process_labels","pid":45,"tid":0,"ph":"M","args":{"labels":"NPU"}},
      {"name":"thread_name","pid":45,"tid":12,"ph":"M","args":{"name":"Stream 12"}},
      {"name":"process_name","pid":46,"tid":0,"ph":"M","args":{"name":"Ascend Hardware"}},
      {"name":"thread_name","pid":46,"tid":3,"ph":"M","args":{"name":"Stream 3"}},
      {"name":"process_name","pid":50,"tid":0,"ph":"M","args":{"name":"Overlap Analysis"}},
      {"name":"Node@launch","pid":31,"tid":7,"ts":"100.5","dur":4,"ph":"X","args":{}},
      {"name":"HostToDevice9","ph":"s","cat":"HostToDevice","id":"9","pid":31,"tid":7,"ts":"100.5"},
      {"name":"MatMulV2","pid":45,"tid":12,"ts":"120.25","dur":40,"ph":"X",
       "args":{"Model Id":1,"Task Type":"AI_CORE","Physic Stream Id":12,"connection_id":9}},
      {"name":"HostToDevice9","ph":"f","bp":"e","cat":"HostToDevice","id":"9","pid":45,"tid":12,
       "ts":"120.25"},
      {"name":"EVENT_WAIT","pid":45,"tid":12,"ts":"161","dur":9,"ph":"X",
       "args":{"Task Type":"EVENT_WAIT"}},
      {"name":"MEMCPY_ASYNC","pid":46,"tid":3,"ts":"171","dur":2,"ph":"X",
       "args":{"Task Type":"MEMCPY_ASYNC"}},
      {"name":"Computing","pid":50,"tid":1,"ts":"120.25","dur":40,"ph":"X","args":{}}])");
    QVERIFY(t);
    QCOMPARE(producerOf(*t), std::string("Ascend msprof"));
    QCOMPARE(t->devices().size(), std::size_t{2});
    QCOMPARE(t->devices()[0].kind, std::string("NPU"));
    QCOMPARE(deviceWork(*t), std::size_t{2});
    QCOMPARE(categoryOfSlice(*t, "MatMulV2"), Category::kernel);
    QCOMPARE(categoryOfSlice(*t, "EVENT_WAIT"), Category::sync);
    QCOMPARE(categoryOfSlice(*t, "MEMCPY_ASYNC"), Category::memcpy);
    QCOMPARE(categoryOfSlice(*t, "Computing"), Category::deviceAnnotation);
    QCOMPARE(t->track(t->trackOf(named(*t, "MatMulV2"))).stream, std::int64_t{12});
    QCOMPARE(t->launchOf(named(*t, "MatMulV2")), named(*t, "Node@launch"));
  }

  /// No stream shows a collective as one: its tasks run there, waits and copies.
  void collectivesOfAscendAreDeviceWork() {
    const std::string one = R"(
      {"name":"process_name","pid":45,"tid":0,"ph":"M","args":{"name":"Ascend Hardware"}},
      {"name":"process_name","pid":47,"tid":0,"ph":"M","args":{"name":"Communication"}},
      {"name":"thread_name","pid":47,"tid":1,"ph":"M","args":{"name":"Group g0 Communication"}},
      {"name":"thread_name","pid":47,"tid":2,"ph":"M","args":{"name":"Plane 0"}},
      {"name":"MatMulV2","pid":45,"tid":12,"ts":"120","dur":40,"ph":"X","args":{}},
      {"name":"hcom_allReduce__1_0_1","pid":47,"tid":1,"ts":"160","dur":9,"ph":"X","args":{}},
      {"name":"Notify_Wait","pid":47,"tid":2,"ts":"160","dur":5,"ph":"X","args":{}})";
    const auto t = load("[" + one + "]");
    QCOMPARE(categoryOfSlice(*t, "hcom_allReduce__1_0_1"), Category::kernel);
    QCOMPARE(categoryOfSlice(*t, "Notify_Wait"), Category::deviceAnnotation);
    QCOMPARE(t->devices().size(), std::size_t{1});
    QCOMPARE(deviceWork(*t), std::size_t{2});
    // Of two devices nobody says whose it is.
    const auto two = load("[" + one + R"(,
      {"name":"process_name","pid":48,"tid":0,"ph":"M","args":{"name":"Ascend Hardware"}},
      {"name":"Add","pid":48,"tid":1,"ts":"120","dur":4,"ph":"X","args":{}}])");
    QCOMPARE(categoryOfSlice(*two, "hcom_allReduce__1_0_1"), Category::deviceAnnotation);
  }

  void cannAloneSaysNothing() {
    const auto t = load(R"([
      {"name":"process_name","pid":31,"tid":0,"ph":"M","args":{"name":"CANN"}},
      {"name":"Node@launch","pid":31,"tid":7,"ts":100,"dur":4,"ph":"X","args":{}}])");
    QCOMPARE(categoryOfSlice(*t, "Node@launch"), Category::other);
  }

  /// results.json of rocprof before version 3.
  void processesOfRocprofAreDevices() {
    const std::string events = R"(
      {"ph":"M","name":"process_name","pid":2,"args":{"name":"CPU HSA API"}},
      {"ph":"M","name":"process_name","pid":3,"args":{"name":"CPU HIP API"}},
      {"ph":"M","name":"process_name","pid":0,"args":{"name":"COPY"}},
      {"ph":"M","name":"process_name","pid":7,"args":{"name":"GPU1"}},
      {"ph":"X","name":"hipLaunchKernel","pid":3,"tid":99,"ts":100,"dur":3,"args":{}},
      {"ph":"s","cat":"DataFlow","id":1,"pid":3,"tid":99,"ts":101,"name":"dep"},
      {"ph":"t","cat":"DataFlow","id":1,"pid":7,"tid":0,"ts":110,"name":"dep"},
      {"ph":"X","name":"gemm.kd","pid":7,"tid":0,"ts":110,"dur":30,"args":{}},
      {"ph":"X","name":"async-copy1","pid":0,"tid":0,"ts":150,"dur":5,"args":{}})";
    const auto t = load("{\"traceEvents\":[" + events + "]}");
    QVERIFY(t);
    QCOMPARE(producerOf(*t), std::string("rocprof (ROCm)"));
    QCOMPARE(t->devices().size(), std::size_t{1});
    QCOMPARE(t->devices()[0].ordinal, std::int64_t{1});
    QCOMPARE(categoryOfSlice(*t, "gemm.kd"), Category::kernel);
    QCOMPARE(categoryOfSlice(*t, "async-copy1"), Category::memcpy);
    QCOMPARE(categoryOfSlice(*t, "hipLaunchKernel"), Category::runtime);
    QCOMPARE(t->launchOf(named(*t, "gemm.kd")), named(*t, "hipLaunchKernel"));
    // Of several devices none can be told to have copied.
    const auto two = load("{\"traceEvents\":[" + events +
                          R"(,{"ph":"M","name":"process_name","pid":8,"args":{"name":"GPU2"}}]})");
    QCOMPARE(categoryOfSlice(*two, "async-copy1"), Category::other);
  }

  void onnxRuntimesNodesAreOperatorsOfTheHost() {
    const auto t = load(R"([
      {"cat":"Session","pid":5,"tid":5,"dur":90,"ts":0,"ph":"X","name":"model_run","args":{}},
      {"cat":"Node","pid":5,"tid":5,"dur":17,"ts":10,"ph":"X","name":"Add_1_kernel_time",
       "args":{"op_name":"Add","provider":"CUDAExecutionProvider"}},
      {"cat":"Kernel","pid":-1,"tid":-1,"dur":33,"ts":30,"ph":"X","name":"ort_add_cuda_kernel",
       "args":{"stream":"7","op_name":"Add"}}])");
    QVERIFY(t);
    QCOMPARE(producerOf(*t), std::string("ONNX Runtime"));
    QCOMPARE(categoryOfSlice(*t, "Add_1_kernel_time"), Category::cpuOp);
    QCOMPARE(categoryOfSlice(*t, "model_run"), Category::userAnnotation);
    QCOMPARE(categoryOfSlice(*t, "ort_add_cuda_kernel"), Category::kernel);
    QCOMPARE(t->devices().size(), std::size_t{1});
    QCOMPARE(deviceWork(*t), std::size_t{1});
  }

  void everyRealProducerIsRecognised_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("producer");
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("devices");
    QTest::addColumn<int>("work");
    const auto row = [](const char* file, const char* producer, int ranks, int devices, int work) {
      QTest::newRow(file) << file << producer << ranks << devices << work;
    };
    row("kineto/pytorch__kineto/resnet50_autograd_api_num_workers_0/worker0.pt.trace.json.gz",
        "PyTorch Kineto (CUDA)", 1, 1, 10133);
    row("kineto/AMD-AGI__TraceLens/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz",
        "PyTorch Kineto (ROCm)", 1, 1, 558);
    row("kineto/amd__HPCTrainingExamples/fused_traces/merged_nccl_only.json.gz",
        "PyTorch Kineto (unknown device)", 4, 1, 21);
    row("handmade/xpu/kineto_xpu_fragment.json", "PyTorch Kineto (XPU)", 1, 1, 1);
    row("handmade/xpu/unitrace_shape.77.json", "Intel unitrace", 1, 1, 8);
    row("rocprof/ROCm__rocmProfileData/examples/rocm-profile-data/results/matmul_result.json",
        "rocmProfileData (ROCm)", 1, 1, 85);
    row("jax/AMD-AGI__TraceLens/traces/mi300/jax08_attention/tw003.converted.trace.json.gz",
        "JAX (XLA, ROCm)", 1, 1, 105);
    row("jax/AMD-AGI__TraceLens/test_data_jax_te_fused_attn_categorization/"
        "934987a2fc2f.converted.trace.json.gz",
        "JAX (XLA, ROCm)", 1, 1, 150);
    row("rocprof/AMD-AGI__TraceLens/908_results.json.gz", "rocprofv3 (ROCm)", 1, 1, 43915);
  }
  void everyRealProducerIsRecognised() {
    QFETCH(QString, file);
    const std::string path = sharedFile("traces/" + file.toStdString());
    if (path.empty()) QSKIP("The folder with real traces is not beside this checkout.");
    const Traces traces = loadAll(path);
    QTEST(static_cast<int>(traces.size()), "ranks");
    QTEST(QString::fromStdString(producerOf(*traces.front())), "producer");
    QTEST(static_cast<int>(traces.front()->devices().size()), "devices");
    QTEST(static_cast<int>(deviceWork(*traces.front())), "work");
  }

  void replayedGraphsAreLaunchedByTheReplay() {
    const std::string path = sharedFile(
        "traces/kineto/AMD-AGI__TraceLens/inference/sglang_decode/"
        "sglang_Qwen3-8B_decode.json.gz");
    if (path.empty()) QSKIP("The folder with real traces is not beside this checkout.");
    const Traces traces = loadAll(path);
    const Trace& t = *traces.front();
    std::size_t ofGraph = 0;
    for (std::size_t i = 0; i < t.slices().size(); ++i)
      if (isDeviceWork(t.slices().category[i]) && t.launchOf(SliceId(i)).valid() &&
          t.name(t.launchOf(SliceId(i))) == "hipGraphLaunch")
        ++ofGraph;
    QVERIFY2(ofGraph >= 544, qPrintable(QString::number(ofGraph)));
    QCOMPARE(launched(t), deviceWork(t));
  }
};

QTEST_GUILESS_MAIN(TestProducers)
#include "tst_producers.moc"
