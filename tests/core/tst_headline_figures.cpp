// One definition a figure: what the sentences say is in the tables below them.
#include <algorithm>

#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/step_bounds.h"
#include "core/base/duration_text.h"
#include "core/io/load_trace.h"
#include "core/report/report.h"
#include "core/simulator/simulator.h"
#include "tests/support/analysed.h"
#include "tests/support/loaded_trace.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

Results resultsOf(std::string_view text) {
  return steadyResults(traceFromText(text));
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

std::string markdownOf(const Results& r) {
  const ReportRank rank{.rank = 0, .results = r};
  return reportToMarkdown({&rank, 1});
}

const HeadlinePart* partWith(const Headline& h, std::string_view panel) {
  for (const HeadlinePart& part : h.parts)
    if (part.panel == panel) return &part;
  return nullptr;
}

/// The first step begins before the first recorded work of the device; in the others the device
/// waits for an operator of the host. Three steps of 100 µs.
constexpr std::string_view kLateDevice =
    "step 0 100us main ProfilerStep#1\n"
    "call 60us 61us main cudaLaunchKernel corr=1\n"
    "kernel 62us 99us 7 gemm corr=1\n"
    "step 100us 200us main ProfilerStep#2\n"
    "op 100us 150us main aten::mm\n"
    "call 140us 141us main cudaLaunchKernel corr=2\n"
    "kernel 142us 199us 7 gemm corr=2\n"
    "step 200us 300us main ProfilerStep#3\n"
    "op 200us 250us main aten::mm\n"
    "call 240us 241us main cudaLaunchKernel corr=3\n"
    "kernel 242us 300us 7 gemm corr=3\n";

/// A long step of one operator, and a short one in which the host does nothing recorded.
constexpr std::string_view kUnlikeSteps =
    "step 0 900us main ProfilerStep#1\n"
    "op 0 890us main aten::slow\n"
    "call 100us 101us main cudaLaunchKernel corr=1\n"
    "kernel 102us 150us 7 gemm corr=1\n"
    "step 900us 1ms main ProfilerStep#2\n"
    "call 901us 902us main cudaLaunchKernel corr=2\n"
    "kernel 903us 910us 7 gemm corr=2\n";

}  // namespace

class TestHeadlineFigures : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Pauses of 3 ms in which the launching thread records nothing are no slow launching.
  void aSilentHostIsNotCalledLaunchBound() {
    std::string text = "step 0 20ms main ProfilerStep#1\n";
    for (int i = 0; i < 6; ++i) {
      const std::string corr = std::to_string(i + 1);
      const auto us = [&](int t) { return std::to_string(i * 3000 + t) + "us "; };
      text += "op " + us(0) + us(20) + "main aten::mm\ncall " + us(5) + us(10) +
              "main cudaLaunchKernel corr=" + corr + "\nkernel " + us(12) + us(40) +
              "7 gemm corr=" + corr + "\n";
    }
    const Headline h = resultsOf(text)->headline;
    QVERIFY2(h.word == Verdict::hostBound && has(h.verdict, "nothing is recorded on the thread"),
             h.verdict.c_str());
  }

  /// A device that is busy all the time may be nearly empty. Only estimates of nearly all of its
  /// kernels let us say so.
  void aBusyDeviceWhoseMultiprocessorsAreIdleIsTold() {
    const auto with = [](const std::string& first, const std::string& second) {
      return resultsOf(
                 "step 0 100us main ProfilerStep#1\ncall 0 1us main cudaLaunchKernel corr=1\n"
                 "kernel 1us 80us 7 gemm corr=1 " +
                 first +
                 "\ncall 1us 2us main cudaLaunchKernel corr=2\n"
                 "kernel 80us 100us 7 gemm corr=2 " +
                 second + "\n")
          ->headline;
    };
    const Headline small = with("blocks=0.25", "blocks=0.25");
    QVERIFY2(has(small.verdict, "While kernels run, only 25 % of the multiprocessors have a block"),
             small.verdict.c_str());
    QVERIFY2(has(small.action, "Larger batches"), small.action.c_str());
    QVERIFY(!has(with("blocks=4", "blocks=0.25").verdict, "multiprocessors"));
    QVERIFY(!has(with("", "").verdict, "multiprocessors"));
    QVERIFY(!has(with("", "blocks=0.25").verdict, "multiprocessors"));
  }

  void theCollectiveThatIsNamedIsTheExposedOne() {
    const Results r = resultsOf(
        "step 0 1ms main ProfilerStep#1\n"
        "call 1us 2us main cudaLaunchKernel corr=1\n"
        "call 3us 4us main cudaLaunchKernel corr=2\n"
        "call 5us 6us main cudaLaunchKernel corr=3\n"
        "kernel 10us 600us 7 ampere_sgemm_128x64 corr=1\n"
        "kernel 20us 590us 20 ncclDevKernel_AllGather_RING_LL corr=2\n"
        "kernel 610us 999us 20 ncclDevKernel_AllReduce_Sum_f16 corr=3\n");
    QVERIFY2(has(r->headline.verdict, "nothing but all-reduce"), r->headline.verdict.c_str());
    QVERIFY(r->headline.verdictSlice ==
            sliceNamed(*r->workload->trace, "ncclDevKernel_AllReduce_Sum_f16"));
  }

  void aHostOfWhichNothingIsKnownHasNoVerdict() {
    const Results r = steadyResults(
        load(R"([{"ph":"X","name":"request","cat":"web","pid":1,"tid":1,"ts":0,"dur":90},)"
             R"({"ph":"X","name":"request","cat":"web","pid":1,"tid":1,"ts":100,"dur":90}])"));
    QVERIFY(r->headline.word == Verdict::unknown);
    QVERIFY2(has(r->headline.verdict, "is unknown"), r->headline.verdict.c_str());
    for (const WhatIf& change : r->whatIfs.list) QCOMPARE(change.saving(), TimeNs{0});
  }

  void whatTheEventsLookLikeIsSaidInstead() {
    const Results r = steadyResults(
        load(R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"Renderer"}},)"
             R"({"ph":"X","name":"request","cat":"web","pid":1,"tid":1,"ts":0,"dur":900},)"
             R"({"ph":"X","name":"inner","cat":"blink","pid":1,"tid":1,"ts":10,"dur":800},)"
             R"({"ph":"X","name":"paint","cat":"gfx","pid":2,"tid":2,"ts":0,"dur":90}])"));
    QVERIFY2(has(r->headline.verdict,
                 "By process, most time is in \"Renderer\" (900 µs), \"2\" (90.0 µs)"),
             r->headline.verdict.c_str());
    QVERIFY2(has(r->headline.verdict, "by category in \"web\" (900 µs), \"gfx\" (90.0 µs)."),
             r->headline.verdict.c_str());
  }

  void aDeviceWhoseMemoryIsRecordedWasUsed() {
    const std::string op = "op 0 90us main aten::mm\n";
    QVERIFY(has(resultsOf(op)->headline.action, "If a device was used"));
    const Results used = resultsOf(
        op + "instant 10us 10us main [memory] bytes=64 total=64 device_type=1 device=0\n");
    QVERIFY2(has(used->headline.action, "A device was used"), used->headline.action.c_str());
  }

  void theCriticalPathIsOfOneStepEverywhere() {
    const Results r = resultsOf(kUnlikeSteps);
    const CriticalPath& path = r->criticalPaths.paths[r->criticalPaths.representative];
    QCOMPARE(path.window.length(), TimeNs{100'000});  // of two equally near the shorter
    QCOMPARE(r->criticalPaths.representative, r->workload->steps.representative);
    const auto top = static_cast<std::size_t>(
        std::max_element(path.byCause.begin(), path.byCause.end()) - path.byCause.begin());
    QCOMPARE(static_cast<PathCause>(top), PathCause::hostGap);
    const HeadlinePart* part = partWith(r->headline, "critical_path");
    QVERIFY(part != nullptr);
    const std::string share = shareText(path.byCause[top], path.window.length());
    QCOMPARE(part->text, "critical path of step #2 " + share + " host gap");
    QVERIFY2(has(part->tooltip, "(100 µs, the step whose length is nearest the median)"),
             part->tooltip.c_str());
    const std::string markdown = markdownOf(r);
    QVERIFY(has(markdown, "**Critical path:** host gap "));
    QVERIFY(has(markdown, "of 100 µs, the step whose length is nearest the median"));
    QVERIFY(!has(markdown, "of median length"));
    // The verdict speaks of that step, too, and says so.
    QVERIFY2(has(r->headline.verdict, "of step #2"), r->headline.verdict.c_str());
  }

  void theVerdictsShareIsThatOfTheTable() {
    const Results r = resultsOf(kLateDevice);
    const StepShares& shares = r->headline.shares;
    QCOMPARE(shares.step, TimeNs{100'000});
    const TimeNs launch = shares.of(StepPart::launch) / 3;
    QVERIFY(launch > 25'000 && launch < 35'000);
    const std::string said =
        durationText(launch) + " of the mean step of 100 µs (" + shareText(launch, 100'000) + ")";
    QVERIFY2(has(r->headline.verdict, "stands still for " + said), r->headline.verdict.c_str());
    QVERIFY(!r->headline.recoverable.empty());
    QCOMPARE(r->headline.recoverable.front().time, launch);
    QVERIFY(r->headline.recoverable.front().atMost <= launch);
  }

  void timeOutsideTheRecordingIsNoPromise() {
    const Results r = resultsOf(kLateDevice);
    const TimeNs outside =
        r->idleGaps.byCause[static_cast<std::size_t>(GapCause::outsideCapture)] / 3;
    QVERIFY(outside > 20'000);
    QVERIFY2(has(r->headline.action, "can be won. Not counted: " + durationText(outside) +
                                         " of idle time before the first or after the last "
                                         "recorded work of the device."),
             r->headline.action.c_str());
  }

  void whereAllIdleTimeIsOutsideNothingIsPromised() {
    const Results r = resultsOf(
        "step 0 1ms main ProfilerStep#1\n"
        "op 0 990us main aten::mm\n"
        "call 890us 891us main cudaLaunchKernel corr=1\n"
        "kernel 900us 950us 7 gemm corr=1\n");
    QVERIFY2(r->headline.word == Verdict::hostBound, r->headline.verdict.c_str());
    QVERIFY2(!has(r->headline.action, "at most"), r->headline.action.c_str());
    QVERIFY2(has(r->headline.action,
                 "Nothing is known that could be won. Not counted: 950 µs of idle time before"),
             r->headline.action.c_str());
  }

  void theFloorsOfAStepAreItsOwn() {
    SimulationOptions options;
    options.scenario = "healthy";
    options.seed = 2;
    const auto simulation = simulate(options);
    QVERIFY(simulation.ok());
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("trace.json")).toStdString();
    QVERIFY(writeKineto(simulation.value(), 0, path).ok());
    auto loaded = loadTrace(path);
    QVERIFY(loaded.ok());
    const Results r = steadyResults(loaded.value().front().trace);
    const std::size_t n = r->window.spans.size();
    QVERIFY(n > 1 && !r->bounds.empty() && r->bounds.front().deviceFloor());
    TimeNs sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const StepFloors floors = floorsOfSpan(*r->workload, r->window, i, r->bounds);
      QVERIFY(floors.device && *floors.device <= r->window.spans[i].length());
      QCOMPARE(floors.ofMean, r->bounds.front().floor());
      sum += *floors.device;
    }
    // Bounds are sums over the calls of a step: the mean of them is that of the mean step.
    const TimeNs mean = *r->bounds.front().deviceFloor();
    QVERIFY(std::abs(sum / static_cast<TimeNs>(n) - mean) * 100 < mean);
    QCOMPARE(r->whatIfs.floors.device,
             floorsOfSpan(*r->workload, r->window, r->whatIfs.span, r->bounds).device);
  }
};

QTEST_GUILESS_MAIN(TestHeadlineFigures)
#include "tst_headline_figures.moc"
