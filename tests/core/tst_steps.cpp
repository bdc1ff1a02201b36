#include <QtTest>

#include "core/analysis/compiled_programs.h"
#include "core/analysis/profiler_cost.h"
#include "core/io/load_trace.h"
#include "core/workload/host_activity.h"
#include "core/workload/steps.h"
#include "tests/support/loaded_trace.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// `n` steps of 100 µs with one launch and one kernel each, from 0 on.
std::string regularSteps(int n, const std::string& mark = "ProfilerStep#") {
  std::string text;
  for (int i = 0; i < n; ++i) {
    const std::string us = std::to_string(i * 100);
    const auto at = [&](int offset) { return std::to_string(i * 100 + offset) + "us "; };
    text += "step " + at(0) + at(99) + "main '" + mark + std::to_string(i + 1) + "'\n";
    text += "op " + at(5) + at(30) + "main aten::mm\n";
    text +=
        "call " + at(10) + at(12) + "main cudaLaunchKernel corr=" + std::to_string(i + 1) + "\n";
    text += "kernel " + at(20) + at(60) + "7 gemm corr=" + std::to_string(i + 1) + "\n";
  }
  return text;
}

Steps load(const char* file, std::shared_ptr<const Trace>* keep = nullptr) {
  auto loaded = loadTrace(sharedFile(file));
  Q_ASSERT(loaded.ok());
  if (keep != nullptr) *keep = loaded.value().front().trace;
  return findSteps(*loaded.value().front().trace);
}

}  // namespace

class TestSteps : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void profilerStepsAreSteps() {
    const auto trace = traceFromText(regularSteps(3));
    const Steps steps = findSteps(*trace);
    QCOMPARE(steps.steps.size(), std::size_t{3});
    QCOMPARE(steps.steps[1].name, std::string("ProfilerStep#2"));
    QCOMPARE(steps.steps[1].number, std::int64_t{2});
    QCOMPARE(steps.extent, StepExtent::host);
    QCOMPARE(steps.steadyCount(), std::size_t{3});
    // Gapless: the annotation ends 1 µs before the next one begins.
    QCOMPARE(steps.steps[0].host, (TimeSpan{0, 99'000}));
    QCOMPARE(steps.steps[0].window, (TimeSpan{0, 100'000}));
    QCOMPARE(steps.steps[2].window, (TimeSpan{200'000, 299'000}));
    QCOMPARE(steps.steps[0].device, (TimeSpan{20'000, 60'000}));
  }

  void marksThatStandTwiceCountOnce() {
    const std::string once = regularSteps(3);
    const Steps steps = findSteps(*traceFromText(once + once));
    QCOMPARE(steps.steps.size(), std::size_t{3});
    QCOMPARE(steps.steps[2].number, std::int64_t{3});
    const std::string iterations = regularSteps(3, "iteration ");
    QCOMPARE(findSteps(*traceFromText(iterations + iterations)).steps.size(), std::size_t{3});
    // Two that only begin at once are no copies.
    const auto nested = traceFromText(
        "step 0 10us main ProfilerStep#1\n"
        "step 0 5us main ProfilerStep#1\n");
    QCOMPARE(findSteps(*nested).extent, StepExtent::trace);
  }

  void aNumberBeyond64BitsIsNone() {
    const Steps steps =
        findSteps(*traceFromText("step 0 10us main ProfilerStep#7\n"
                                 "step 10us 20us main ProfilerStep#99999999999999999999\n"));
    QCOMPARE(steps.steps.size(), std::size_t{2});
    QCOMPARE(steps.steps[1].name, std::string("ProfilerStep#99999999999999999999"));
    QCOMPARE(steps.steps[0].number, std::int64_t{0});
    QCOMPARE(steps.steps[1].number, std::int64_t{1});
  }

  void aDamagedTimeMakesNoStepOfWeeks() {
    std::string text;
    for (int i = 0; i < 20; ++i)
      text += "op " + std::to_string(i) + "us " + std::to_string(i + 1) + "us main aten::mm\n";
    const auto trace = traceFromText(text + "op 3456000s 3456000s main aten::mm\n");
    QCOMPARE(trace->span().end, TimeNs{3'456'000} * 1'000'000'000);
    QCOMPARE(trace->bulk(), (TimeSpan{0, 20'000}));
    QCOMPARE(trace->slices().size(), std::size_t{21});
    const Steps steps = findSteps(*trace);
    QCOMPARE(steps.steps.front().window, trace->bulk());
    QVERIFY(steps.sentence.find("damaged time") != std::string::npos);
    // A mark that stands there is no step of the recording.
    const Steps marks = findSteps(*traceFromText(
        text + "step 0 10us main ProfilerStep#1\nstep 3456000s 3456001s main ProfilerStep#2\n"));
    QCOMPARE(marks.steps.size(), std::size_t{1});
    QCOMPARE(marks.steps.front().number, std::int64_t{1});
  }

  void aLongPauseIsNoDamage_data() {
    QTest::addColumn<QByteArray>("late");
    QTest::newRow("half an hour") << QByteArray("op 1800s 1801s main aten::mm\n");
    QTest::newRow("work of its own")
        << QByteArray("op 7200s 7201s main aten::mm\nop 7202s 7203s main aten::mm\n");
    QTest::newRow("not far for its length")
        << QByteArray("op 20us 10s main aten::mm\nop 7200s 7200s main aten::mm\n");
  }

  void aLongPauseIsNoDamage() {
    QFETCH(QByteArray, late);
    std::string text;
    for (int i = 0; i < 20; ++i)
      text += "op " + std::to_string(i) + "us " + std::to_string(i + 1) + "us main aten::mm\n";
    const auto trace = traceFromText(text + late.toStdString());
    QCOMPARE(trace->bulk(), trace->span());
  }

  void oldTracesRecordStepsAsOperators() {
    const auto trace = traceFromText(
        "old_op 0 10us main ProfilerStep#5\n old_op 11us 20us main 'ProfilerStep #6'\n"
        "old_op 1us 2us main aten::mm");
    const Steps steps = findSteps(*trace);
    QCOMPARE(steps.steps.size(), std::size_t{2});
    QCOMPARE(steps.steps[1].number, std::int64_t{6});
  }

  void whatEveryStepLacksCutsNoneOff() {
    std::string text;  // a kernel a step whose launch nobody recorded
    for (int i = 0; i < 4; ++i) {
      const auto us = [i](int t) { return std::to_string(100 * i + t) + "us "; };
      text += "step " + us(0) + us(99) + "main ProfilerStep#" + std::to_string(i) + "\n";
      text +=
          "call " + us(1) + us(2) + "main cudaLaunchKernel corr=" + std::to_string(i + 1) + "\n";
      text += "kernel " + us(5) + us(30) + "7 gemm corr=" + std::to_string(i + 1) + "\n";
      text += "kernel " + us(40) + us(90) + "20 ncclDevKernel_AllReduce_Sum_f16\n";
    }
    const Steps all = findSteps(*traceFromText(text));
    QVERIFY2(all.steadyCount() == 4, all.sentence.c_str());
    const Steps first = findSteps(
        *traceFromText(regularSteps(4) + "kernel 21us 59us 20 ncclDevKernel_AllReduce_Sum_f16\n"));
    QVERIFY2(!first.steps[0].steady, first.sentence.c_str());
  }

  void stepMarksCountWithoutACategory() {
    const auto trace =
        test::load(R"([{"ph":"X","name":"ProfilerStep#6","pid":1,"tid":1,"ts":0,"dur":90},)"
                   R"({"ph":"X","name":"ProfilerStep#7","pid":1,"tid":1,"ts":100,"dur":90},)"
                   R"({"ph":"X","name":"MatMul1","pid":2,"tid":1,"ts":10,"dur":50}])");
    QVERIFY(trace);
    const Steps steps = findSteps(*trace);
    QCOMPARE(steps.steps.size(), std::size_t{2});
    QCOMPARE(steps.steps[1].number, std::int64_t{7});
  }

  void rangesThatRepeatAreStepsWhenNothingElseIs() {
    const auto trace = traceFromText(regularSteps(4, "iteration "));
    const Steps steps = findSteps(*trace);
    QCOMPARE(steps.steps.size(), std::size_t{4});
    QCOMPARE(steps.source, std::string("range \"iteration\", 4 times"));
  }

  void twoRangesOrShortOnesAreNoSteps() {
    QCOMPARE(findSteps(*traceFromText(regularSteps(2, "iteration "))).steps.size(), std::size_t{1});
    const auto trace = traceFromText(
        "range 0 1us main a1\n range 50us 51us main a2\n range 90us 91us main a3\n"
        "op 0 100us other aten::mm");
    const Steps steps = findSteps(*trace);
    QCOMPARE(steps.extent, StepExtent::trace);
    QCOMPARE(steps.steps.front().window, (TimeSpan{0, 100'000}));
    QVERIFY(steps.steps.front().steady);
  }

  void aHostThatRunsAheadGivesDeviceWindows() {
    // Both steps are launched within 20 µs; the device works until 220 µs.
    const auto trace = traceFromText(
        "step 0 9us main ProfilerStep#1\n step 10us 19us main ProfilerStep#2\n"
        "call 1us 2us main cudaLaunchKernel corr=1\n call 11us 12us main cudaLaunchKernel corr=2\n"
        "kernel 5us 120us 7 a corr=1\n kernel 121us 220us 7 b corr=2");
    const Steps steps = findSteps(*trace);
    QCOMPARE(steps.extent, StepExtent::device);
    QCOMPARE(steps.steps[0].window, (TimeSpan{5'000, 121'000}));
    QCOMPARE(steps.steps[1].window, (TimeSpan{121'000, 220'000}));
  }

  /// Stamps of whole microseconds, or a mark that is closed after the next one is opened.
  void marksThatReachALittleIntoTheNextAreSteps() {
    const auto trace = traceFromText(
        "step 0 101us main ProfilerStep#1\nstep 100us 201us main ProfilerStep#2\n"
        "step 200us 300us main ProfilerStep#3\nkernel 1us 299us 7 a");
    const Steps steps = findSteps(*trace);
    QCOMPARE(steps.steps.size(), std::size_t{3});
    QCOMPARE(steps.steps[0].host, (TimeSpan{0, 100'000}));
    QCOMPARE(steps.steps[1].host, (TimeSpan{100'000, 200'000}));
    QCOMPARE(steps.steps[2].host, (TimeSpan{200'000, 300'000}));
  }

  void marksThatOverlapFarAreNoStepsAndAreTold() {
    const auto trace = traceFromText(
        "step 0 150us main ProfilerStep#1\nstep 100us 250us main ProfilerStep#2\n"
        "kernel 1us 299us 7 a");
    const Steps steps = findSteps(*trace);
    QCOMPARE(steps.extent, StepExtent::trace);
    QCOMPARE(steps.sentence,
             std::string("2 step marks overlap each other and cannot be told apart, so the whole "
                         "trace is taken as one."));
  }

  /// Filtered recordings: the one kernel whose launch is left is not all that the step did.
  void fewKnownLaunchesDoNotSetTheExtent() {
    const auto trace = traceFromText(
        "step 0 9us main ProfilerStep#1\n step 10us 19us main ProfilerStep#2\n"
        "call 1us 2us main cudaLaunchKernel corr=1\n call 11us 12us main cudaLaunchKernel corr=2\n"
        "kernel 2us 9us 7 a\n kernel 9100ns 9200ns 7 b corr=1\n kernel 10us 18us 7 a\n"
        "kernel 20us 20100ns 7 b corr=2");
    const Steps steps = findSteps(*trace);
    QCOMPARE(steps.extent, StepExtent::host);
    QCOMPARE(steps.steps[1].window, (TimeSpan{10'000, 19'000}));
  }

  void aStepThatLoadsCodeIsNotSteady() {
    const auto trace =
        traceFromText(regularSteps(4) + "call 110us 111us main cuModuleLoadDataEx\n");
    const Steps steps = findSteps(*trace);
    QVERIFY(!steps.steps[1].steady);
    QVERIFY(steps.steps[1].why.find("cuModuleLoadDataEx") != std::string::npos);
    QCOMPARE(steps.steadyCount(), std::size_t{3});
    QVERIFY(steps.sentence.find("3 of 4") != std::string::npos);
  }

  /// No runtime records an event for it: the first launch of a kernel loads its code.
  void aStepWhoseLaunchLoadsCodeIsNotSteady() {
    const std::string late =
        "step 300us 3ms main ProfilerStep#4\n call 310us 2500us main hipLaunchKernel corr=50\n"
        "kernel 2501us 2510us 7 NAME corr=50\n";
    const auto with = [&](const std::string& name, const std::string& more = "") {
      std::string text = late;
      return traceFromText(regularSteps(3) + text.replace(text.find("NAME"), 4, name) + more);
    };
    const auto trace = with("another");
    const Steps steps = findSteps(*trace);
    QVERIFY(!steps.steps[3].steady);
    QVERIFY2(steps.steps[3].why.find("loads code: the first launch of a kernel takes 2.19 ms in "
                                     "hipLaunchKernel") != std::string::npos,
             steps.steps[3].why.c_str());
    QCOMPARE(steps.steadyCount(), std::size_t{3});
    // The compilation is told with the step, too.
    const auto w = makeWorkload(trace).value();
    const CompiledPrograms compiled = compiledPrograms(*w, steadyWindow(*w));
    QCOMPARE(compiled.compileSteps.size(), std::size_t{1});
    QCOMPARE(compiled.compileTotal, TimeNs{2'190'000});
    // A kernel that ran before has its code; a full queue makes a call wait, too.
    QCOMPARE(findSteps(*with("gemm")).steadyCount(), std::size_t{4});
    QCOMPARE(findSteps(*with("another", "kernel 270us 2400us 8 gemm corr=3\n")).steadyCount(),
             std::size_t{4});
  }

  void compilersOfAllVendorsAreTold() {
    for (const char* name : {"triton/backends/nvidia/compiler.py(300): make_llir",
                             "triton/backends/amd/compiler.py(212): make_amdgcn",
                             "triton/backends/intel/compiler.py(90): make_spv",
                             "$compiler.py:271 backend_compile_and_load"})
      QCOMPARE(hostActivityOf(Category::pythonFunction, name), HostActivity::compileLoad);
    for (const char* name : {"hipModuleLoadData", "cuModuleLoadDataEx", "hiprtcCompileProgram",
                             "zeModuleCreate", "urProgramBuild"})
      QCOMPARE(hostActivityOf(Category::runtime, name), HostActivity::compileLoad);
    QCOMPARE(hostActivityOf(Category::cpuOp, "miopenFindConvolution"), HostActivity::autotune);
  }

  void theLastStepWithoutDeviceWorkIsNotSteady() {
    const Steps steps =
        findSteps(*traceFromText(regularSteps(1) + "step 100us 105us main ProfilerStep#2\n"));
    QVERIFY(steps.steps[0].steady);
    QCOMPARE(steps.steps[1].why, std::string("it launched no device work"));
  }

  void withoutASteadyStepThoseWithDeviceWorkAreShown() {
    const auto trace = traceFromText(regularSteps(1) +
                                     "call 13us 14us main cudaModuleLoadData\n"
                                     "step 100us 105us main ProfilerStep#2\n");
    const auto w = makeWorkload(trace).value();
    QCOMPARE(w->steps.steadyCount(), std::size_t{0});
    QVERIFY2(w->steps.sentence.find("No step is steady, so the one that launched device work is "
                                    "shown: ProfilerStep#1 (") == 0,
             w->steps.sentence.c_str());
    QCOMPARE(steadyWindow(*w).steps, (std::vector<std::size_t>{0}));
  }

  void growingMemoryIsWarmUpInTheFirstStepOnly() {
    const Steps first =
        findSteps(*traceFromText(regularSteps(3) + "call 13us 14us main cudaMalloc\n"));
    QVERIFY(!first.steps[0].steady);
    const Steps second =
        findSteps(*traceFromText(regularSteps(3) + "call 113us 114us main cudaMalloc\n"));
    QCOMPARE(second.steadyCount(), std::size_t{3});
  }

  void aCutOffLastStepIsNotSteady() {
    std::string text = regularSteps(4);
    for (int i = 0; i < 5; ++i)
      text += "call " + std::to_string(340 + i) + "us " + std::to_string(341 + i) +
              "us main cudaLaunchKernel corr=" + std::to_string(900 + i) + "\n";
    const Steps steps = findSteps(*traceFromText(text));
    QVERIFY(!steps.steps[3].steady);
    QVERIFY(steps.steps[3].why.find("cuts it off") != std::string::npos);
    QCOMPARE(steps.steadyCount(), std::size_t{3});
  }

  void workFromBeforeTheRecordingMakesTheFirstStepIncomplete() {
    const auto trace = traceFromText(regularSteps(3) + "kernel 1us 15us 7 carried corr=777\n");
    const Steps steps = findSteps(*trace);
    QVERIFY(!steps.steps[0].steady);
    QVERIFY(steps.steps[0].why.find("before the recording began") != std::string::npos);
  }

  void nearlyEqualStepsAreNotSlow() {
    // The MAD is 1: the last step lies 40·MAD above the median, but only 4 % of it.
    std::string text;
    TimeNs at = 0;
    for (const TimeNs length : {999, 1'000, 1'001, 1'000, 999, 1'001, 1'040}) {
      text += "step " + std::to_string(at) + ' ' + std::to_string(at + length) +
              " main ProfilerStep#" + std::to_string(at) + "\n";
      at += length;
    }
    const Steps steps = findSteps(*traceFromText(text));
    QCOMPARE(steps.steadyCount(), std::size_t{7});
    for (const Step& step : steps.steps) QVERIFY2(!step.slow, step.name.c_str());
    QCOMPARE(steps.sentence, std::string("All 7 steps are steady."));
  }

  void slowStepsAreMarkedAndStay() {
    std::string text;
    TimeNs at = 0;
    for (int i = 0; i < 7; ++i) {
      const TimeNs length = i == 3 ? 900 : 100 + i;
      text += "step " + std::to_string(at) + ' ' + std::to_string(at + length) +
              " main ProfilerStep#" + std::to_string(i) + "\n";
      at += length;
    }
    const Steps steps = findSteps(*traceFromText(text));
    QCOMPARE(steps.steadyCount(), std::size_t{7});
    QVERIFY(steps.steps[3].slow);
    QCOMPARE(
        std::count_if(steps.steps.begin(), steps.steps.end(), [](const Step& s) { return s.slow; }),
        std::ptrdiff_t{1});
    QVERIFY(steps.representative != 3);
    QVERIFY(steps.sentence.find("Kept in the tail: ProfilerStep#3 (slow: 8.") != std::string::npos);
    const StepStatistics statistics = statisticsOf(steps);
    QCOMPARE(statistics.n, std::size_t{7});
    QCOMPARE(statistics.max, TimeNs{900});
    QCOMPARE(statistics.p90, TimeNs{900});
    QCOMPARE(statistics.median, TimeNs{104});
  }

  void noSteadyStepLeavesAllShown() {
    const auto trace = traceFromText(regularSteps(1) + "call 13us 14us main cudaModuleLoadData\n");
    const Steps steps = findSteps(*trace);
    QCOMPARE(steps.steadyCount(), std::size_t{0});
    QVERIFY(steps.sentence.find("not steady") != std::string::npos);
    QCOMPARE(statisticsOf(steps).n, std::size_t{0});
  }

  void realStepsOfResnet50() {
    const char* file =
        "traces/kineto/pytorch__kineto/resnet50_num_workers_0/"
        "worker0.1623143089861.pt.trace.json.gz";
    if (sharedFile(file).empty())
      QSKIP("needs the real traces beside the checkout (../shared/traces)");
    std::shared_ptr<const Trace> trace;
    const Steps steps = load(file, &trace);
    QCOMPARE(steps.steps.size(), std::size_t{6});
    QCOMPARE(steps.extent, StepExtent::host);
    QCOMPARE(steps.steps[0].number, std::int64_t{5});
    QCOMPARE(steps.steps[0].host.length(), TimeNs{176'078'000});
    QVERIFY(steps.steadyCount() >= 5);
    for (std::size_t i = 1; i < steps.steps.size(); ++i)
      QCOMPARE(steps.steps[i].window.begin, steps.steps[i - 1].window.end);
  }

  /// What JAX's and PyTorch's profilers do before and after the work is no part of it, and costs.
  void theProfilersStartAndStopAreNoPartOfAWholeTrace() {
    const auto trace = traceFromText(
        "python 0 900us main '$profiler.py:101 start_trace'\n"
        "op 10us 20us main inner\n"
        "op 950us 970us main aten::mm\n"
        "call 955us 957us main cudaLaunchKernel corr=1\n"
        "kernel 960us 980us 7 gemm corr=1\n"
        "python 985us 1ms main '$profiler.py:213 stop_trace'\n");
    const auto w = makeWorkload(trace).value();
    QCOMPARE(w->steps.steps.front().window, (TimeSpan{900'000, 985'000}));
    QVERIFY2(w->steps.sentence.find("915 µs in which the profiler starts and stops") !=
                 std::string::npos,
             w->steps.sentence.c_str());
    const ProfilerCost cost = profilerCost(*w, steadyWindow(*w));
    QCOMPARE(cost.kinds.size(), std::size_t{2});
    QCOMPARE(cost.kinds.front().name, std::string("$profiler.py:101 start_trace"));
    QCOMPARE(cost.kinds.front().total, TimeNs{900'000});
    QCOMPARE(cost.perSpan.recorded, TimeNs{0});
  }

  void aProfilerThatStopsWithinTheWorkStaysInIt() {
    const auto trace = traceFromText(
        "op 0 20us main aten::mm\n"
        "python 30us 60us main '$profiler.py:213 stop_trace'\n"
        "op 70us 90us main aten::mm\n");
    const Steps steps = findSteps(*trace);
    QCOMPARE(steps.steps.front().window, (TimeSpan{0, 90'000}));
    QCOMPARE(steps.sentence,
             std::string("No steps are marked, so the whole trace is taken as one."));
  }
};

QTEST_GUILESS_MAIN(TestSteps)
#include "tst_steps.moc"
