#include <QTest>

#include "core/analysis/roofline.h"
#include "core/analysis/window.h"
#include "core/io/load_trace.h"
#include "core/trace/producer.h"
#include "core/workload/workload.h"
#include "core/workload/xla_work.h"
#include "tests/support/loaded_trace.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;
using ridgeline::test::sharedFile;
using ridgeline::test::TemporaryFile;

namespace {

std::shared_ptr<const Trace> loadFile(const std::string& path) {
  auto loaded = loadTrace(path);
  return loaded.ok() && loaded.value()[0].trace->importLog().balanced() ? loaded.value()[0].trace
                                                                        : nullptr;
}
std::shared_ptr<const Trace> load(const std::string& events) {
  const TemporaryFile file("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" + events + "{}]}");
  return loadFile(file.path());
}

std::string lane(int pid, int tid, const char* name) {
  return R"({"ph":"M","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) +
         R"(,"name":"thread_name","args":{"name":")" + name + "\"}},\n";
}
std::string process(int pid, const char* name) {
  return R"({"ph":"M","pid":)" + std::to_string(pid) +
         R"(,"name":"process_name","args":{"name":")" + name + "\"}},\n";
}
std::string slice(int pid, int tid, int ts, int dur, const std::string& name,
                  const std::string& args = {}) {
  return R"({"ph":"X","pid":)" + std::to_string(pid) + R"(,"tid":)" + std::to_string(tid) +
         R"(,"ts":)" + std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) + R"(,"name":")" +
         name + R"(","args":{)" + args + "}},\n";
}

/// A plane of a TPU: operations, and lines that tell the same time once more.
std::string tpu() {
  std::string text = process(3, "/device:TPU:0") + lane(3, 1, "Steps") + lane(3, 2, "XLA Modules") +
                     lane(3, 3, "XLA Ops") + lane(3, 4, "Framework Ops") +
                     lane(3, 5, "XLA TraceMe") + process(701, "/host:CPU");
  for (int i = 0; i < 4; ++i) {
    const int at = i * 100;
    text += slice(3, 1, at, 90, std::to_string(i));
    text += slice(3, 2, at, 90, "jit_train_step(1)");
    text += slice(3, 3, at, 40, "fusion.1",
                  R"("hlo_category":"convolution fusion","model_flops":"4000000000",)"
                  R"("raw_bytes_accessed":"2000000","shape_with_layout":"bf16[8,8]{1,0:T(8)}",)"
                  R"("tf_op":"jit(f)/dot_general:")");
    text += slice(3, 3, at + 40, 20, "all-reduce.2",
                  R"("hlo_category":"all-reduce","model_flops":"10","raw_bytes_accessed":"80")");
    text += slice(3, 3, at + 60, 20, "copy.3", R"("hlo_category":"data formatting")");
    text += slice(3, 4, at, 80, "dot_general");
  }
  return text;
}

TimeNs deviceTime(const Trace& t) {
  TimeNs sum = 0;
  for (std::size_t i = 0; i < t.slices().size(); ++i)
    if (isDeviceWork(t.slices().category[i])) sum += t.slices().duration(SliceId(i));
  return sum;
}

}  // namespace

/// Recordings of JAX and TensorFlow programs as XLA's profiler writes them.
class TestXla : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void onlyTheOperationsOfATpuAreWork() {
    const auto t = load(tpu());
    QVERIFY(t);
    QCOMPARE(deviceTime(*t), TimeNs{4 * 80'000});
    QCOMPARE(t->devices().size(), std::size_t{1});
    QCOMPARE(t->devices()[0].streams.size(), std::size_t{1});
    QCOMPARE(t->devices()[0].kind, std::string("TPU"));
    QVERIFY(producerOf(*t).find("TPU") != std::string::npos);
  }

  void theStepsLineOfADeviceMarksTheSteps() {
    const auto t = load(tpu());
    QVERIFY(t);
    const Steps steps = findSteps(*t);
    QCOMPARE(steps.steps.size(), std::size_t{4});
    QCOMPARE(steps.steps[2].number, std::int64_t{2});
    QCOMPARE(steps.steadyCount(), std::size_t{4});
    QVERIFY(steps.source.find("Steps line") != std::string::npos);
  }

  void stepAnnotationsOfTheHostComeFirst() {
    std::string text = tpu() + lane(701, 9, "python");
    for (int i = 0; i < 3; ++i)
      text += slice(701, 9, i * 100, 95, "train", "\"step_num\":\"" + std::to_string(40 + i) + '"');
    const auto t = load(text);
    QVERIFY(t);
    const Steps steps = findSteps(*t);
    QCOMPARE(steps.steps.size(), std::size_t{3});
    QCOMPARE(steps.steps[0].number, std::int64_t{40});
    QVERIFY(steps.source.find("step_num") != std::string::npos);
  }

  void aProgramThatRunsAheadHasTheStepsOfItsDevice() {
    std::string text = tpu() + lane(701, 9, "python");
    for (int i = 0; i < 4; ++i)  // dispatched long before the device gets to it
      text += slice(701, 9, i * 5, 4, "train", "\"step_num\":\"" + std::to_string(40 + i) + '"');
    const auto t = load(text);
    QVERIFY(t);
    const Steps steps = findSteps(*t);
    QVERIFY2(steps.source.find("Steps line") != std::string::npos, steps.source.c_str());
    QCOMPARE(steps.steps.size(), std::size_t{4});
  }

  void instructionsThatHoldOthersAreNoWorkOfTheirOwn() {
    const auto t =
        load(process(3, "/device:TPU:0") + lane(3, 3, "XLA Ops") + slice(3, 3, 0, 90, "while.1") +
             slice(3, 3, 10, 30, "fusion.2") + slice(3, 3, 50, 30, "conditional.4") +
             slice(3, 3, 55, 20, "fusion.5") + slice(3, 3, 95, 5, "while_loop_fusion.3"));
    QVERIFY(t);
    QCOMPARE(deviceTime(*t), TimeNs{55'000});
  }

  void theTimelineOfTensorFlowHasItsStreamsAsDeviceRows() {
    const std::string all =
        process(7, "/device:GPU:0/stream:all Compute") + slice(7, 0, 10, 20, "conv1/Conv2D:Conv2D");
    const std::string host = process(2, "/job:localhost/replica:0/task:0/device:CPU:0 Compute") +
                             slice(2, 0, 0, 8, "IteratorGetNext") +
                             process(9, "/device:GPU:0/memcpy Compute") +
                             slice(9, 0, 30, 5, "edge_1:MEMCPYHtoD");
    const auto one = load(host + all);
    QVERIFY(one);
    QCOMPARE(deviceTime(*one), TimeNs{20'000});
    const auto both = load(host + all + process(11, "/device:GPU:0/stream:13 Compute") +
                           slice(11, 0, 10, 20, "conv1/Conv2D:Conv2D") +
                           slice(11, 0, 30, 5, "edge_1:MEMCPYHtoD"));
    QVERIFY(both);
    QCOMPARE(deviceTime(*both), TimeNs{25'000});
    QCOMPARE(both->devices().size(), std::size_t{1});
    QCOMPARE(both->devices()[0].streams.size(), std::size_t{1});
    QCOMPARE(both->track(both->devices()[0].streams[0]).stream, std::int64_t{13});
    const auto op = test::named(*both, "IteratorGetNext");
    QVERIFY(both->slices().category[op.index()] == Category::cpuOp);
  }

  void theCompilersCostsArePlacedOnTheRoofline() {
    const auto t = load(tpu());
    QVERIFY(t);
    const auto workload = makeWorkload(t);
    QVERIFY(workload.ok());
    const Workload& w = *workload.value();
    AnalysisWindow window;
    window.spans = {t->span()};
    const Roofline r = roofline(w, window);
    const auto point = std::find_if(r.points.begin(), r.points.end(),
                                    [](const RooflinePoint& p) { return p.op == "fusion.1"; });
    QVERIFY(point != r.points.end());
    QCOMPARE(point->calls, std::uint64_t{4});
    QCOMPARE(point->flops, std::optional<double>(4e9));
    QCOMPARE(point->bytes, std::optional<double>(2e6));
    QCOMPARE(*point->performance, 4e9 / 40e-6);
    QCOMPARE(point->dtype, std::string("bf16"));
    QCOMPARE(point->kernelClass, KernelClass::matmul);
    QVERIFY(point->formula.find("compiler") != std::string::npos);
  }

  void categoriesOfTheCompilerGiveTheClasses_data() {
    QTest::addColumn<QString>("category");
    QTest::addColumn<QString>("op");
    QTest::addColumn<int>("expected");
    const auto row = [](const char* category, const char* op, KernelClass expected) {
      QTest::newRow((std::string(category) + '/' + op).c_str())
          << category << op << static_cast<int>(expected);
    };
    row("convolution fusion", "fusion.1", KernelClass::matmul);
    row("all-reduce", "all-reduce.1", KernelClass::collective);
    row("reduce-scatter", "reduce-scatter.1", KernelClass::collective);
    row("loop fusion", "fusion.2", KernelClass::elementwise);
    row("data formatting", "copy.1", KernelClass::copy);
    row("custom fusion", "reduce_fusion", KernelClass::reduction);
    row("", "input_concatenate_fusion", KernelClass::copy);
    row("", "wrapped_convert", KernelClass::elementwise);
    row("", "custom-call.7", KernelClass::unknown);
    row("async-done", "async-collective-done.1", KernelClass::collective);
    row("recv-done", "recv-done.2", KernelClass::collective);
  }
  void categoriesOfTheCompilerGiveTheClasses() {
    QFETCH(QString, category);
    QFETCH(QString, op);
    const KernelLabel label = labelOfHlo(category.toStdString(), op.toStdString(), {});
    QTEST(static_cast<int>(label.kernelClass), "expected");
  }

  void derivedLinesOfAGpuAreNoWork() {
    const auto t = load(process(1, "/device:GPU:1") + lane(1, 16, "Stream #16(Kernel,MemcpyH2D)") +
                        lane(1, 2, "XLA Ops") + lane(1, 3, "XLA Modules") +
                        slice(1, 16, 0, 10, "loop_add_fusion", R"("hlo_op":"loop_add_fusion")") +
                        slice(1, 16, 20, 10, "MemcpyH2D", R"("correlation_id":"5")") +
                        slice(1, 2, 0, 30, "loop_add_fusion") + slice(1, 3, 0, 30, "jit_f") +
                        process(701, "/host:CPU") + lane(701, 1, "python") +
                        slice(701, 1, 5, 3, "cuMemcpyHtoDAsync_v2", R"("correlation_id":"5")"));
    QVERIFY(t);
    QCOMPARE(deviceTime(*t), TimeNs{20'000});
    QCOMPARE(t->devices()[0].ordinal, std::int64_t{1});
    QCOMPARE(t->devices()[0].streams.size(), std::size_t{1});
    std::size_t launched = 0;
    for (std::size_t i = 0; i < t->slices().size(); ++i)
      launched += t->launchOf(SliceId(i)).valid() ? 1 : 0;
    QCOMPARE(launched, std::size_t{1});
    QVERIFY(producerOf(*t).find("CUDA") != std::string::npos);
  }

  void realRecordingsLaunchAllTheirKernels_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("MI300 attention") << "traces/mi300/jax08_attention/tw003";
    QTest::newRow("Transformer Engine")
        << "test_data_jax_te_fused_attn_categorization/934987a2fc2f";
  }
  void realRecordingsLaunchAllTheirKernels() {
    QFETCH(QString, file);
    const std::string path = sharedFile("traces/jax/AMD-AGI__TraceLens/" + file.toStdString() +
                                        ".converted.trace.json.gz");
    if (path.empty()) QSKIP("The folder with real traces is not beside this checkout.");
    const auto t = loadFile(path);
    QVERIFY(t);
    std::size_t work = 0, launched = 0;
    for (std::size_t i = 0; i < t->slices().size(); ++i) {
      if (!isDeviceWork(t->slices().category[i])) continue;
      ++work;
      launched += t->launchOf(SliceId(i)).valid() ? 1 : 0;
    }
    QVERIFY(work > 0);
    QCOMPARE(launched, work);
    const auto workload = makeWorkload(t);
    QVERIFY(workload.ok());
    TimeNs unknown = 0;
    for (const SliceId s : workload.value()->deviceWork)
      if (workload.value()->classOf(s) == KernelClass::unknown) unknown += t->slices().duration(s);
    QVERIFY2(unknown * 10 <= deviceTime(*t), qPrintable(QString::number(unknown)));
  }
};

QTEST_GUILESS_MAIN(TestXla)
#include "tst_xla.moc"
