// Memory against the simulated allocator of 200 jobs of drawn size.
#include <numeric>

#include <QTest>

#include "core/analysis/memory_use.h"
#include "tests/support/truth_job.h"

using namespace ridgeline;
using namespace ridgeline::test;

class TestTruthMemory : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void peaksAndCallsAreTheAllocators();
};

void TestTruthMemory::peaksAndCallsAreTheAllocators() {
  int thrashing = 0, quiet = 0;
  for (std::uint64_t seed = 1; seed <= kTruthSeeds; ++seed) {
    const std::string_view scenario = scenarioOf(seed);
    const TruthJob job = drawnJob(scenario, seed, 4);
    const std::string where = std::string(scenario) + ", seed " + std::to_string(seed) + ": ";
    const AnalysisWindow whole = job.window(2);
    const MemoryUse found = memoryUse(*job.workload, whole, idleGaps(*job.workload, whole));
    std::uint64_t driver = 0;
    for (std::size_t i = 2; i < job.truth().steps.size(); ++i) {
      const TruthStep& truth = job.truth().steps[i];
      const AllocatorFigures& span = found.spans[i - 2];
      QVERIFY2(span.allocations == truth.driverAllocations && span.releases == truth.driverReleases,
               (where + std::to_string(span.allocations)).c_str());
      driver += truth.driverAllocations + truth.driverReleases;

      if (truth.allocatedPeak == 0) {  // a graph allocates nothing: no curve, and it is said why
        QVERIFY2(!found.missing.empty() && found.pools.empty(), where.c_str());
        continue;
      }
      const AnalysisWindow one = spanWindow(job.onTrace(truth.host));
      const MemoryUse step = memoryUse(*job.workload, one, idleGaps(*job.workload, one));
      QVERIFY2(step.pools.size() == 1, where.c_str());
      const MemoryPool& pool = step.pools.front();
      QCOMPARE(pool.peak, truth.allocatedPeak);
      QCOMPARE(pool.peakTime, job.onTrace(truth.allocatedPeakAt));
      QCOMPARE(pool.reservedPeak.value_or(-1), truth.reservedPeak);
      // What was there before the recording is the model, and what was alive has its blocks.
      const std::int64_t alive =
          std::accumulate(pool.alive.begin(), pool.alive.end(), std::int64_t{0},
                          [](std::int64_t sum, const MemoryBlock& b) { return sum + b.bytes; });
      const simulator::ModelShape& shape = job.plan().scenario.shape;
      const std::int64_t model =
          (shape.blockParameters() * job.plan().layers + shape.vocabulary * shape.hidden) *
          (job.plan().scenario.decode ? 2 : 8);
      QVERIFY2(pool.aliveBefore == model && alive + model == pool.peak, where.c_str());
    }
    // Settled steps make no calls: who makes some thrashes, be it in a single step ("mixed").
    QVERIFY2(found.thrash == (driver > 0), (where + found.thrashWhy).c_str());
    const bool planted = job.plan().scenario.thrash || job.plan().scenario.incidents;
    QVERIFY2(found.thrash == planted, (where + found.thrashWhy).c_str());
    ++(found.thrash ? thrashing : quiet);
  }
  QVERIFY(thrashing >= 10);
  QVERIFY(quiet >= 100);
}

QTEST_GUILESS_MAIN(TestTruthMemory)
#include "tst_truth_memory.moc"
