#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "core/simulator/simulator.h"
#include "tests/support/simulated.h"

using namespace ridgeline;
using namespace ridgeline::test;
using nlohmann::json;

namespace {

/// "4458676388068.751" in ns, not through a double.
TimeNs exactNs(const std::string& text) {
  const std::size_t dot = text.find('.');
  return std::stoll(text.substr(0, dot) + text.substr(dot + 1));
}

/// Event times are kept as text by a SAX pass; here the file is parsed with numbers turned into
/// strings, which is what a test can do simply: the digits after "ts": and "dur":.
struct Timed {
  json event;
  TimeNs ts = 0, dur = 0;
};

/// A parser that keeps floats as their text.
class KeepText : public nlohmann::detail::json_sax_dom_parser<json> {
 public:
  using Base = nlohmann::detail::json_sax_dom_parser<json>;
  explicit KeepText(json& into) : Base(into, false) {}
  bool number_float(json::number_float_t, const json::string_t& text) {
    json::string_t copy = text;
    return Base::string(copy);
  }
};

json parseKeepingText(const std::string& text) {
  json root;
  KeepText sax(root);
  if (!json::sax_parse(text, &sax)) return {};
  return root;
}

struct Recording {
  json root;
  std::vector<Timed> device, calls, ops;
  std::map<std::int64_t, const Timed*> callOf;  // by correlation
};

Recording load(const std::string& path) {
  Recording r;
  r.root = parseKeepingText(readAll(path));
  for (const json& event : r.root["traceEvents"]) {
    if (event.value("ph", "") != "X") continue;
    Timed timed{event, exactNs(event["ts"]), exactNs(event["dur"])};
    const std::string category = event["cat"];
    if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset") {
      r.device.push_back(timed);
    } else if (category == "cuda_runtime" || category == "cuda_driver") {
      r.calls.push_back(timed);
    } else if (category == "cpu_op" || category == "user_annotation") {
      r.ops.push_back(timed);
    }
  }
  for (const Timed& call : r.calls) {
    r.callOf[call.event["args"]["correlation"].get<std::int64_t>()] = &call;
  }
  return r;
}

/// Measure of a union within a window, by brute force over borders.
TimeNs unionWithin(const std::vector<Timed>& events, TimeSpan window,
                   const std::function<bool(const Timed&)>& wanted) {
  std::vector<TimeSpan> spans;
  for (const Timed& event : events) {
    if (wanted(event)) spans.push_back(TimeSpan{event.ts, event.ts + event.dur}.clippedTo(window));
  }
  std::sort(spans.begin(), spans.end(), [](TimeSpan a, TimeSpan b) { return a.begin < b.begin; });
  TimeNs sum = 0;
  TimeNs end = window.begin;
  for (const TimeSpan span : spans) {
    sum += std::max<TimeNs>(0, span.end - std::max(end, span.begin));
    end = std::max(end, span.end);
  }
  return sum;
}

template <std::size_t n>
TimeNs sumOf(const std::array<TimeNs, n>& times) {
  return std::accumulate(times.begin(), times.end(), TimeNs{0});
}

void everyScenario() {
  QTest::addColumn<QString>("scenario");
  for (const ScenarioName& scenario : scenarioNames()) {
    const auto name =
        QString::fromUtf8(scenario.name.data(), static_cast<int>(scenario.name.size()));
    QTest::newRow(name.toUtf8().constData()) << name;
  }
}

}  // namespace

class TestSimulator : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anUnknownScenarioOrDeviceIsRefusedWithTheKnownOnes();
  void theFileIsJsonInKinetosLayout_data() { everyScenario(); }
  void theFileIsJsonInKinetosLayout();
  void workIsInStreamOrderAndNeverBeforeItsLaunch_data() { everyScenario(); }
  void workIsInStreamOrderAndNeverBeforeItsLaunch();
  void theTruthAddsUp_data() { everyScenario(); }
  void theTruthAddsUp();
  void theTruthIsWhatTheCleanFileSays_data() { everyScenario(); }
  void theTruthIsWhatTheCleanFileSays();
  void aPerturbedFileStaysWithinItsTolerance();
  void thePlantedBottleneckIsTheBiggest_data() { everyScenario(); }
  void thePlantedBottleneckIsTheBiggest();
  void theExposedTailIsATail();
  void theMixedScenarioHasGapsOfSeveralCauses();
  void theSameSeedGivesTheSameFile();
  void theWantedNumberOfEventsIsMet_data() { everyScenario(); }
  void theWantedNumberOfEventsIsMet();
  void ranksEndTheirCollectivesTogether();

 private:
  std::string path(const char* name) const {
    return folder_.filePath(QString::fromUtf8(name)).toStdString();
  }

  QTemporaryDir folder_;
};

void TestSimulator::anUnknownScenarioOrDeviceIsRefusedWithTheKnownOnes() {
  SimulationOptions options;
  options.scenario = "healhty";
  const Result<Simulation> misspelt = simulate(options);
  QVERIFY(misspelt.failed());
  for (const ScenarioName& scenario : scenarioNames()) {
    QVERIFY(misspelt.error().text().find(scenario.name) != std::string::npos);
    QVERIFY(!scenario.sentence.empty());
  }
  options.scenario = "healthy";
  options.device = "abacus";
  QVERIFY(simulate(options).failed());
  options.device.clear();
  options.ranks = 0;
  QVERIFY(simulate(options).failed());
}

void TestSimulator::theFileIsJsonInKinetosLayout() {
  QFETCH(QString, scenario);
  const Simulation simulation = simulated(scenario.toStdString(), 2, 1, 6000);
  const Result<std::uint64_t> written = writeKineto(simulation, 0, path("layout.json"));
  QVERIFY(written.ok());
  const json root = json::parse(readAll(path("layout.json")));
  QCOMPARE(root["schemaVersion"].get<int>(), 1);
  QCOMPARE(root["deviceProperties"][0]["name"].get<std::string>(),
           std::string("NVIDIA A100-SXM4-80GB"));
  QCOMPARE(root.contains("distributedInfo"), simulation.world > 1);
  const json& events = root["traceEvents"];
  QCOMPARE(events.size(), static_cast<std::size_t>(written.value()));

  std::set<std::string> categories;
  std::map<std::int64_t, int> flows;
  int indexed = 0;
  for (const json& event : events) {
    QVERIFY(event.contains("ph") && event.contains("pid") && event.contains("tid"));
    if (event.contains("cat")) categories.insert(event["cat"].get<std::string>());
    if (event.value("cat", "") == "ac2g") ++flows[event["id"].get<std::int64_t>()];
    if (event.contains("args") && event["args"].contains("Ev Idx")) ++indexed;
    if (event.value("cat", "") != "cpu_op" || !event["args"].contains("Input Dims")) continue;
    const json& args = event["args"];
    QCOMPARE(args["Input Dims"].size(), args["Input type"].size());
    QCOMPARE(args["Input Dims"].size(), args["Concrete Inputs"].size());
  }
  for (const char* wanted :
       {"cpu_op", "user_annotation", "cuda_runtime", "kernel", "ac2g", "Trace", "gpu_memcpy"}) {
    QVERIFY2(categories.count(wanted) == 1, wanted);
  }
  // A graph has one launch for all its work, and no operators or allocations of its own.
  const bool graph = scenario == u"graph-decode";
  QCOMPARE(categories.count("cpu_instant_event"), graph ? 0u : 1u);
  for (const auto& [id, count] : flows) QVERIFY(graph ? count >= 2 : count == 2);
  QVERIFY(indexed > (graph ? 10 : 1000));
  QCOMPARE(events[events.size() - 1]["name"].get<std::string>(), std::string("Record Window End"));
}

void TestSimulator::workIsInStreamOrderAndNeverBeforeItsLaunch() {
  QFETCH(QString, scenario);
  const Simulation simulation = simulated(scenario.toStdString(), 4, 1, 9000);
  QVERIFY(writeKineto(simulation, 0, path("order.json")).ok());
  Recording r = load(path("order.json"));
  QVERIFY(r.device.size() > 200);
  for (const Timed& work : r.device) {
    const auto call = r.callOf.find(work.event["args"]["correlation"].get<std::int64_t>());
    QVERIFY(call != r.callOf.end());
    QVERIFY(work.ts >= call->second->ts);
  }
  std::sort(r.device.begin(), r.device.end(),
            [](const Timed& a, const Timed& b) { return a.ts < b.ts; });
  std::map<int, TimeNs> streamEnd;
  std::map<int, std::int64_t> lastCorrelation;
  for (const Timed& work : r.device) {
    const int stream = work.event["tid"];
    const std::int64_t correlation = work.event["args"]["correlation"];
    QVERIFY(work.ts >= streamEnd[stream]);
    const bool sameGraph = scenario == u"graph-decode" && correlation == lastCorrelation[stream];
    QVERIFY(sameGraph || correlation > lastCorrelation[stream]);
    streamEnd[stream] = work.ts + work.dur;
    lastCorrelation[stream] = correlation;
  }
  // Operators of a thread nest.
  std::map<std::int64_t, std::vector<TimeSpan>> threads;
  for (const Timed& op : r.ops) {
    threads[op.event["tid"].get<std::int64_t>()].push_back({op.ts, op.ts + op.dur});
  }
  for (auto& [thread, spans] : threads) {
    std::sort(spans.begin(), spans.end(), [](TimeSpan a, TimeSpan b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<TimeNs> open;
    for (const TimeSpan span : spans) {
      while (!open.empty() && open.back() <= span.begin) open.pop_back();
      QVERIFY(open.empty() || span.end <= open.back());
      open.push_back(span.end);
    }
  }
}

void TestSimulator::theTruthAddsUp() {
  QFETCH(QString, scenario);
  for (const std::uint64_t seed : {1u, 2u}) {
    const Simulation simulation = simulated(scenario.toStdString(), seed, 1, 0, 7);
    QCOMPARE(simulation.perturbed, seed == 1);
    const TruthRank& rank = simulation.truth.ranks.front();
    QCOMPARE(rank.steps.size(), std::size_t{7});
    TimeNs before = rank.recording.begin;
    for (const TruthStep& step : rank.steps) {
      QVERIFY(step.host.begin >= before);
      before = step.host.end;
      QCOMPARE(step.busy + step.idle, step.host.length());
      QCOMPARE(sumOf(step.idleByCause), step.idle);
      QCOMPARE(sumOf(step.idleByActivity), step.idle);
      QCOMPARE(sumOf(step.pathByCause), step.host.length());
      QVERIFY(step.exposedCommunication <= step.communication);
      QVERIFY(step.exposedMemory <= step.memory);
      QCOMPARE(step.compute + step.exposedCommunication + step.exposedMemory, step.busy);
    }
    QVERIFY(before <= rank.recording.end);
    TimeNs end = rank.recording.begin;
    for (const TruthGap& gap : rank.gaps) {
      QVERIFY(gap.span.length() >= 1000);
      QVERIFY(gap.span.begin >= end);
      end = gap.span.end;
    }
    QCOMPARE(end, rank.recording.end);
  }
}

void TestSimulator::theTruthIsWhatTheCleanFileSays() {
  QFETCH(QString, scenario);
  const Simulation simulation = simulated(scenario.toStdString(), 6, 1, 12000);
  QVERIFY(writeKineto(simulation, 0, path("clean.json")).ok());
  const Recording r = load(path("clean.json"));
  const auto isCollective = [](const Timed& e) {
    return e.event["name"].get<std::string>().starts_with("nccl");
  };
  const auto isMemory = [](const Timed& e) { return e.event["cat"] != "kernel"; };
  for (const TruthStep& step : simulation.truth.ranks.front().steps) {
    const std::string name = "ProfilerStep#" + std::to_string(step.number);
    const auto mark = std::find_if(r.ops.begin(), r.ops.end(),
                                   [&](const Timed& op) { return op.event["name"] == name; });
    QVERIFY(mark != r.ops.end());
    QCOMPARE(mark->ts, step.host.begin);
    QCOMPARE(mark->ts + mark->dur, step.host.end);
    QCOMPARE(unionWithin(r.device, step.host, [](const Timed&) { return true; }), step.busy);
    QCOMPARE(unionWithin(r.device, step.host, isCollective), step.communication);
    QCOMPARE(unionWithin(r.device, step.host, isMemory), step.memory);
    QCOMPARE(unionWithin(r.device, step.host,
                         [&](const Timed& e) { return !isMemory(e) && !isCollective(e); }),
             step.compute);
  }
}

void TestSimulator::aPerturbedFileStaysWithinItsTolerance() {
  const Simulation simulation = simulated("mixed", 7, 1, 40000, 4);
  QVERIFY(simulation.perturbed);
  QVERIFY(writeKineto(simulation, 0, path("noisy.json")).ok());
  const Recording r = load(path("noisy.json"));
  const TruthRank& rank = simulation.truth.ranks.front();
  QVERIFY(!rank.dropped.empty());
  std::set<std::int64_t> present;
  for (const Timed& e : r.device)
    present.insert(e.event["args"]["correlation"].get<std::int64_t>());
  for (const DroppedRecord& record : rank.dropped) {
    const auto correlation = static_cast<std::int64_t>(record.correlation);
    QVERIFY(record.device ? present.count(correlation) == 0 : r.callOf.count(correlation) == 0);
  }
  std::uint64_t launched = 0;
  for (const TruthStep& step : rank.steps) {
    launched += step.deviceRecords;
    const TimeNs busy = unionWithin(r.device, step.host, [](const Timed&) { return true; });
    const TimeNs tolerance =
        step.droppedNs + 2 * simulation.truth.noise * static_cast<TimeNs>(step.deviceRecords);
    QVERIFY(std::abs(busy - step.busy) <= tolerance);
  }
  const auto lost = std::count_if(rank.dropped.begin(), rank.dropped.end(),
                                  [](const DroppedRecord& d) { return d.device; });
  QCOMPARE(r.device.size() + static_cast<std::size_t>(lost), static_cast<std::size_t>(launched));
}

void TestSimulator::thePlantedBottleneckIsTheBiggest() {
  QFETCH(QString, scenario);
  for (const std::uint64_t seed : {1u, 2u}) {
    for (const std::uint64_t events : {std::uint64_t{0}, std::uint64_t{120000}}) {
      const Simulation simulation = simulated(scenario.toStdString(), seed, 1, events, 6);
      // What a step loses: to idle time by cause, to exposed communication; and what it is busy
      // with: kernels on either side of the ridge.
      std::map<std::string, TimeNs> share;
      for (const TruthStep& step : simulation.truth.ranks.front().steps) {
        // Loads its kernels and grows its memory; is compiled.
        if (step.number == 0 || (scenario == u"compiled" && step.number == 1)) continue;
        const auto idle = [&](TruthIdleCause cause) {
          return step.idleByCause[static_cast<std::size_t>(cause)];
        };
        share["input"] += idle(TruthIdleCause::input);
        share["launch"] += idle(TruthIdleCause::launch);
        share["host_sync"] += idle(TruthIdleCause::hostSync);
        share["allocation"] += idle(TruthIdleCause::allocation);
        share["communication"] += step.exposedCommunication + idle(TruthIdleCause::collectiveWait);
        share["compute"] += step.computeBound;
        share["memory"] += step.memoryBound;
        share["copies"] += step.exposedMemory;
      }
      const std::string planted = simulation.truth.bottleneck;
      // A job that is busy nearly all the time is held by what it computes; the loss that such a
      // scenario plants is then the biggest of the losses.
      static const std::set<std::string> kLosses = {"communication", "host_sync", "allocation",
                                                    "copies"};
      if (kLosses.count(planted) == 1) {
        share.erase("compute");
        share.erase("memory");
      }
      const auto biggest =
          std::max_element(share.begin(), share.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      QVERIFY2(biggest->first == planted, biggest->first.c_str());
    }
  }
}

void TestSimulator::theExposedTailIsATail() {
  const Simulation simulation = simulated("exposed-tail", 2);
  QVERIFY(writeKineto(simulation, 0, path("tail.json")).ok());
  const Recording r = load(path("tail.json"));
  for (const TruthStep& step : simulation.truth.ranks.front().steps) {
    if (step.number == 0) continue;
    QVERIFY(step.exposedCommunication * 100 >= 3 * step.host.length());  // ANALYSIS 5.2, row 6
    QVERIFY(step.exposedCommunication * 2 <= step.communication);
    TimeNs last = 0;
    TimeNs longest = 0;
    TimeNs lastLength = 0;
    for (const Timed& e : r.device) {
      if (!step.host.contains(e.ts) || !e.event["args"].contains("Collective name")) continue;
      longest = std::max(longest, e.dur);
      if (e.ts > last) {
        last = e.ts;
        lastLength = e.dur;
      }
    }
    QCOMPARE(longest, lastLength);
  }
}

void TestSimulator::theMixedScenarioHasGapsOfSeveralCauses() {
  const Simulation simulation = simulated("mixed", 2, 1, 0, 6);
  std::set<TruthIdleCause> causes;
  for (const TruthGap& gap : simulation.truth.ranks.front().gaps) causes.insert(gap.cause);
  for (const TruthIdleCause cause :
       {TruthIdleCause::input, TruthIdleCause::hostSync, TruthIdleCause::allocation,
        TruthIdleCause::compileLoad, TruthIdleCause::launch, TruthIdleCause::collectiveWait,
        TruthIdleCause::profiler, TruthIdleCause::outsideCapture}) {
    QVERIFY2(causes.count(cause) == 1, std::string(word(cause)).c_str());
  }
}

void TestSimulator::theSameSeedGivesTheSameFile() {
  for (const std::uint64_t seed : {3u, 8u}) {
    for (const char* name : {"a.json", "b.json"}) {
      QVERIFY(writeKineto(simulated("mixed", seed, 1, 8000), 0, path("same.json")).ok());
      std::rename(path("same.json").c_str(), path(name).c_str());
    }
    QVERIFY(readAll(path("a.json")) == readAll(path("b.json")));
  }
  QVERIFY(writeKineto(simulated("mixed", 9, 1, 8000), 0, path("c.json")).ok());
  QVERIFY(readAll(path("a.json")) != readAll(path("c.json")));
}

void TestSimulator::theWantedNumberOfEventsIsMet() {
  QFETCH(QString, scenario);
  for (const std::uint64_t events : {30000u, 150000u}) {
    const Simulation simulation = simulated(scenario.toStdString(), 2, 1, events, 5);
    const Result<std::uint64_t> written = writeKineto(simulation, 0, path("count.json"));
    QVERIFY(written.ok());
    QVERIFY(written.value() * 10 >= events * 9 && written.value() * 10 <= events * 11);
  }
}

void TestSimulator::ranksEndTheirCollectivesTogether() {
  const Simulation simulation = simulated("no-overlap", 2, 3, 6000, 2);
  QCOMPARE(simulation.truth.ranks.size(), std::size_t{3});
  std::vector<std::map<std::int64_t, TimeNs>> ends(3);
  for (int rank = 0; rank < 3; ++rank) {
    QVERIFY(writeKineto(simulation, rank, path("rank.json")).ok());
    const Recording r = load(path("rank.json"));
    QCOMPARE(r.root["distributedInfo"]["rank"].get<int>(), rank);
    QCOMPARE(r.root["distributedInfo"]["world_size"].get<int>(), 3);
    for (const Timed& e : r.device) {
      if (!e.event["args"].contains("Collective name")) continue;
      QCOMPARE(e.event["pid"].get<int>(), rank);
      ends[static_cast<std::size_t>(rank)][e.event["args"]["correlation"]] = e.ts + e.dur;
    }
  }
  QVERIFY(!ends[0].empty());
  QCOMPARE(ends[1], ends[0]);
  QCOMPARE(ends[2], ends[0]);
  QVERIFY(writeKineto(simulation, 3, path("rank.json")).failed());
}

QTEST_GUILESS_MAIN(TestSimulator)
#include "tst_simulator.moc"
