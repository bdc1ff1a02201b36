// Busy, idle and exposed time of every step against the engine's schedule of 200 jobs.
#include <string>

#include <QTest>

#include "core/analysis/collectives.h"
#include "core/analysis/device_time.h"
#include "tests/support/truth_job.h"

using namespace ridgeline;
using namespace ridgeline::test;

class TestTruthDeviceTime : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyStepIsTheEngines();
  void aLateBucketIsExposedWhole();
};

void TestTruthDeviceTime::everyStepIsTheEngines() {
  int exposed = 0, copies = 0;
  for (std::uint64_t seed = 1; seed <= kTruthSeeds; ++seed) {
    const TruthJob job = drawnJob(scenarioOf(seed), seed);
    for (const TruthStep& step : job.truth().steps) {
      const DeviceTimes times = deviceTimes(*job.workload, spanWindow(job.onTrace(step.host)));
      const DeviceTime& found = times.devices.front();  // the other ranks' have no work here
      const std::string where = std::string(scenarioOf(seed)) + ", seed " + std::to_string(seed) +
                                ", step " + std::to_string(step.number);
      QVERIFY2(found.span == step.host.length() && found.busy == step.busy &&
                   found.idle == step.idle && found.compute == step.compute &&
                   found.communication == step.communication &&
                   found.exposedCommunication == step.exposedCommunication &&
                   found.memory == step.memory && found.exposedMemory == step.exposedMemory,
               where.c_str());
      exposed += step.exposedCommunication > 0 ? 1 : 0;
      copies += step.exposedMemory > 0 ? 1 : 0;
    }
  }
  QVERIFY(exposed > 100);
  QVERIFY(copies > 100);
}

void TestTruthDeviceTime::aLateBucketIsExposedWhole() {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    simulator::Scenario scenario = drawnScenario("late-bucket", seed);
    // Long enough for the device to have run dry.
    scenario.shape.batch = 1;
    scenario.shape.sequence = 64;
    scenario.lateBucketNs = 4'000'000;
    const TruthJob job = runJob(cleanPlan(scenario, seed));
    for (std::size_t i = 1; i < job.nodes.size(); ++i) {
      const simulator::DeviceNode* last = nullptr;
      for (const simulator::DeviceNode& node : job.nodes[i])
        if (job.plan().catalogue.works[node.work].isCollective) last = &node;
      QVERIFY(last);
      // Asked of the time of that collective alone, and of the whole step.
      const TimeSpan own{last->begin, last->end};
      const DeviceTime during = deviceTimes(*job.workload, spanWindow(own)).devices.front();
      QCOMPARE(during.exposedCommunication, own.length());
      const AnalysisWindow step = spanWindow(job.onTrace(job.truth().steps[i].host));
      TimeNs found = 0;
      for (const CollectiveGroup& group : collectives(*job.workload, step).groups)
        found += group.exposed;
      QCOMPARE(found, job.truth().steps[i].exposedCommunication);
      QVERIFY(found >= own.length());
    }
  }
}

QTEST_GUILESS_MAIN(TestTruthDeviceTime)
#include "tst_truth_device_time.moc"
