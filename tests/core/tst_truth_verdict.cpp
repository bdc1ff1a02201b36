// The word for what bounds a step, and which steps count, against the engine.
#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <QTest>

#include "tests/support/analysed.h"
#include "tests/support/truth_job.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

constexpr int kSteps = 5;

/// Half of the jobs have kernels long enough for the device to be what bounds them.
simulator::Scenario verdictScenario(std::uint64_t seed) {
  simulator::Scenario s = drawnScenario(scenarioOf(seed), seed);
  if (seed / 16 % 2 == 0) return s;
  Draws draws(seed);
  s.shape.heads = draws.oneOf({8, 16});
  s.shape.hidden = s.shape.heads * 128;
  s.shape.feedForward = 4 * s.shape.hidden;
  if (s.decode) {
    s.shape.hidden *= 2;
    s.shape.feedForward *= 2;
    s.shape.context = 4096;
  } else if (!s.images) {
    s.shape.batch = draws.from(4, 16);
    s.shape.sequence = draws.oneOf({512, 1024});
  }
  s.hostScale = 0.25;
  return s;
}

/// What the engine's figures of these steps say, if they say one thing clearly.
std::optional<Verdict> truthOf(const TruthJob& job, const std::vector<std::size_t>& steps) {
  std::map<Verdict, TimeNs> losses;
  TimeNs all = 0, compute = 0, memory = 0;
  for (const std::size_t i : steps) {
    const TruthStep& step = job.truth().steps[i];
    const auto idle = [&](TruthIdleCause cause) {
      return step.idleByCause[static_cast<std::size_t>(cause)];
    };
    all += step.host.length();
    losses[Verdict::inputBound] += idle(TruthIdleCause::input);
    losses[Verdict::hostBound] +=
        idle(TruthIdleCause::hostSync) + idle(TruthIdleCause::allocation) +
        idle(TruthIdleCause::compileLoad) + idle(TruthIdleCause::profiler);
    losses[Verdict::launchBound] += idle(TruthIdleCause::launch);
    losses[Verdict::communicationBound] +=
        step.exposedCommunication + step.exposedMemory + idle(TruthIdleCause::collectiveWait);
    compute += step.computeBound;
    memory += step.memoryBound;
  }
  std::vector<std::pair<TimeNs, Verdict>> order;
  for (const auto& [word, time] : losses) order.emplace_back(time, word);
  std::sort(order.rbegin(), order.rend());
  if (order[0].first * 4 >= all && order[0].first * 2 >= order[1].first * 3) return order[0].second;
  if (order[0].first * 10 > all) return std::nullopt;
  if (compute * 10 >= (compute + memory) * 7) return Verdict::computeBound;
  if (memory * 10 >= (compute + memory) * 7) return Verdict::memoryBound;
  return std::nullopt;
}

}  // namespace

class TestTruthVerdict : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theWordIsTheEnginesWhereThatIsClear();
};

void TestTruthVerdict::theWordIsTheEnginesWhereThatIsClear() {
  std::map<Verdict, int> seen;
  for (std::uint64_t seed = 1; seed <= kTruthSeeds; ++seed) {
    const simulator::Scenario scenario = verdictScenario(seed);
    const TruthJob job = runJob(cleanPlan(scenario, seed, kSteps));
    const auto where = QStringLiteral("%1, seed %2: ")
                           .arg(QLatin1String(scenario.name.data(), scenario.name.size()))
                           .arg(seed);

    // The first step loads its kernels (a graph's were loaded when it was captured), and compiled
    // blocks are compiled in the first two.
    const Steps& steps = job.workload->steps;
    QCOMPARE(steps.steps.size(), job.truth().steps.size());
    const std::size_t warm = scenario.graph ? 0 : scenario.compiled ? 2 : 1;
    std::vector<TimeNs> lengths;
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      const Step& step = steps.steps[i];
      QCOMPARE(step.host, job.onTrace(job.truth().steps[i].host));
      QVERIFY2(step.steady == (i >= warm), qPrintable(where + QString::fromStdString(step.why)));
      // From step to step without a gap.
      const bool last = i + 1 == steps.steps.size();
      const TimeNs until = last ? step.host.end : steps.steps[i + 1].host.begin;
      if (i >= warm) lengths.push_back(until - step.host.begin);
      if (i >= warm) continue;
      QVERIFY(step.why.starts_with("it compiles or loads code: "));
      if (scenario.compiled) QVERIFY(step.why.find("dynamo_timed") != std::string::npos);
      QVERIFY(steps.sentence.find(step.why) != std::string::npos);
    }
    std::sort(lengths.begin(), lengths.end());
    QCOMPARE(statisticsOf(steps).n, lengths.size());
    QCOMPARE(statisticsOf(steps).min, lengths.front());
    QCOMPARE(statisticsOf(steps).max, lengths.back());

    const AnalysisWindow window = steadyWindow(*job.workload);
    const auto truth = truthOf(job, window.steps);
    if (!truth) continue;
    const Results results = AnalysisStore().results(job.workload, window);
    // What the kernels of a graph compute is not recorded: that it is the device is all one can
    // say.
    const Verdict expected =
        scenario.graph && *truth == Verdict::memoryBound ? Verdict::deviceBound : *truth;
    QVERIFY2(results->headline.word == expected,
             qPrintable(where + QString::fromStdString(results->headline.verdict)));
    ++seen[expected];
  }
  // Each word is put to the test.
  for (const Verdict word :
       {Verdict::communicationBound, Verdict::computeBound, Verdict::hostBound, Verdict::inputBound,
        Verdict::launchBound, Verdict::memoryBound, Verdict::deviceBound})
    QVERIFY2(seen[word] >= 5, std::string(name(word)).c_str());
}

QTEST_GUILESS_MAIN(TestTruthVerdict)
#include "tst_truth_verdict.moc"
