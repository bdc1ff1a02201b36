#include <QTest>

#include "core/analysis/critical_path.h"
#include "core/analysis/graph_builder.h"
#include "core/analysis/path_context.h"
#include "tests/support/path_scene.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// "0-10 hostOp a", one line a segment.
QString textOf(const Workload& w, const CriticalPath& path) {
  QString text;
  for (const PathSegment& p : path.segments) {
    const std::string_view cause = word(p.cause);
    const std::string_view edge = word(p.edge);
    const std::string_view name = p.event.valid() ? w.trace->name(p.event) : "-";
    const auto q = [](std::string_view t) {
      return QString::fromUtf8(t.data(), static_cast<qsizetype>(t.size()));
    };
    text += QStringLiteral("%1-%2 %3 %4 %5\n")
                .arg(p.span.begin)
                .arg(p.span.end)
                .arg(q(cause), q(name), q(edge));
  }
  return text;
}

QString pathOf(const PathScene& scene, TimeSpan window) {
  const auto w = scene.workload();
  return textOf(*w, criticalPath(*w, window));
}

}  // namespace

class TestCriticalPath : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aKernelWaitsForItsLaunch();
  void aKernelBehindAnotherWaitsForTheStream();
  void aKernelThatStartsInsideItsLaunchCallIsEnteredAtThatInstant();
  void aSynchronisationGoesOnAtTheKernelThatEndedLastInsideIt();
  void aCopyThatBlocksIsWaitedForByItsCall();
  void aCopyBehindAKernelWaitsForTheKernelAndNotForItsCall();
  void oneGraphLaunchExplainsTheFirstKernelOfAStreamOnly();
  void aRecordedWaitJoinsTwoStreams();
  void aCollectiveIsWaitedForWhereAWaitWasCalled();
  void withoutAWaitCallOtherStreamsAreNotWaitedFor();
  void aFullQueueMakesTheLaunchWaitForTheDevice();
  void aLaunchThatLoadsCodeIsCompilationAndNoLaunch();
  void theBackwardThreadIsWokenByTheForwardThread();
  void dataLoadingIsInputWithAllThatIsInside();
  void runtimeCallsOnAThreadOfTheirOwnBelongToTheOperatorsThread();
  void whatHasNoPredecessorIsUntraced();
  void deviceBeforeLaunchByClockNoiseStillLeadsToTheLaunch();
  void withoutAnyLaunchPausesOfTheHostAreUntraced();
  void anEmptyTraceIsUntraced();
  void aWindowThatStartsADeviceEventEndsWithWhatThatWaitedFor();
};

void TestCriticalPath::aKernelWaitsForItsLaunch() {
  PathScene scene;
  scene.op("aten::mm", 0, 100).call("cudaLaunchKernel", 50, 80, 1).kernel("gemm", 90, 200, 1);
  QCOMPARE(pathOf(scene, {0, 200}), QStringLiteral("0-50 host_op aten::mm parent\n"
                                                   "50-80 launch cudaLaunchKernel launch\n"
                                                   "80-90 launch_latency gemm launch\n"
                                                   "90-200 compute gemm window_end\n"));
}

void TestCriticalPath::aKernelBehindAnotherWaitsForTheStream() {
  PathScene scene;
  scene.op("aten::mm", 0, 40)
      .call("cudaLaunchKernel", 10, 20, 1)
      .call("cudaLaunchKernel", 25, 35, 2)
      .kernel("a", 25, 100, 1)
      .kernel("b", 103, 150, 2);
  QCOMPARE(pathOf(scene, {0, 150}), QStringLiteral("0-10 host_op aten::mm parent\n"
                                                   "10-20 launch cudaLaunchKernel launch\n"
                                                   "20-25 launch_latency a launch\n"
                                                   "25-100 compute a stream_order\n"
                                                   "100-103 queueing b stream_order\n"
                                                   "103-150 compute b window_end\n"));
}

void TestCriticalPath::aKernelThatStartsInsideItsLaunchCallIsEnteredAtThatInstant() {
  PathScene scene;
  scene.op("aten::mm", 0, 40).call("cudaLaunchKernel", 10, 30, 1).kernel("a", 20, 100, 1);
  QCOMPARE(pathOf(scene, {5, 100}), QStringLiteral("5-10 host_op aten::mm parent\n"
                                                   "10-20 launch cudaLaunchKernel launch\n"
                                                   "20-100 compute a window_end\n"));
}

void TestCriticalPath::aSynchronisationGoesOnAtTheKernelThatEndedLastInsideIt() {
  for (const char* name : {"cudaDeviceSynchronize", "hipDeviceSynchronize", "urQueueFinish"}) {
    PathScene scene;
    scene.host("user_annotation", "ProfilerStep#1", 0, 220)
        .op("aten::mm", 0, 40)
        .call("cudaLaunchKernel", 10, 20, 1)
        .kernel("a", 30, 190, 1)
        .call(name, 50, 200)
        .op("aten::add", 205, 215);
    const auto w = scene.workload();
    const QString text = textOf(*w, criticalPath(*w, {0, 220}));
    const QString tail = QStringLiteral(
                             "30-190 compute a synchronisation\n"
                             "190-200 host_sync %1 thread_order\n"
                             "200-205 host_gap ProfilerStep#1 parent\n")
                             .arg(QString::fromLatin1(name));
    QVERIFY2(text.contains(tail), qPrintable(text));
  }
}

void TestCriticalPath::aCopyThatBlocksIsWaitedForByItsCall() {
  PathScene scene;
  scene.host("user_annotation", "ProfilerStep#1", 0, 100)
      .op("aten::item", 0, 100)
      .call("cudaMemcpyAsync", 10, 90, 1)
      .device("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 70, 80, 7, 1);
  QCOMPARE(pathOf(scene, {0, 100}),
           QStringLiteral("0-10 host_op aten::item parent\n"
                          "10-70 launch cudaMemcpyAsync launch\n"
                          "70-80 memory Memcpy DtoH (Device -> Pageable) synchronisation\n"
                          "80-90 host_sync cudaMemcpyAsync thread_order\n"
                          "90-100 host_op aten::item window_end\n"));
}

void TestCriticalPath::aCopyBehindAKernelWaitsForTheKernelAndNotForItsCall() {
  PathScene scene;
  scene.host("user_annotation", "ProfilerStep#1", 0, 100)
      .call("cudaLaunchKernel", 0, 5, 1)
      .kernel("a", 8, 68, 1)
      .op("aten::item", 10, 100)
      .call("cudaMemcpyAsync", 12, 90, 2)
      .device("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 70, 80, 7, 2);
  QVERIFY(pathOf(scene, {0, 100})
              .contains(QStringLiteral(
                  "8-68 compute a stream_order\n"
                  "68-70 queueing Memcpy DtoH (Device -> Pageable) stream_order\n"
                  "70-80 memory Memcpy DtoH (Device -> Pageable) synchronisation\n")));
}

void TestCriticalPath::oneGraphLaunchExplainsTheFirstKernelOfAStreamOnly() {
  PathScene scene;
  // The call lasts longer than the first kernel: the second still follows the first.
  scene.call("cudaGraphLaunch", 10, 60, 1)
      .kernel("a", 20, 30, 1)
      .kernel("b", 35, 50, 1)
      .kernel("c", 52, 80, 1);
  QCOMPARE(pathOf(scene, {10, 80}), QStringLiteral("10-20 launch cudaGraphLaunch launch\n"
                                                   "20-30 compute a stream_order\n"
                                                   "30-35 queueing b stream_order\n"
                                                   "35-50 compute b stream_order\n"
                                                   "50-52 queueing c stream_order\n"
                                                   "52-80 compute c window_end\n"));
}

void TestCriticalPath::aRecordedWaitJoinsTwoStreams() {
  PathScene scene;
  scene.call("cudaLaunchKernel", 0, 5, 1)
      .call("cudaEventRecord", 6, 7, 2)
      .call("cudaLaunchKernel", 8, 9, 5)  // after the event: not waited for
      .call("cudaStreamWaitEvent", 10, 11, 3)
      .waitRecord(11, 3, 20, 7, 2)
      .call("cudaLaunchKernel", 12, 15, 4)
      .kernel("a", 6, 100, 1, 7)
      .kernel("late", 100, 101, 5, 7)
      .kernel("b", 103, 150, 4, 20);
  QCOMPARE(pathOf(scene, {0, 150}), QStringLiteral("0-5 launch cudaLaunchKernel launch\n"
                                                   "5-6 launch_latency a launch\n"
                                                   "6-100 compute a event_wait\n"
                                                   "100-103 stream_wait a event_wait\n"
                                                   "103-150 compute b window_end\n"));
}

void TestCriticalPath::aCollectiveIsWaitedForWhereAWaitWasCalled() {
  PathScene scene;
  scene.call("cudaLaunchKernel", 0, 5, 1)
      .call("cudaLaunchKernel", 10, 15, 2)
      .call("cudaStreamWaitEvent", 20, 21, 9)
      .call("cudaLaunchKernel", 22, 25, 3)
      .kernel("a", 8, 30, 1, 7)
      .kernel("ncclKernel_AllReduce", 18, 200, 2, 20)
      .kernel("optimizer", 210, 250, 3, 7);
  const QString text = pathOf(scene, {0, 250});
  QVERIFY2(text.contains(QStringLiteral("18-200 communication ncclKernel_AllReduce event_wait\n"
                                        "200-210 stream_wait ncclKernel_AllReduce event_wait\n"
                                        "210-250 compute optimizer window_end\n")),
           qPrintable(text));
}

void TestCriticalPath::withoutAWaitCallOtherStreamsAreNotWaitedFor() {
  PathScene scene;
  scene.call("cudaStreamWaitEvent", 0, 1, 9)
      .call("cudaLaunchKernel", 2, 5, 1)
      .call("cudaLaunchKernel", 10, 15, 2)
      .call("cudaLaunchKernel", 22, 25, 3)
      .kernel("a", 8, 30, 1, 7)
      .kernel("other", 18, 200, 2, 20)
      .kernel("b", 210, 250, 3, 7);
  QVERIFY(pathOf(scene, {0, 250})
              .contains(QStringLiteral("8-30 compute a stream_order\n"
                                       "30-210 queueing b stream_order\n")));
}

void TestCriticalPath::aFullQueueMakesTheLaunchWaitForTheDevice() {
  PathScene scene;
  constexpr int kKernels = 1100;
  TimeNs device = 20'000;
  for (int i = 0; i < kKernels; ++i) {
    scene.call("cudaLaunchKernel", i * 10, i * 10 + 8, i + 1);
    scene.kernel("k", device, device + 90'000, i + 1);
    device += 100'000;
  }
  // The queue is full: this call returns when the third kernel is done.
  scene.call("cudaLaunchKernel", 11'500, 315'000, 5000).kernel("last", device, device + 10, 5000);
  scene.host("user_annotation", "ProfilerStep#1", 0, 320'000);
  const QString text = pathOf(scene, {0, 320'000});
  QVERIFY2(text.contains(QStringLiteral("220000-310000 compute k synchronisation\n"
                                        "310000-315000 launch cudaLaunchKernel thread_order\n")),
           qPrintable(text.right(400)));
}

/// The gaps and the steps say so, too: one call has one cause in all places.
void TestCriticalPath::aLaunchThatLoadsCodeIsCompilationAndNoLaunch() {
  PathScene scene;
  scene.call("hipLaunchKernel", 0, 3'000'000, 1)
      .kernel("gemm", 3'000'005, 3'000'100, 1)
      .call("hipLaunchKernel", 3'000'010, 3'000'020, 2)
      .kernel("gemm", 3'000'110, 3'000'200, 2);
  const auto w = scene.workload();
  const QString text = textOf(*w, criticalPath(*w, {0, 3'000'200}));
  QVERIFY2(text.startsWith(QLatin1String("0-3000000 compile_load hipLaunchKernel launch\n")),
           qPrintable(text));
  // Cheaper launches do not load the code any faster.
  const PathContext context(*w);
  const auto graph = dependencyGraph(context, criticalPath(*w, {0, 3'000'200}));
  TimeNs launches = 0, loading = 0;
  for (const GraphEdge& edge : graph->edges()) {
    if (edge.cause == PathCause::launch) launches += edge.weight;
    if (edge.cause == PathCause::compileLoad) loading += edge.weight;
  }
  QCOMPARE(launches, TimeNs{10});
  QCOMPARE(loading, TimeNs{3'000'000});
}

void TestCriticalPath::theBackwardThreadIsWokenByTheForwardThread() {
  PathScene scene;
  scene.host("user_annotation", "ProfilerStep#1", 0, 90'000)
      .op("forward", 0, 30'000)
      .op("BackwardOp", 35'000, 60'000, 2)
      .op("BackwardOp2", 61'000, 70'000, 2)
      .op("Optimizer", 75'000, 90'000);
  QCOMPARE(pathOf(scene, {0, 90'000}),
           QStringLiteral("0-30000 host_op forward thread_handover\n"
                          "30000-35000 host_gap BackwardOp thread_handover\n"
                          "35000-60000 host_op BackwardOp thread_order\n"
                          "60000-61000 host_gap BackwardOp2 thread_order\n"
                          "61000-70000 host_op BackwardOp2 thread_handover\n"
                          "70000-75000 host_gap Optimizer thread_handover\n"
                          "75000-90000 host_op Optimizer window_end\n"));
}

void TestCriticalPath::dataLoadingIsInputWithAllThatIsInside() {
  PathScene scene;
  scene.host("user_annotation", "ProfilerStep#1", 0, 100)
      .host("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10,
            70)
      .op("aten::stack", 20, 40)
      .op("aten::mm", 80, 100);
  const auto w = scene.workload();
  const CriticalPath path = criticalPath(*w, {0, 100});
  QCOMPARE(path.byCause[static_cast<std::size_t>(PathCause::input)], TimeNs{60});
}

void TestCriticalPath::runtimeCallsOnAThreadOfTheirOwnBelongToTheOperatorsThread() {
  PathScene scene;
  for (int i = 0; i < 10; ++i) {
    scene.op("aten::mm", i * 100, i * 100 + 80).items.back().args.externalId = i + 1;
    scene.call("cudaLaunchKernel", i * 100 + 20, i * 100 + 40, i + 1, 999)
        .items.back()
        .args.externalId = i + 1;
  }
  scene.kernel("a", 960, 1000, 10);
  const QString text = pathOf(scene, {0, 1000});
  QVERIFY2(text.endsWith(QStringLiteral("900-920 host_op aten::mm thread_order\n"
                                        "920-940 launch cudaLaunchKernel launch\n"
                                        "940-960 launch_latency a launch\n"
                                        "960-1000 compute a window_end\n")),
           qPrintable(text));
}

void TestCriticalPath::whatHasNoPredecessorIsUntraced() {
  PathScene scene;
  scene.kernel("a", 50, 100);
  QCOMPARE(pathOf(scene, {0, 100}), QStringLiteral("0-50 untraced a none\n"
                                                   "50-100 compute a window_end\n"));
}

void TestCriticalPath::deviceBeforeLaunchByClockNoiseStillLeadsToTheLaunch() {
  PathScene scene;
  scene.op("aten::mm", 0, 70).call("cudaLaunchKernel", 50, 60, 1).kernel("a", 45, 100, 1);
  QCOMPARE(pathOf(scene, {0, 100}), QStringLiteral("0-45 host_op aten::mm launch\n"
                                                   "45-100 compute a window_end\n"));
}

void TestCriticalPath::withoutAnyLaunchPausesOfTheHostAreUntraced() {
  const auto scene = [](int corr) {
    PathScene made;
    made.op("aten::mm", 0, 10).call("cudaLaunchKernel", 2, 5, 1).op("aten::add", 90, 100);
    return made.kernel("gemm", 20, 95, corr);
  };
  QVERIFY(pathOf(scene(1), {0, 100}).contains(QStringLiteral("10-90 host_gap")));
  // Nobody knows what that pause held up.
  QVERIFY2(pathOf(scene(7), {0, 100}).contains(QStringLiteral("10-90 untraced")),
           qPrintable(pathOf(scene(7), {0, 100})));
  // Nor where the one launch is what a filter left: most of the device's work has none.
  PathScene most = scene(1);
  most.kernel("x", 96, 97, 8).kernel("x", 98, 99, 9);
  QVERIFY2(pathOf(most, {0, 100}).contains(QStringLiteral("10-90 untraced")),
           qPrintable(pathOf(most, {0, 100})));
}

void TestCriticalPath::anEmptyTraceIsUntraced() {
  const PathScene scene;
  const auto w = scene.workload();
  const CriticalPath path = criticalPath(*w, {0, 100});
  QCOMPARE(path.byCause[static_cast<std::size_t>(PathCause::untraced)], TimeNs{100});
  QVERIFY(criticalPath(*w, {50, 50}).segments.empty());
}

void TestCriticalPath::aWindowThatStartsADeviceEventEndsWithWhatThatWaitedFor() {
  PathScene scene;
  scene.call("cudaLaunchKernel", 0, 5, 1)
      .kernel("a", 10, 50, 1)
      .op("aten::mm", 60, 90)
      .call("cudaLaunchKernel", 70, 80, 2)
      .kernel("next step", 85, 120, 2);
  QVERIFY(pathOf(scene, {10, 85})
              .endsWith(QStringLiteral("60-70 host_op aten::mm parent\n"
                                       "70-80 launch cudaLaunchKernel window_end\n"
                                       "80-85 launch_latency next step window_end\n")));
}

QTEST_GUILESS_MAIN(TestCriticalPath)
#include "tst_critical_path.moc"
