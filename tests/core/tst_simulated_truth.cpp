// The analyses against jobs whose truth is known, because they were simulated.
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/critical_path.h"
#include "core/analysis/device_time.h"
#include "core/analysis/idle_gaps.h"
#include "core/analysis/roofline.h"
#include "core/io/load_trace.h"
#include "core/simulator/simulator.h"

using namespace ridgeline;

namespace {

/// A simulated rank 0 beside what the product reads from its file.
struct Pair {
  Simulation simulation;
  std::shared_ptr<const Workload> workload;

  [[nodiscard]] const TruthRank& truth() const { return simulation.truth.ranks.front(); }
  /// A true time on the Trace's clock.
  [[nodiscard]] TimeSpan onTrace(TimeSpan span) const {
    const TimeNs origin = workload->trace->origin();
    return {span.begin - origin, span.end - origin};
  }
};

Pair makePair(const QString& scenario, std::uint64_t seed) {
  QTemporaryDir folder;
  const std::string path = folder.filePath(QStringLiteral("rank0.json.gz")).toStdString();
  SimulationOptions options;
  options.scenario = scenario.toStdString();
  options.seed = seed;
  options.steps = 6;
  Result<Simulation> simulation = simulate(options);
  if (!simulation.ok()) qFatal("%s", simulation.error().text().c_str());
  const Result<std::uint64_t> written = writeKineto(simulation.value(), 0, path);
  if (!written.ok()) qFatal("%s", written.error().text().c_str());
  Result<std::vector<LoadedTrace>> loaded = loadTrace(path);
  if (!loaded.ok()) qFatal("%s", loaded.error().text().c_str());
  Result<std::shared_ptr<const Workload>> workload = makeWorkload(loaded.value().front().trace);
  if (!workload.ok()) qFatal("%s", workload.error().text().c_str());
  return {std::move(simulation).value(), workload.value()};
}

/// Made once and kept for all tests.
const Pair& simulatedAndLoaded(const QString& scenario, int seed) {
  static std::map<std::pair<QString, int>, Pair> kept;
  const auto key = std::make_pair(scenario, seed);
  const auto found = kept.find(key);
  if (found != kept.end()) return found->second;
  return kept.emplace(key, makePair(scenario, static_cast<std::uint64_t>(seed))).first->second;
}

void everyScenario() {
  QTest::addColumn<QString>("scenario");
  QTest::addColumn<int>("seed");
  for (const ScenarioName& scenario : scenarioNames()) {
    for (const int seed : {2, 3}) {
      const auto name =
          QString::fromUtf8(scenario.name.data(), static_cast<qsizetype>(scenario.name.size()));
      QTest::addRow("%s, seed %d", qPrintable(name), seed) << name << seed;
    }
  }
}

/// Causes that both sides can tell apart, in one vocabulary.
using Shares = std::map<std::string, TimeNs>;

std::string groupOf(TruthPathCause cause) {
  switch (cause) {
    case TruthPathCause::matmul:
    case TruthPathCause::attention:
    case TruthPathCause::convolution:
    case TruthPathCause::normalization:
    case TruthPathCause::softmax:
    case TruthPathCause::elementwise:
    case TruthPathCause::reduction:
    case TruthPathCause::indexing:
    case TruthPathCause::copy:
    case TruthPathCause::optimizer:
      return "compute";
    case TruthPathCause::collective:
    case TruthPathCause::collectiveWait:
      return "communication";
    case TruthPathCause::memcpy:
    case TruthPathCause::memset:
      return "memory";
    case TruthPathCause::launchLatency:
    case TruthPathCause::queueing:
    case TruthPathCause::eventWait:
      return "device_latency";
    case TruthPathCause::input:
      return "input";
    case TruthPathCause::allocation:
      return "allocation";
    case TruthPathCause::compileLoad:
      return "compile_load";
    case TruthPathCause::profiler:
      return "profiler";
    case TruthPathCause::syncWait:
    case TruthPathCause::hostOp:
    case TruthPathCause::launchCall:
    case TruthPathCause::hostGap:
    case TruthPathCause::handOver:
      break;
  }
  return "host";
}

std::string groupOf(PathCause cause) {
  switch (cause) {
    case PathCause::compute:
      return "compute";
    case PathCause::communication:
      return "communication";
    case PathCause::memory:
      return "memory";
    case PathCause::launchLatency:
    case PathCause::queueing:
    case PathCause::streamWait:
      return "device_latency";
    case PathCause::input:
      return "input";
    case PathCause::allocation:
      return "allocation";
    case PathCause::compileLoad:
      return "compile_load";
    case PathCause::profiler:
      return "profiler";
    case PathCause::untraced:
      return "untraced";
    case PathCause::hostSync:
    case PathCause::hostOp:
    case PathCause::launch:
    case PathCause::python:
    case PathCause::hostGap:
      break;
  }
  return "host";
}

std::string groupOf(TruthIdleCause cause) {
  switch (cause) {
    case TruthIdleCause::input:
    case TruthIdleCause::allocation:
    case TruthIdleCause::compileLoad:
    case TruthIdleCause::profiler:
    case TruthIdleCause::outsideCapture:
      return std::string(word(cause));
    case TruthIdleCause::collectiveWait:
    case TruthIdleCause::otherStream:
      return "streams";
    case TruthIdleCause::hostSync:
    case TruthIdleCause::launch:
      break;
  }
  return "host";  // whether dispatch after a sync is the sync's, both may answer in their way
}

std::string groupOf(GapCause cause) {
  switch (cause) {
    case GapCause::input:
    case GapCause::allocation:
    case GapCause::compileLoad:
    case GapCause::profiler:
    case GapCause::outsideCapture:
      return std::string(word(cause));
    case GapCause::collective:
    case GapCause::otherStream:
      return "streams";
    case GapCause::hostSync:
    case GapCause::launch:
    case GapCause::python:
    case GapCause::hostIdle:
    case GapCause::launchLatency:
      return "host";
    case GapCause::otherRank:
    case GapCause::deviceWait:
    case GapCause::unknown:
      break;
  }
  return "unknown";
}

std::string textOf(const Shares& found, const Shares& truth) {
  std::string text;
  for (const auto& [group, ns] : truth) {
    const auto other = found.find(group);
    text += group + " " + std::to_string(other == found.end() ? 0 : other->second) + " for " +
            std::to_string(ns) + ", ";
  }
  return text;
}

}  // namespace

class TestSimulatedTruth : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void deviceTimeIsTheTruth_data() { everyScenario(); }
  void deviceTimeIsTheTruth();
  void theCriticalPathHasTheTrueCauses_data() { everyScenario(); }
  void theCriticalPathHasTheTrueCauses();
  void idleGapsHaveTheTrueCauses_data() { everyScenario(); }
  void idleGapsHaveTheTrueCauses();
  void rooflinePointsFallWhereTheKernelsWereMade_data() { everyScenario(); }
  void rooflinePointsFallWhereTheKernelsWereMade();
};

void TestSimulatedTruth::deviceTimeIsTheTruth() {
  QFETCH(QString, scenario);
  QFETCH(int, seed);
  const Pair& pair = simulatedAndLoaded(scenario, seed);
  for (const TruthStep& step : pair.truth().steps) {
    const DeviceTimes times = deviceTimes(*pair.workload, spanWindow(pair.onTrace(step.host)));
    // Devices of the other ranks are in deviceProperties, but have no work in this file.
    DeviceTime found;
    for (const DeviceTime& device : times.devices) {
      if (device.busy > found.busy) found = device;
    }
    const TimeNs tolerance =
        step.droppedNs + 2 * pair.simulation.truth.noise * static_cast<TimeNs>(step.deviceRecords);
    const auto near = [&](TimeNs a, TimeNs b) { return std::abs(a - b) <= tolerance; };
    QCOMPARE(found.span, step.host.length());
    QVERIFY(near(found.busy, step.busy));
    QVERIFY(near(found.idle, step.idle));
    QVERIFY(near(found.compute, step.compute));
    QVERIFY(near(found.communication, step.communication));
    QVERIFY(near(found.exposedCommunication, step.exposedCommunication));
    QVERIFY(near(found.memory, step.memory));
    QVERIFY(near(found.exposedMemory, step.exposedMemory));
  }
}

void TestSimulatedTruth::theCriticalPathHasTheTrueCauses() {
  QFETCH(QString, scenario);
  QFETCH(int, seed);
  const Pair& pair = simulatedAndLoaded(scenario, seed);
  for (const TruthStep& step : pair.truth().steps) {
    const CriticalPath path = criticalPath(*pair.workload, pair.onTrace(step.host));
    Shares truth, found;
    for (std::size_t i = 0; i < kTruthPathCauses; ++i) {
      truth[groupOf(static_cast<TruthPathCause>(i))] += step.pathByCause[i];
    }
    for (int i = 0; i < kPathCauseCount; ++i) {
      found[groupOf(static_cast<PathCause>(i))] += path.byCause[static_cast<std::size_t>(i)];
    }
    // Clean recordings: 1 % of the step. Where records are dropped and starts are noisy, the walk
    // may take another way around: 4 %.
    const TimeNs tolerance = step.host.length() * (pair.simulation.perturbed ? 4 : 1) / 100;
    for (const auto& [group, ns] : truth) {
      QVERIFY2(std::abs(found[group] - ns) <= tolerance,
               ("step " + std::to_string(step.number) + ", " + group + ": " + textOf(found, truth))
                   .c_str());
    }
  }
}

void TestSimulatedTruth::idleGapsHaveTheTrueCauses() {
  QFETCH(QString, scenario);
  QFETCH(int, seed);
  const Pair& pair = simulatedAndLoaded(scenario, seed);
  for (const TruthStep& step : pair.truth().steps) {
    const IdleGaps gaps = idleGaps(*pair.workload, spanWindow(pair.onTrace(step.host)));
    Shares truth, found;
    for (std::size_t i = 0; i < kTruthIdleCauses; ++i) {
      truth[groupOf(static_cast<TruthIdleCause>(i))] += step.idleByCause[i];
    }
    for (int i = 0; i < kGapCauseCount; ++i) {
      found[groupOf(static_cast<GapCause>(i))] += gaps.byCause[static_cast<std::size_t>(i)];
    }
    const TimeNs tolerance = step.host.length() * (pair.simulation.perturbed ? 4 : 1) / 100;
    for (const auto& [group, ns] : truth) {
      QVERIFY2(std::abs(found[group] - ns) <= tolerance,
               ("step " + std::to_string(step.number) + ", " + group + ": " + textOf(found, truth))
                   .c_str());
    }
  }
}

void TestSimulatedTruth::rooflinePointsFallWhereTheKernelsWereMade() {
  QFETCH(QString, scenario);
  QFETCH(int, seed);
  const Pair& pair = simulatedAndLoaded(scenario, seed);
  const TruthStep& step = pair.truth().steps.back();
  const Roofline found = roofline(*pair.workload, spanWindow(pair.onTrace(step.host)));
  QVERIFY(found.namedTime * 10 >= found.launchedTime * 9);
  TimeNs above = 0;
  for (const RooflinePoint& point : found.points) {
    if (point.aboveRoof) above += point.time;
  }
  QVERIFY2(above * 100 <= found.launchedTime, std::to_string(above).c_str());
  // Short kernels are bound by latency for the one and by their roof for the other. What a graph or
  // Inductor's backward launches has no operator whose work is known: it must be called unknown.
  const bool anonymous = scenario == u"graph-decode" || scenario == u"compiled";
  TimeNs unknown = 0;  // collectives apart
  for (const Roofline::PerDevice& device : found.devices) unknown += device.unknownBound;
  QVERIFY(anonymous || unknown * 20 <= found.launchedTime);
  if (scenario == u"graph-decode") QVERIFY(unknown * 10 > found.launchedTime * 9);
  const TimeNs tolerance =
      found.latencyBound + found.launchedTime / 20 + (anonymous ? found.unknownBound : TimeNs{0});
  QVERIFY2(std::abs(found.computeBound - step.computeBound) <= tolerance,
           (std::to_string(found.computeBound) + " for " + std::to_string(step.computeBound) +
            ", latency " + std::to_string(found.latencyBound))
               .c_str());
  QVERIFY2(std::abs(found.memoryBound - step.memoryBound) <= tolerance,
           (std::to_string(found.memoryBound) + " for " + std::to_string(step.memoryBound) +
            ", latency " + std::to_string(found.latencyBound) + ", unknown " +
            std::to_string(found.unknownBound))
               .c_str());
}

QTEST_GUILESS_MAIN(TestSimulatedTruth)
#include "tst_simulated_truth.moc"
