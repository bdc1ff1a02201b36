// What must not change the report, and what must change it in proportion.
#include <algorithm>
#include <random>

#include <QTemporaryDir>
#include <QTest>

#include "core/io/load_trace.h"
#include "core/report/report.h"
#include "tests/support/analysed.h"
#include "tests/support/kineto_text.h"
#include "tests/support/loaded_trace.h"
#include "tests/support/simulated.h"
#include "tests/support/truth_job.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

constexpr std::uint64_t kSeeds = 16;  // each scenario once

KinetoText textOf(std::uint64_t seed) {
  const QTemporaryDir folder;
  const std::string path = folder.filePath(QStringLiteral("t.json")).toStdString();
  const auto plan = cleanPlan(drawnScenario(scenarioOf(seed), seed), seed, 4);
  SimulationOptions options;
  const Simulation simulation = simulator::runPlan(plan, options);
  if (!writeKineto(simulation, 0, path).ok()) return {};
  return KinetoText::cut(readAll(path));
}

ReportJson reportOf(std::span<const ReportRank> ranks) {
  ReportJson json = reportToJson(ranks, "test");
  // What is said of the file itself: its name, its bytes, where its time begins.
  json.erase("trace");
  json.erase("origin_ns");
  return json;
}

ReportJson reportOf(const KinetoText& text) {
  const std::vector<ReportRank> ranks{{0, steadyResults(load(text.whole()))}};
  return reportOf(ranks);
}

/// Where two documents differ first; empty: nowhere. `differ` decides on leaves, by key.
using Differ =
    std::function<bool(const std::string& key, const ReportJson& a, const ReportJson& b)>;
std::string difference(const std::string& path, const std::string& key, const ReportJson& a,
                       const ReportJson& b, const Differ& differ) {
  if (a.is_structured() != b.is_structured() || (a.is_structured() && a.size() != b.size()))
    return path + ": " + a.dump().substr(0, 200) + " and " + b.dump().substr(0, 200);
  if (a.is_object()) {
    for (const auto& [name, value] : a.items()) {
      if (!b.contains(name)) return path + "." + name + " is missing";
      // Maps of names to times have the unit in the name of the map.
      const std::string inner = key.ends_with("_ns") ? key : name;
      const std::string found = difference(path + "." + name, inner, value, b[name], differ);
      if (!found.empty()) return found;
    }
    return {};
  }
  if (a.is_array()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::string at = path + "[" + std::to_string(i) + "]";
      const std::string found = difference(at, key, a[i], b[i], differ);
      if (!found.empty()) return found;
    }
    return {};
  }
  return differ(key, a, b) ? path + ": " + a.dump() + " and " + b.dump() : "";
}

bool unequal(const std::string&, const ReportJson& a, const ReportJson& b) {
  return a != b;
}

const char* said(std::uint64_t seed, const std::string& difference) {
  static std::string text;
  text = std::string(scenarioOf(seed)) + difference;
  return text.c_str();
}

}  // namespace

class TestReportProperties : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theOrderOfEventsChangesNothing();
  void aShiftInTimeChangesNothing();
  void timesScaleWithTheRecording();
  void anUnrelatedRankChangesNoOther();
};

void TestReportProperties::theOrderOfEventsChangesNothing() {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    KinetoText text = textOf(seed);
    QVERIFY(text.events.size() > 500 || scenarioOf(seed) == "graph-decode");
    const ReportJson before = reportOf(text);
    std::shuffle(text.events.begin(), text.events.end(), std::mt19937(static_cast<unsigned>(seed)));
    const std::string found = difference("", "", before, reportOf(text), unequal);
    QVERIFY2(found.empty(), said(seed, found));
  }
}

void TestReportProperties::aShiftInTimeChangesNothing() {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    KinetoText text = textOf(seed);
    const ReportJson before = reportOf(text);
    text.retime([](TimeNs t) { return t + 987'654'321'012'345; }, [](TimeNs t) { return t; });
    const std::string found = difference("", "", before, reportOf(text), unequal);
    QVERIFY2(found.empty(), said(seed, found));
  }
}

/// Figures in ns are three times what they were, rates a third, counts, bytes and shares the same.
/// Left out is what compares a time with a constant of the real world: causes of gaps and paths,
/// peaks of the device, calls that are long in µs; and sentences, which say times in words.
void TestReportProperties::timesScaleWithTheRecording() {
  constexpr TimeNs kFactor = 3;
  bool graph = false;
  const auto differ = [&graph](const std::string& key, const ReportJson& a, const ReportJson& b) {
    if (a.is_string()) return false;
    for (const char* absolute : {"blocked", "slow"})
      if (key.starts_with(absolute)) return false;
    if (!a.is_number()) return a != b;
    const double x = a.get<double>(), y = b.get<double>();
    // The calls of a graph are shared out among its kernels, a whole number of ns each.
    if (graph && key == "call_ns") return std::abs(y - kFactor * x) > 0.03 * y;
    // A mean is rounded down.
    if (key.ends_with("_ns")) return std::abs(y - kFactor * x) > kFactor;
    if (key.ends_with("_per_s") || key.ends_with("_s")) {
      const double expected = key.ends_with("_per_s") ? x / kFactor : x * kFactor;
      return std::abs(y - expected) > 1e-6 * std::abs(expected);
    }
    return std::abs(y - x) > 1e-9 * std::max(1.0, std::abs(x));
  };
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    KinetoText text = textOf(seed);
    const ReportJson before = reportOf(text);
    graph = scenarioOf(seed) == "graph-decode";
    text.retime([](TimeNs t) { return kFactor * t; }, [](TimeNs t) { return kFactor * t; });
    const ReportJson after = reportOf(text);
    for (const char* section :
         {"windows", "steps", "devices", "kernel_groups", "launches", "memory", "collectives"}) {
      const std::string found =
          difference(section, section, before[section], after[section], differ);
      QVERIFY2(found.empty(), said(seed, found));
    }
    for (const char* figure : {"count", "total_ns", "median_ns", "p90_ns"})
      QVERIFY(!differ(figure, before["idle_gaps"][figure], after["idle_gaps"][figure]));
    for (const char* figure : {"start_ns", "end_ns", "window_ns"})
      QVERIFY(!differ(figure, before["critical_path"][figure], after["critical_path"][figure]));
  }
}

void TestReportProperties::anUnrelatedRankChangesNoOther() {
  AnalysisStore store;
  const auto rankOf = [&store](std::int64_t rank, std::uint64_t seed) {
    const auto w = makeWorkload(load(textOf(seed).whole())).value();
    return ReportRank{rank, store.results(w, steadyWindow(*w))};
  };
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<ReportRank> alone{rankOf(0, seed)};
    const std::vector<ReportRank> both{alone.front(), rankOf(1, seed + 5)};
    const ReportJson before = reportOf(alone), after = reportOf(both);
    QCOMPARE(after["ranks"].size(), std::size_t{2});
    int compared = 0, sections = 0;
    for (const auto& [section, value] : before.items()) {
      if (!after["ranks"][0].contains(section)) continue;  // the version and such
      ++sections;
      const ReportJson& own = after["ranks"][0][section];
      const std::string found = difference(section, section, value, own, unequal);
      QVERIFY2(found.empty(), said(seed, found));
      // At the top, the elements of this rank among those of both.
      if (!value.is_array() || value.empty() || !value.front().is_object() ||
          !value.front().contains("rank"))
        continue;
      ReportJson mine = ReportJson::array();
      for (const ReportJson& element : after[section])
        if (element["rank"] == 0) mine.push_back(element);
      const std::string top = difference(section, section, value, mine, unequal);
      QVERIFY2(top.empty(), said(seed, top));
      ++compared;
    }
    QVERIFY(sections >= 16);
    QVERIFY2(compared >= 8, std::to_string(compared).c_str());
  }
}

QTEST_GUILESS_MAIN(TestReportProperties)
#include "tst_report_properties.moc"
