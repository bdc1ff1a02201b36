#include <array>
#include <cmath>

#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/critical_path.h"
#include "core/io/load_trace.h"
#include "core/simulator/simulator.h"
#include "tests/support/truth_job.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// The simulator's causes in the words of the analysis. Host operators and the Python between them
/// are one here: inside PyTorch's optimizer ranges a recording cannot tell them apart.
PathCause causeOf(TruthPathCause cause) {
  switch (cause) {
    case TruthPathCause::collective:
    case TruthPathCause::collectiveWait:
      return PathCause::communication;
    case TruthPathCause::memcpy:
    case TruthPathCause::memset:
      return PathCause::memory;
    case TruthPathCause::launchLatency:
      return PathCause::launchLatency;
    case TruthPathCause::queueing:
      return PathCause::queueing;
    case TruthPathCause::eventWait:
      return PathCause::streamWait;
    case TruthPathCause::hostOp:
    case TruthPathCause::hostGap:
    case TruthPathCause::handOver:
      return PathCause::hostOp;
    case TruthPathCause::launchCall:
      return PathCause::launch;
    case TruthPathCause::input:
      return PathCause::input;
    case TruthPathCause::syncWait:
      return PathCause::hostSync;
    case TruthPathCause::allocation:
      return PathCause::allocation;
    case TruthPathCause::compileLoad:
      return PathCause::compileLoad;
    case TruthPathCause::profiler:
      return PathCause::profiler;
    default:
      return PathCause::compute;
  }
}

/// The first cause whose time on the path is off by more than `share` of the step; empty: none.
/// `copies`: what the operators that copy a batch may take, which are input for the generator, and
/// operators outside of any loader in a recording.
QString faultOf(const CriticalPath& path, const TruthStep& truth, double share, TimeNs copies) {
  std::array<TimeNs, kPathCauseCount> expected{}, found = path.byCause;
  for (std::size_t k = 0; k < kTruthPathCauses; ++k)
    expected[static_cast<std::size_t>(causeOf(static_cast<TruthPathCause>(k)))] +=
        truth.pathByCause[k];
  found[static_cast<std::size_t>(PathCause::hostOp)] +=
      found[static_cast<std::size_t>(PathCause::hostGap)] +
      found[static_cast<std::size_t>(PathCause::python)];
  const double allowed = share * static_cast<double>(truth.host.length());
  for (std::size_t k = 0; k < kPathCauseCount; ++k) {
    const auto cause = static_cast<PathCause>(k);
    if (cause == PathCause::hostGap || cause == PathCause::python) continue;
    const bool either =
        cause == PathCause::input || cause == PathCause::hostOp || cause == PathCause::launch;
    const double slack = allowed + static_cast<double>(either ? copies : TimeNs{0});
    if (std::abs(static_cast<double>(found[k] - expected[k])) <= slack) continue;
    return QStringLiteral("%1: %2 ns, in truth %3 ns of %4")
        .arg(QString::fromUtf8(word(cause).data()))
        .arg(found[k])
        .arg(expected[k])
        .arg(truth.host.length());
  }
  return {};
}

}  // namespace

class TestCriticalPathTruth : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theSimulatorsPathIsFound_data();
  void theSimulatorsPathIsFound();
  void twoHundredJobsHaveTheirPathsFound();
};

void TestCriticalPathTruth::theSimulatorsPathIsFound_data() {
  QTest::addColumn<QString>("scenario");
  QTest::addColumn<quint64>("seed");
  for (const ScenarioName& scenario : scenarioNames())
    for (const quint64 seed : {1u, 2u}) {
      const QString name =
          QString::fromUtf8(scenario.name.data(), static_cast<qsizetype>(scenario.name.size()));
      QTest::addRow("%s, seed %d", qPrintable(name), static_cast<int>(seed)) << name << seed;
    }
}

void TestCriticalPathTruth::theSimulatorsPathIsFound() {
  QFETCH(QString, scenario);
  QFETCH(quint64, seed);
  SimulationOptions options;
  options.scenario = scenario.toStdString();
  options.seed = seed;
  const auto simulation = simulate(options);
  QVERIFY(simulation.ok());
  const QTemporaryDir folder;
  const std::string path = folder.filePath(QStringLiteral("trace.json")).toStdString();
  QVERIFY(writeKineto(simulation.value(), 0, path).ok());
  const auto loaded = loadTrace(path);
  QVERIFY(loaded.ok());
  const auto trace = loaded.value().front().trace;
  const auto w = makeWorkload(trace);
  QVERIFY(w.ok());
  AnalysisWindow window;
  for (const TruthStep& step : simulation.value().truth.ranks.front().steps)
    window.spans.push_back({step.host.begin - trace->origin(), step.host.end - trace->origin()});
  const CriticalPaths paths = criticalPaths(*w.value(), window);
  for (std::size_t i = 0; i < paths.paths.size(); ++i) {
    const TruthStep& truth = simulation.value().truth.ranks.front().steps[i];
    // Records lost by the recorder and clock noise may move a little; seen is under 1 %.
    const QString fault = faultOf(paths.paths[i], truth, 0.02, 0);
    QVERIFY2(fault.isEmpty(), qPrintable(QStringLiteral("step %1, ").arg(i) + fault));
  }
}

/// Jobs of drawn size, without a recorder's noise. What starts 1.5 µs after its launch or 0.75 µs
/// after the work before it may have waited for either where both were over within that time; the
/// recording does not say which, and the walk then goes over the other chain, as long to the µs. So
/// one step in fifty may be another; each of the rest has each cause to 1 % of its length.
void TestCriticalPathTruth::twoHundredJobsHaveTheirPathsFound() {
  int steps = 0, other = 0;
  for (std::uint64_t seed = 1; seed <= kTruthSeeds; ++seed) {
    const TruthJob job = drawnJob(scenarioOf(seed), seed);
    const CriticalPaths paths = criticalPaths(*job.workload, job.window(0));
    QCOMPARE(paths.paths.size(), job.truth().steps.size());
    for (std::size_t i = 0; i < paths.paths.size(); ++i) {
      const auto copies = static_cast<TimeNs>(60'000 * job.plan().scenario.hostScale);
      ++steps;
      if (!faultOf(paths.paths[i], job.truth().steps[i], 0.01, copies).isEmpty()) ++other;
    }
  }
  QCOMPARE(steps, static_cast<int>(3 * kTruthSeeds));
  QVERIFY2(other * 50 <= steps, std::to_string(other).c_str());
}

QTEST_GUILESS_MAIN(TestCriticalPathTruth)
#include "tst_critical_path_truth.moc"
