#include <numeric>
#include <random>

#include <QtTest>

#include "core/analysis/device_time.h"
#include "core/analysis/idle_gaps.h"
#include "core/io/load_trace.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

std::shared_ptr<const Workload> workloadFromText(const std::string& text) {
  return makeWorkload(traceFromText(text)).value();
}

/// Work until 20 µs, launched in time. The gap that each case is about follows it.
const std::string kBefore =
    "op 0 8us main aten::mm\n"
    "call 2us 4us main cudaLaunchKernel corr=1\n"
    "kernel 10us 20us 7 gemm corr=1\n";

/// Work that is launched at 95 µs and starts at 100 µs.
const std::string kLateWork =
    "call 95us 97us main cudaLaunchKernel corr=2\n"
    "kernel 100us 110us 7 relu corr=2\n";

IdleGap onlyGap(const std::string& text) {
  const auto w = workloadFromText(text);
  const IdleGaps gaps = idleGaps(*w, wholeDeviceWindow(*w));
  if (gaps.gaps.size() != 1) {
    qWarning("expected one gap, found %zu", gaps.gaps.size());
    return {};
  }
  return gaps.gaps.front();
}

std::string lateAfter(const std::string& host) {
  return kBefore + host + kLateWork;
}

const char* const kDataLoader = "'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__'\n";

IdleGaps steadyGapsOf(const char* file, std::shared_ptr<const Workload>& w) {
  auto loaded = loadTrace(sharedFile(file));
  w = makeWorkload(loaded.value().front().trace).value();
  return idleGaps(*w, steadyWindow(*w));
}

}  // namespace

class TestIdleGaps : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// One kernel whose ts was never set: the first of the others still begins the recording.
  void aDamagedTimeDoesNotStretchTheRecording() {
    std::string text = "kernel 0 1us 7 gemm\n";
    for (int i = 0; i < 20; ++i) {
      const std::string at = std::to_string(8'000'000'100 + i * 10);
      text += "kernel " + at + "us " + std::to_string(8'000'000'105 + i * 10) + "us 7 gemm\n";
    }
    const auto w = workloadFromText(text + "op 8000000000us 8000000300us main aten::mm\n");
    const TimeSpan bulk = w->trace->bulk();
    QCOMPARE(bulk.begin, TimeNs{8'000'000'000'000});
    const IdleGaps gaps = idleGaps(*w, spanWindow(bulk));
    QCOMPARE(gaps.gaps.front().span.begin, bulk.begin);
    QVERIFY(gaps.gaps.front().cause == GapCause::outsideCapture);
    QVERIFY(gaps.gaps[1].cause != GapCause::outsideCapture);
    QVERIFY(gaps.gaps.back().cause == GapCause::outsideCapture);
  }

  void cause_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("cause");
    const auto row = [](const char* name, const std::string& text, GapCause cause) {
      QTest::newRow(name) << QByteArray::fromStdString(text) << static_cast<int>(cause);
    };
    using enum GapCause;
    row("loading data is input", lateAfter(std::string("op 21us 80us main ") + kDataLoader), input);
    row("loading data with ops inside is input",
        lateAfter(std::string("op 21us 80us main ") + kDataLoader +
                  "op 22us 79us main aten::stack\n"),
        input);
    row("loading data for the smaller part is not input",
        lateAfter(std::string("op 21us 50us main ") + kDataLoader +
                  "op 50us 98us main aten::conv2d\n"),
        launch);
    row("a blocking call is a host sync", lateAfter("call 15us 80us main cudaDeviceSynchronize\n"),
        hostSync);
    row("reading a value back is a host sync",
        lateAfter("op 21us 80us main aten::item\ncall 22us 79us main cudaMemcpyAsync\n"), hostSync);
    row("hip calls block as cuda calls do", lateAfter("call 15us 80us main hipStreamSynchronize\n"),
        hostSync);
    row("a sync that drained the queue is the reason for the dispatch after it",
        kBefore +
            "call 8us 21us main cudaStreamSynchronize\nop 21us 33us main aten::add\n"
            "call 30us 31us main cudaLaunchKernel corr=2\nkernel 33us 40us 7 relu corr=2\n",
        hostSync);
    row("a sync the host had just reached is not",
        kBefore +
            "call 19us 21us main cudaStreamSynchronize\nop 21us 33us main aten::add\n"
            "call 30us 31us main cudaLaunchKernel corr=2\nkernel 33us 40us 7 relu corr=2\n",
        launch);
    row("allocating is allocation", lateAfter("call 21us 80us main cudaMalloc\n"), allocation);
    row("allocating for the smaller part is not",
        lateAfter("call 21us 40us main cudaMalloc\nop 40us 98us main aten::add\n"), launch);
    row("loading a module is compile or load",
        lateAfter("call 21us 80us main cuModuleLoadDataEx\n"), compileLoad);
    row("a launch that loads a module for most of it is compile or load",
        kBefore +
            "call 15us 97us main cudaLaunchKernel corr=2\ncall 16us 96us main cuModuleLoadDataEx\n"
            "kernel 100us 110us 7 relu corr=2\n",
        compileLoad);
    row("compiling is compile or load although ops run in it",
        lateAfter("range 21us 90us main 'compile_fx_inner (dynamo_timed)'\n"
                  "op 22us 89us main aten::empty\n"),
        compileLoad);
    row("calling compiled code is not compiling", lateAfter("op 21us 98us main CompiledFunction\n"),
        launch);
    row("compiling a Triton kernel is compile or load",
        lateAfter("python 21us 98us main 'triton/compiler/compiler.py(226): compile'\n"),
        compileLoad);
    row("launching a compiled Triton kernel is not",
        lateAfter("python 21us 98us main 'triton/compiler/compiler.py(412): run'\n"), python);
    row("dispatching is launch bound", lateAfter("op 21us 98us main aten::conv2d\n"), launch);
    row("a launching call that takes long is launch bound",
        kBefore + "call 8us 95us main cudaLaunchKernel corr=2\nkernel 100us 110us 7 relu corr=2\n",
        launch);
    row("the first launch of a kernel that takes long loads its code",
        kBefore +
            "call 21us 2095us main cudaLaunchKernel corr=2\n"
            "kernel 2100us 2110us 7 relu corr=2\n",
        compileLoad);
    row("a later launch that takes long does not",
        kBefore +
            "call 21us 2095us main cudaLaunchKernel corr=2\n"
            "kernel 2100us 2110us 7 gemm corr=2\n",
        launch);
    row("Python frames alone are Python", lateAfter("python 9us 99us main 'train.py(3): step'\n"),
        python);
    row("Python around a longer op is launch bound",
        lateAfter("python 9us 99us main 'train.py(3): step'\nop 40us 98us main aten::add\n"),
        launch);
    row("nothing recorded is host idle", lateAfter(""), hostIdle);
    row("a silence no longer than Python between ops is launch bound",
        kBefore + "call 60us 62us main cudaLaunchKernel corr=2\nkernel 66us 70us 7 relu corr=2\n",
        launch);
    row("a range of the user says nothing", lateAfter("range 9us 99us main 'my range'\n"),
        hostIdle);
    row("short silences between ops are dispatch",
        lateAfter("op 30us 40us main aten::add\nop 50us 60us main aten::add\n"), launch);
    row("waiting for other processes", lateAfter("range 21us 90us main 'store->get'\n"), otherRank);
    row("an upload after silence is input",
        kBefore +
            "call 195us 197us main cudaMemcpyAsync corr=2\n"
            "memcpy 200us 210us 7 'Memcpy HtoD (Pageable -> Device)' corr=2\n",
        input);
    row("a download after silence is not",
        kBefore +
            "call 195us 197us main cudaMemcpyAsync corr=2\n"
            "memcpy 200us 210us 7 'Memcpy DtoH (Device -> Pinned)' corr=2\n",
        hostIdle);
    row("the profiler's own work is the profiler",
        lateAfter("overhead 30us 75us main 'Buffer Flush'\nop 75us 98us main aten::add\n"),
        profiler);
    row("a little of the profiler is not",
        lateAfter("overhead 30us 50us main 'Buffer Flush'\nop 50us 98us main aten::add\n"), launch);
    row("lazy loading is compile or load",
        lateAfter("overhead 30us 90us main 'Lazy Function Loading'\n"), compileLoad);
    row("work without a launch has an unknown producer",
        kBefore + "kernel 100us 110us 7 relu corr=99\n", unknown);
    const std::string queued = "call 5us 6us main cudaLaunchKernel corr=2\n";
    row("work queued in time waits 30 us of latency",
        kBefore + queued + "kernel 50us 60us 7 relu corr=2\n", launchLatency);
    row("longer waiting is unexplained", kBefore + queued + "kernel 51us 60us 7 relu corr=2\n",
        deviceWait);
    const std::string other =
        "call 1us 2us main cudaLaunchKernel corr=3\n"
        "kernel 10us 50us 20 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL' corr=3\n";
    const std::string next =
        "call 6us 7us main cudaLaunchKernel corr=2\nkernel 53us 60us 7 relu corr=2\n";
    row("a stream that waits for a collective",
        kBefore + other + "call 5us 6us main cudaStreamWaitEvent\n" + next, collective);
    row("without a wait between the launches it is latency", kBefore + other + next, launchLatency);
    row("a wait before the stream's previous work does not count",
        kBefore + other + "call 1us 2us worker cudaStreamWaitEvent\n" + next, launchLatency);
    row("a wait that the device recorded",
        kBefore + other + "sync 20us 51us 7 'Stream Wait Event' corr=8 wait_stream=20\n" + next,
        collective);
    row("a wait that ended long before the next work explains nothing",
        kBefore + other +
            "call 5us 6us main cudaStreamWaitEvent\n"
            "call 6us 7us main cudaLaunchKernel corr=2\n"
            "kernel 251us 260us 7 relu corr=2\n",
        deviceWait);
    std::string copy = other;
    copy.replace(copy.find("'nccl"),
                 std::string("'ncclDevKernel_AllReduce_Sum_bf16_RING_LL'").size(),
                 "elementwise_kernel");
    row("a stream that waits for other work",
        kBefore + copy + "call 5us 6us main cudaStreamWaitEvent\n" + next, otherStream);
    row("forward hands over to the autograd thread",
        kBefore +
            "op 21us 80us main aten::item\nop 92us 98us autograd aten::add\n"
            "call 95us 97us autograd cudaLaunchKernel corr=2\n"
            "kernel 100us 110us 7 relu corr=2\n",
        hostSync);
    row("old recordings keep calls on other thread ids",
        "op 0 8us main aten::mm ext=5\ncall 2us 4us x cudaLaunchKernel corr=1 ext=5\n"
        "kernel 10us 20us 7 gemm corr=1 ext=5\n" +
            (std::string("op 21us 90us main ") + kDataLoader) +
            "op 91us 99us main aten::add ext=6\ncall 95us 97us x cudaLaunchKernel corr=2 ext=6\n"
            "kernel 100us 110us 7 relu corr=2 ext=6\n",
        input);
  }

  void cause() {
    QFETCH(QByteArray, text);
    QFETCH(int, cause);
    const IdleGap gap = onlyGap(text.toStdString());
    const std::string found(word(gap.cause));
    QVERIFY2(gap.cause == static_cast<GapCause>(cause), (found + ": " + gap.why).c_str());
    QVERIFY(!gap.why.empty());
    QVERIFY(gap.before.valid() && gap.after.valid());
  }

  void evidenceIsWhatFilledTheGap() {
    const auto trace = traceFromText(lateAfter(std::string("op 21us 80us main ") + kDataLoader +
                                               "op 80us 94us main aten::to\n"));
    const auto w = makeWorkload(trace).value();
    const IdleGap gap = idleGaps(*w, wholeDeviceWindow(*w)).gaps.front();
    QVERIFY(trace->name(gap.hostEvent).starts_with("enumerate(DataLoader)"));
    QCOMPARE(trace->name(gap.launch), std::string_view("cudaLaunchKernel"));
    QCOMPARE(trace->name(gap.after), std::string_view("relu"));
    QCOMPARE(gap.span, (TimeSpan{20'000, 100'000}));
    QVERIFY(gap.why.find("59.0 µs of the 75.0 µs") != std::string::npos);
  }

  void outsideTheRecordingNothingIsKnown() {
    const auto w = workloadFromText(kBefore + "op 20us 30us main aten::add\n");
    const IdleGaps gaps = idleGaps(*w, spanWindow({0, 30'000}));
    QCOMPARE(gaps.gaps.size(), std::size_t{2});
    for (const IdleGap& gap : gaps.gaps) QCOMPARE(gap.cause, GapCause::outsideCapture);
    QCOMPARE(gaps.total, TimeNs{20'000});
  }

  void aGapOverTheBorderOfTwoStepsIsOne() {
    const auto w = workloadFromText(lateAfter(""));
    AnalysisWindow steps;
    steps.spans = {{0, 50'000}, {50'000, 120'000}};
    const IdleGaps joined = idleGaps(*w, steps);
    steps.spans = {{0, 50'000}, {60'000, 120'000}};
    const IdleGaps apart = idleGaps(*w, steps);
    QCOMPARE(joined.gaps.size(), std::size_t{3});
    QCOMPARE(joined.gaps[1].span, (TimeSpan{20'000, 100'000}));
    QCOMPARE(apart.gaps.size(), std::size_t{4});
    QCOMPARE(apart.gaps[1].span, (TimeSpan{20'000, 50'000}));
    QCOMPARE(apart.gaps[2].span, (TimeSpan{60'000, 100'000}));
    QCOMPARE(apart.gaps[1].cause, joined.gaps[1].cause);
  }

  void gapsSumToTheIdleTimeExactly() {
    std::mt19937 random(99);
    for (int round = 0; round < 40; ++round) {
      std::string text = "op 0 1 main aten::empty\n";
      for (int i = 0; i <= round; ++i) {
        const int begin = std::uniform_int_distribution(0, 400)(random);
        const int end = begin + std::uniform_int_distribution(0, 20)(random);
        text += "kernel " + std::to_string(begin) + ' ' + std::to_string(end) + ' ' +
                std::to_string(i % 2) + "/" + std::to_string(i % 3) +
                " gemm corr=" + std::to_string(i + 1) + "\ncall " + std::to_string(begin / 2) +
                ' ' + std::to_string(begin / 2 + 3) +
                " main cudaLaunchKernel corr=" + std::to_string(i + 1) + '\n';
      }
      const auto w = workloadFromText(text);
      AnalysisWindow window;
      window.spans = {{5, 100}, {100, 150}, {170, 171}, {200, 500}};
      for (const AnalysisWindow& each : {window, wholeDeviceWindow(*w)}) {
        const DeviceTimes times = deviceTimes(*w, each);
        const IdleGaps gaps = idleGaps(*w, each);
        TimeNs idle = 0;
        for (const DeviceTime& device : times.devices) idle += device.idle;
        TimeNs sum = 0;
        for (const IdleGap& gap : gaps.gaps) {
          QVERIFY(gap.span.length() > 0);
          QCOMPARE(measureWithin(times.devices[gap.device.index()].busyIntervals, gap.span),
                   TimeNs{0});
          sum += gap.span.length();
        }
        QCOMPARE(sum, idle);
        QCOMPARE(gaps.total, idle);
        QCOMPARE(std::accumulate(gaps.byCause.begin(), gaps.byCause.end(), TimeNs{0}), idle);
      }
    }
  }

  void graphReplayAndUnknownProducersMakeCausesUnreliable() {
    const auto graph = workloadFromText(
        "call 0 1us main cudaGraphLaunch corr=1\nkernel 2us 3us 7 a corr=1\n"
        "kernel 5us 6us 7 b corr=1\n");
    const IdleGaps replayed = idleGaps(*graph, wholeDeviceWindow(*graph));
    QVERIFY(!replayed.reliable);
    QVERIFY(replayed.unreliable.find("graphs") != std::string::npos);
    const auto lost = workloadFromText(kBefore + "kernel 100us 110us 7 relu corr=99\n");
    QVERIFY(!idleGaps(*lost, wholeDeviceWindow(*lost)).reliable);
    const auto fine = workloadFromText(lateAfter(""));
    QVERIFY(idleGaps(*fine, wholeDeviceWindow(*fine)).reliable);
  }

  void betweenStepsOfResnet50WithoutWorkersIsInput() {
    const char* file =
        "traces/kineto/pytorch__kineto/resnet50_num_workers_0/"
        "worker0.1623143089861.pt.trace.json.gz";
    if (sharedFile(file).empty())
      QSKIP("needs the real traces beside the checkout (../shared/traces)");
    std::shared_ptr<const Workload> w;
    const IdleGaps gaps = steadyGapsOf(file, w);
    for (std::size_t k = 1; k < w->steps.steps.size(); ++k) {
      const TimeNs border = w->steps.steps[k].window.begin;
      // The device finishes the step before first: the gap follows the border.
      auto at = gaps.gaps.end();
      for (auto gap = gaps.gaps.begin(); gap != gaps.gaps.end(); ++gap) {
        if (std::abs(gap->span.begin - border) > 30'000'000) continue;
        if (at == gaps.gaps.end() || gap->span.length() > at->span.length()) at = gap;
      }
      QVERIFY(at != gaps.gaps.end());
      QCOMPARE(at->cause, GapCause::input);
      QVERIFY(at->span.length() > 40'000'000);
      QVERIFY(w->trace->name(at->hostEvent).find("DataLoader") != std::string_view::npos);
    }
    QVERIFY(gaps.byCause[static_cast<std::size_t>(GapCause::input)] * 2 > gaps.total);
    QVERIFY(gaps.reliable);
  }

  void workersTakeTheInputAway() {
    const char* file =
        "traces/kineto/pytorch__kineto/resnet50_num_workers_4/"
        "worker0.1623212756351.pt.trace.json.gz";
    if (sharedFile(file).empty())
      QSKIP("needs the real traces beside the checkout (../shared/traces)");
    std::shared_ptr<const Workload> w;
    const IdleGaps gaps = steadyGapsOf(file, w);
    QVERIFY(gaps.byCause[static_cast<std::size_t>(GapCause::input)] * 10 < gaps.total);
  }
};

QTEST_GUILESS_MAIN(TestIdleGaps)
#include "tst_idle_gaps.moc"
