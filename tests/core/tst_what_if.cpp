#include <QTest>

#include "core/analysis/graph_builder.h"
#include "core/analysis/what_if.h"
#include "core/analysis/what_if_names.h"
#include "core/io/load_trace.h"
#include "tests/support/path_scene.h"
#include "tests/support/shared_data.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

using What = WhatIfChange::What;

struct Replayed {
  std::shared_ptr<const Workload> w;
  std::shared_ptr<const DependencyGraph> graph;
  CriticalPath path;

  Replayed(std::shared_ptr<const Workload> workload, TimeSpan window) : w(std::move(workload)) {
    const PathContext context(*w);
    path = criticalPaths(context, spanWindow(window)).paths.front();
    graph = dependencyGraph(context, path);
  }
  [[nodiscard]] WhatIf ask(std::string_view text, std::optional<TimeNs> floor = {},
                           std::optional<TimeNs> communication = {}) const {
    const auto change = parseWhatIf(text);
    return change.ok() ? whatIf(*graph, *w, change.value(), {floor, communication}) : WhatIf{};
  }
};

/// 1000 ns, of which kernel "slow" takes 150 and "rest" the others; the host waits for both.
PathScene deviceBound() {
  PathScene scene;
  scene.call("cudaLaunchKernel", 0, 10, 1)
      .call("cudaLaunchKernel", 10, 20, 2)
      .kernel("slow", 20, 170, 1)
      .kernel("rest", 175, 990, 2)
      .call("cudaDeviceSynchronize", 30, 1000);
  return scene;
}

bool says(const WhatIf& r, std::string_view words) {
  return r.sentence.find(words) != std::string::npos;
}

}  // namespace

class TestWhatIf : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void twiceAsFastOnFifteenPerCentSavesSevenAndAHalf();
  void offThePathNothingIsSaved();
  void thePathMovesWhenAnotherThingTakesLonger();
  void noMoreIsClaimedThanTheLargestBoundLeaves();
  void aRemovedCauseTakesItsTimeWithIt();
  void freeCollectivesLeaveTheRest();
  void whatIsNotThereIsAnsweredWithTheNamesThatAre();
  void launchesCostCallsAndLatency();
  void aFasterHostStillWaitsForTheDevice();
  void whatIsSentLimitsChangesThatLeaveItAlone();
  void aStepThatNeedsLessThanTheMeanOneSaysSo();
  void noStepIsShorterThanWhatItsBusiestStreamHasToDo();
  void timeInTheQueueIsNoLatency();
  void changesAreReadAndWrittenAlike();
  void nonsenseIsRefusedWithAHint();
  void factorOneChangesNothingOnRealTraces();
};

void TestWhatIf::twiceAsFastOnFifteenPerCentSavesSevenAndAHalf() {
  const Replayed step(deviceBound().workload(), {0, 1000});
  const WhatIf r = step.ask("kernel:slow=0.5");
  QCOMPARE(r.events, std::size_t{1});
  QCOMPARE(r.onPath, TimeNs{150});
  QCOMPARE(r.saving(), TimeNs{75});
  QCOMPARE(r.onNewPath, TimeNs{75});
  QVERIFY(!r.pathMoves());
  QVERIFY2(says(r, "at best") && says(r, "7.5 % less"), r.sentence.c_str());
  QVERIFY(!r.assumptions.empty());
}

void TestWhatIf::offThePathNothingIsSaved() {
  PathScene scene = deviceBound();
  scene.call("cudaLaunchKernel", 20, 30, 3).kernel("aside", 40, 240, 3, 8);
  const Replayed step(scene.workload(), {0, 1000});
  const WhatIf r = step.ask("kernel:aside=0");
  QCOMPARE(r.touched, TimeNs{200});
  QCOMPARE(r.saving(), TimeNs{0});
  QVERIFY2(says(r, "not on the critical path"), r.sentence.c_str());
  QVERIFY(says(step.ask("kernel:nowhere=0"), "nothing of that"));
  // A star stands for any end of a name: alone, for every name.
  QCOMPARE(step.ask("kernel:asi*=0").touched, TimeNs{200});
  QCOMPARE(step.ask("kernel:*=0").events, std::size_t{3});
}

void TestWhatIf::thePathMovesWhenAnotherThingTakesLonger() {
  PathScene scene = deviceBound();
  scene.call("cudaLaunchKernel", 20, 30, 3).kernel("aside", 40, 890, 3, 8);
  const Replayed step(scene.workload(), {0, 1000});
  // "rest" would end at 175 + 407; but "aside" still ends at 890.
  const WhatIf r = step.ask("kernel:rest=0.5");
  QCOMPARE(r.newStep, TimeNs{900});
  QCOMPARE(r.onNewPath, TimeNs{0});
  QVERIFY(r.pathMoves());
  QVERIFY2(says(r, "The path moves elsewhere"), r.sentence.c_str());
  QVERIFY2(says(r, "compute kernels"), r.sentence.c_str());
}

void TestWhatIf::noMoreIsClaimedThanTheLargestBoundLeaves() {
  const Replayed step(deviceBound().workload(), {0, 1000});
  const WhatIf r = step.ask("kernel:rest=0", 800);
  QVERIFY(r.replayed < 800);
  QCOMPARE(r.newStep, TimeNs{800});
  QCOMPARE(r.saving(), TimeNs{200});
  QVERIFY2(says(r, "compute and memory bounds of the step allow no more"), r.sentence.c_str());
}

void TestWhatIf::aRemovedCauseTakesItsTimeWithIt() {
  PathScene scene;
  scene
      .host("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0,
            400)
      .op("aten::mm", 400, 500)
      .call("cudaLaunchKernel", 410, 420, 1)
      .kernel("a", 430, 600, 1)
      .call("cudaDeviceSynchronize", 500, 610);
  const Replayed step(scene.workload(), {0, 610});
  QCOMPARE(step.ask("cause:input=0").saving(), TimeNs{400});
  QCOMPARE(step.ask("cause:input=0.5").saving(), TimeNs{200});
}

void TestWhatIf::freeCollectivesLeaveTheRest() {
  PathScene scene;
  scene.call("cudaLaunchKernel", 0, 10, 1)
      .call("cudaLaunchKernel", 10, 20, 2)
      .kernel("a", 20, 100, 1)
      .kernel("ncclDevKernel_AllReduce", 105, 305, 2)
      .call("cudaDeviceSynchronize", 30, 310);
  const Replayed step(scene.workload(), {0, 310});
  QCOMPARE(step.ask("collectives=0").saving(), TimeNs{200});
  QCOMPARE(step.ask("collectives=0.5").saving(), TimeNs{100});
  QCOMPARE(step.ask("collectives=2").saving(), TimeNs{-200});
}

void TestWhatIf::whatIsNotThereIsAnsweredWithTheNamesThatAre() {
  const Replayed step(deviceBound().workload(), {0, 1000});
  QVERIFY(says(step.ask("kernel:SLOWER=0.5"), "Kernels in it: like it: slow; longest: rest."));
  QVERIFY(says(step.ask("kernel:slox*=0.5"), "like it: slow"));
  QVERIFY(says(step.ask("kernel:nothing=0.5"), "Kernels in it: longest: rest, slow."));
  QVERIFY(says(step.ask("class:matmul=0.5"), "Classes in it: "));
  QVERIFY2(says(step.ask("cause:python=0"), "Causes in it: longest: compute"),
           step.ask("cause:python=0").sentence.c_str());
  QVERIFY(!says(step.ask("collectives=0"), " in it: "));
  const NamesLike many = namesLike("gemm", {"a", "b", "big_gemm_kernel", "gemm", "c", "d"});
  QCOMPARE(many.alike, (std::vector<std::string>{"gemm", "big_gemm_kernel"}));
  QCOMPARE(many.largest, (std::vector<std::string>{"a", "b", "c"}));
}

void TestWhatIf::launchesCostCallsAndLatency() {
  PathScene scene;
  scene.call("cudaLaunchKernel", 0, 40, 1)
      .kernel("a", 60, 100, 1)
      .call("cudaDeviceSynchronize", 50, 100);
  const Replayed step(scene.workload(), {0, 100});
  QCOMPARE(step.ask("launches=0.5").saving(), TimeNs{30});
}

void TestWhatIf::aFasterHostStillWaitsForTheDevice() {
  PathScene scene;
  // The synchronisation has nothing to wait for; without the operator before it it would have.
  scene.call("cudaLaunchKernel", 0, 10, 1)
      .kernel("a", 20, 200, 1)
      .op("aten::slow", 10, 300)
      .call("cudaDeviceSynchronize", 300, 310);
  const Replayed step(scene.workload(), {0, 310});
  QCOMPARE(step.ask("cause:host_op=0").newStep, TimeNs{200});
}

void TestWhatIf::whatIsSentLimitsChangesThatLeaveItAlone() {
  PathScene slow;
  slow.call("cudaLaunchKernel", 0, 10, 1)
      .kernel("ncclDevKernel_AllReduce", 20, 200, 1)
      .op("aten::slow", 10, 300)
      .call("cudaDeviceSynchronize", 300, 310);
  const WhatIf host = Replayed(slow.workload(), {0, 310}).ask("cause:host_op=0", 30, 250);
  QCOMPARE(host.replayed, TimeNs{200});
  QCOMPARE(host.newStep, TimeNs{250});
  QCOMPARE(host.floor, std::optional<TimeNs>(250));
  QVERIFY2(says(host, "The communication bound of the step allows no more."),
           host.sentence.c_str());
  // A change of what is sent is not held up by that, and says so where it is under it.
  PathScene waits;
  waits.call("cudaLaunchKernel", 0, 10, 1)
      .kernel("ncclDevKernel_AllReduce", 20, 290, 1)
      .call("cudaDeviceSynchronize", 10, 310);
  const WhatIf free = Replayed(waits.workload(), {0, 310}).ask("collectives=0", 30, 260);
  QCOMPARE(free.newStep, TimeNs{40});
  QVERIFY2(says(free, "under the step's communication bound of 260 ns"), free.sentence.c_str());
}

void TestWhatIf::aStepThatNeedsLessThanTheMeanOneSaysSo() {
  const Replayed step(deviceBound().workload(), {0, 1000});
  const WhatIf r = whatIf(*step.graph, *step.w, parseWhatIf("kernel:slow=0.5").value(),
                          {.device = 300, .communication = {}, .ofMean = 950});
  QCOMPARE(r.newStep, TimeNs{925});
  QVERIFY2(says(r, "under the floor of the mean step, 950 ns: this step needs less"),
           r.sentence.c_str());
}

void TestWhatIf::noStepIsShorterThanWhatItsBusiestStreamHasToDo() {
  // The host waits for nothing, so its end does not depend on the kernel of 800 ns.
  PathScene scene;
  scene.op("aten::mm", 0, 100)
      .call("cudaLaunchKernel", 10, 20, 1)
      .kernel("gemm", 30, 830, 1)
      .op("aten::add", 990, 1000);
  const Replayed replayed(scene.workload(), {0, 1000});
  const WhatIf r = replayed.ask("cause:host_gap=0");
  QVERIFY(r.replayed < 800);
  QCOMPARE(r.newStep, TimeNs{800});
  QVERIFY2(says(r, "busiest stream allows no more"), r.sentence.c_str());
}

void TestWhatIf::timeInTheQueueIsNoLatency() {
  // The host is 990 ns ahead all along: in the window each kernel waits for the one before, and no
  // launch shows how soon work can start. The first one of the recording, on an idle device, does.
  PathScene scene;
  scene.call("cudaLaunchKernel", 0, 10, 1).kernel("first", 15, 1000, 1);
  scene.call("cudaLaunchKernel", 20, 30, 2).kernel("before", 1000, 2000, 2);
  for (int i = 0; i < 4; ++i)
    scene.call("cudaLaunchKernel", 1000 + 200 * i, 1010 + 200 * i, 3 + i)
        .kernel("slow", 2000 + 200 * i, 2200 + 200 * i, 3 + i);
  scene.call("cudaLaunchKernel", 1800, 1810, 7).kernel("last", 2800, 2900, 7);
  scene.call("cudaDeviceSynchronize", 1820, 2910);
  const Replayed step(scene.workload(), {1000, 2910});
  const WhatIf r = step.ask("kernel:slow=0.5");
  QCOMPARE(r.events, std::size_t{4});
  QCOMPARE(r.saving(), TimeNs{400});
  QVERIFY(!r.pathMoves());
}

void TestWhatIf::changesAreReadAndWrittenAlike() {
  for (const char* text :
       {"class:matmul=0.5", "op:aten::mm=0.25", "kernel:f<a=b>=0", "kernel:ampere*=2", "event:7=0",
        "cause:host_gap=0", "collectives=0", "launches=0.5"}) {
    const auto change = parseWhatIf(text);
    QVERIFY2(change.ok(), text);
    QCOMPARE(textOf(change.value()), std::string(text));
  }
  QCOMPARE(titleOf(parseWhatIf("class:matmul=0.5").value()),
           std::string("matmul kernels 2× faster"));
  QCOMPARE(titleOf(parseWhatIf("collectives=0").value()), std::string("collectives free"));
}

void TestWhatIf::nonsenseIsRefusedWithAHint() {
  for (const char* text : {"", "class:matmul", "class:matmul=-1", "class:matmul=nan", "class:x=1",
                           "cause:x=0", "class=0.5", "event:x=0", "what:x=0", "collectives:x=0",
                           "launches=1e9", "class:matmul=0.5x"}) {
    const auto change = parseWhatIf(text);
    QVERIFY2(change.failed(), text);
    QVERIFY2(!change.error().todo.empty(), text);
  }
}

void TestWhatIf::factorOneChangesNothingOnRealTraces() {
  std::vector<std::string> files;
  for (const std::string& file : sharedFilesBelow("traces/kineto"))
    if (file.find("resnet50") != std::string::npos) files.push_back(file);
  if (files.empty()) QSKIP("needs the real traces beside the checkout (../shared/traces/kineto)");
  for (const std::string& file : files) {
    const auto loaded = loadTrace(file);
    if (!loaded.ok()) continue;
    const auto w = makeWorkload(loaded.value().front().trace);
    QVERIFY(w.ok());
    const PathContext context(*w.value());
    const CriticalPaths paths = criticalPaths(context, steadyWindow(*w.value()));
    const auto graph = dependencyGraph(context, paths.paths[paths.representative]);
    QVERIFY(graph != nullptr);
    for (const char* text : {"class:convolution=1", "launches=1", "cause:host_op=1"})
      QCOMPARE(whatIf(*graph, *w.value(), parseWhatIf(text).value(), {}).saving(), TimeNs{0});
    const WhatIfs all = whatIfs(*w.value(), paths, graph, {});
    QVERIFY2(!all.list.empty(), file.c_str());
    for (const WhatIf& r : all.list) {
      QVERIFY2(r.saving() >= 0 && r.saving() <= r.step, r.sentence.c_str());
      QVERIFY2(r.saving() <= r.expected, r.sentence.c_str());
    }
  }
}

QTEST_GUILESS_MAIN(TestWhatIf)
#include "tst_what_if.moc"
