// What-ifs against the engine, run again with the change.
#include <algorithm>
#include <cmath>
#include <functional>

#include <QTest>

#include "core/analysis/graph_builder.h"
#include "core/analysis/what_if.h"
#include "tests/support/truth_job.h"

using namespace ridgeline;
using namespace ridgeline::test;
using simulator::Plan;

namespace {

void scaleKernels(Plan& plan, TruthPathCause cause, double factor) {
  for (simulator::DeviceWork& work : plan.catalogue.works)
    if (work.pathCause == cause)
      work.duration = std::llround(static_cast<double>(work.duration) * factor);
}

void scaleLaunches(simulator::Program& program, double factor) {
  for (simulator::Instruction& one : program) {
    if (one.code != simulator::Instruction::Code::launch &&
        one.code != simulator::Instruction::Code::collective)
      continue;
    one.ns = static_cast<std::int32_t>(std::lround(one.ns * factor));
  }
}

void scaleLaunches(Plan& plan, double factor) {
  simulator::StepPrograms& p = plan.programs;
  for (simulator::Program* program : {&p.begin,
                                      &p.batch,
                                      &p.front,
                                      &p.block,
                                      &p.head,
                                      &p.replayBegin,
                                      &p.readBack,
                                      &p.headBackward,
                                      &p.blockBackward[0],
                                      &p.blockBackward[1],
                                      &p.frontBackward[0],
                                      &p.frontBackward[1],
                                      &p.bucket,
                                      &p.tailBucket,
                                      &p.backwardEnd,
                                      &p.normBlock,
                                      &p.optimizerBegin,
                                      &p.optimizerBlock,
                                      &p.optimizerEnd,
                                      &p.finish,
                                      &p.filler,
                                      &p.syncInForward,
                                      &plan.replay})
    scaleLaunches(*program, factor);
  plan.launchLatency = std::llround(static_cast<double>(plan.launchLatency) * factor);
}

/// Whether some work was held up by the work before it on its stream: only then does the recording
/// show how soon the one can follow the other.
bool showsQueueing(const DependencyGraph& graph) {
  return std::any_of(graph.edges().begin(), graph.edges().end(), [](const GraphEdge& edge) {
    return edge.kind == Dependency::streamOrder && edge.binding;
  });
}

struct Change {
  const char* text;
  std::function<void(Plan&)> apply;
};

const std::vector<Change>& changes() {
  static const std::vector<Change> kChanges = {
      {"class:matmul=0.5", [](Plan& p) { scaleKernels(p, TruthPathCause::matmul, 0.5); }},
      {"class:matmul=3", [](Plan& p) { scaleKernels(p, TruthPathCause::matmul, 3); }},
      {"class:attention=0.25", [](Plan& p) { scaleKernels(p, TruthPathCause::attention, 0.25); }},
      {"collectives=0", [](Plan& p) { scaleKernels(p, TruthPathCause::collective, 0); }},
      {"launches=0.5", [](Plan& p) { scaleLaunches(p, 0.5); }},
      {"launches=2", [](Plan& p) { scaleLaunches(p, 2); }}};
  return kChanges;
}

}  // namespace

class TestTruthWhatIf : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theNewStepIsTheEngines();
};

/// Ranks in lockstep: else a collective holds a wait for late ranks, which the what-if says that it
/// takes along unchanged, while the engine's ranks would all change.
///
/// Tolerance: 1 % of the step. The recording's smallest lags stand in for those that held nothing
/// up, and the noise of 10 % on each is scaled with it. Where nothing ever queued, the smallest gap
/// between two kernels stands in for the lag between them, which is longer than it: 2.5 %.
void TestTruthWhatIf::theNewStepIsTheEngines() {
  int slower = 0, faster = 0, hidden = 0;
  for (std::uint64_t seed = 1; seed <= kTruthSeeds; ++seed) {
    const auto scenario = drawnScenario(scenarioOf(seed), seed);
    const auto planned = [&] {
      auto plan = std::const_pointer_cast<Plan>(cleanPlan(scenario, seed, 2));
      plan->lockstep = true;
      return plan;
    };
    const TruthJob job = runJob(planned());
    const TimeSpan window = job.onTrace(job.truth().steps.back().host);
    const PathContext context(*job.workload);
    const CriticalPath path = criticalPaths(context, spanWindow(window)).paths.front();
    const auto graph = dependencyGraph(context, path);
    QVERIFY(graph);
    const TimeNs length = window.length();
    const TimeNs tolerance = showsQueueing(*graph) ? length / 100 : length / 40;
    for (const Change& change : changes()) {
      const auto again = planned();
      change.apply(*again);
      const Simulation rerun = simulator::runPlan(again, job.simulation.options);
      const TimeNs truth = rerun.truth.ranks.front().steps.back().host.length();
      const WhatIf found = whatIf(*graph, *job.workload, parseWhatIf(change.text).value(), {});
      QCOMPARE(found.step, length);
      QVERIFY2(std::abs(found.newStep - truth) <= tolerance,
               qPrintable(QStringLiteral("seed %1, %2: %3 instead of %4, before %5")
                              .arg(seed)
                              .arg(QLatin1String(change.text))
                              .arg(found.newStep)
                              .arg(truth)
                              .arg(length)));
      if (truth * 20 > length * 21) ++slower;
      if (truth * 20 < length * 19) ++faster;
      // What is not on the path, or goes off it, saves little of what it takes.
      if (found.touched * 10 > length && std::abs(truth - length) * 100 < length) ++hidden;
    }
  }
  QVERIFY2(slower > 150, std::to_string(slower).c_str());
  QVERIFY2(faster > 150, std::to_string(faster).c_str());
  QVERIFY2(hidden > 50, std::to_string(hidden).c_str());
}

QTEST_GUILESS_MAIN(TestTruthWhatIf)
#include "tst_truth_what_if.moc"
