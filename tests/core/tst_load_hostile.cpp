// Files made to hurt: each ends in a refusal or in a bounded load that balances.

#include <QTest>

#include "core/io/load_trace.h"
#include "tests/support/loaded_trace.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;
using ridgeline::test::TemporaryFile;

namespace {

std::string slice(int tid, std::int64_t ts, std::int64_t dur, const std::string& more = {}) {
  return R"({"ph":"X","name":"n","pid":1,"tid":)" + std::to_string(tid) + R"(,"ts":)" +
         std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) + more + "}";
}

template <class Event>
std::string listOf(int count, Event&& event) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ",\n" : "") + event(i);
  return text + "]";
}

std::vector<LoadedTrace> load(const std::string& text) {
  const TemporaryFile file(text);
  auto loaded = loadTrace(file.path());
  if (!loaded.ok()) return {};
  for (const LoadedTrace& rank : loaded.value()) {
    if (!rank.trace->importLog().balanced()) return {};
    if (!test::rowFaults(*rank.trace).empty()) return {};
  }
  return std::move(loaded).value();
}

}  // namespace

class TestLoadHostile : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void slicesThatAllOverlapHaveARowEach();
  void slicesNestedWithoutEndLoad();
  void beginsWithoutEndsLoad();
  void aHundredThousandTracksLoad();
  void aHundredThousandCountersLoad();
  void aFileOfTooManyRanksIsOneTrace();
  void aMillionKeysInOneEventLoad();
  void aMillionKeysInABrokenEventLoad();
  void bracketsWithoutEndAreRefused();
  void anEntryTooLongIsPassedOver();
  void objectsBegunWithoutEndLoad();
  void brokenObjectsThatAreNoEventsLoad();
  void timesAtTheEndsOfTheRangeLoad();
  void oneCorrelationForEverythingLoads();
  void devicesBeyondTheLimitAreTold();
};

void TestLoadHostile::slicesThatAllOverlapHaveARowEach() {
  const auto loaded = load(listOf(30'000, [](int i) { return slice(1, i, 1'000'000); }));
  QCOMPARE(loaded.size(), std::size_t{1});
  QCOMPARE(loaded[0].trace->rows().size(), std::size_t{30'000});
}

void TestLoadHostile::slicesNestedWithoutEndLoad() {
  const auto loaded = load(listOf(30'000, [](int i) { return slice(1, i, 60'000 - 2 * i); }));
  QCOMPARE(loaded.size(), std::size_t{1});
  QCOMPARE(loaded[0].trace->slices().size(), std::size_t{30'000});
}

void TestLoadHostile::beginsWithoutEndsLoad() {
  const auto loaded = load(listOf(30'000, [](int i) {
    return R"({"ph":"B","name":"n","pid":1,"tid":1,"ts":)" + std::to_string(i) + "}";
  }));
  QCOMPARE(loaded.size(), std::size_t{1});
  QCOMPARE(loaded[0].trace->importLog().slices, std::uint64_t{30'000});
}

void TestLoadHostile::aHundredThousandTracksLoad() {
  const auto loaded = load(listOf(100'000, [](int i) { return slice(i, i, 1); }));
  QCOMPARE(loaded.size(), std::size_t{1});
  QCOMPARE(loaded[0].trace->tracks().size(), std::size_t{100'000});
}

void TestLoadHostile::aHundredThousandCountersLoad() {
  const auto loaded = load(listOf(100'000, [](int i) {
    const std::string n = std::to_string(i);
    return R"({"ph":"C","name":"c)" + n + R"(","pid":1,"ts":)" + n + R"(,"args":{"v":1}})";
  }));
  QCOMPARE(loaded.size(), std::size_t{1});
  QCOMPARE(loaded[0].trace->counters().size(), std::size_t{100'000});
}

void TestLoadHostile::aFileOfTooManyRanksIsOneTrace() {
  const auto loaded = load(listOf(20'000, [](int i) {
    return slice(1, i, 1, R"(,"args":{"rank":)" + std::to_string(i) + "}");
  }));
  QCOMPARE(loaded.size(), std::size_t{1});
  QCOMPARE(loaded[0].trace->slices().size(), std::size_t{20'000});
  QCOMPARE(loaded[0].trace->importLog().problems.count("too_many_ranks"), std::size_t{1});
}

void TestLoadHostile::aMillionKeysInOneEventLoad() {
  std::string args = R"(,"args":{)";
  for (int i = 0; i < 1'000'000; ++i)
    args += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":" + std::to_string(i);
  const auto loaded = load("[" + slice(1, 1, 1, args + "}") + "]");
  QCOMPARE(loaded.size(), std::size_t{1});
  QCOMPARE(loaded[0].trace->slices().size(), std::size_t{1});
}

void TestLoadHostile::aMillionKeysInABrokenEventLoad() {
  std::string keys;
  for (int i = 0; i < 200'000; ++i) keys += ",\"k" + std::to_string(i) + "\":1";
  const auto loaded = load("[" + slice(1, 1, 1, keys + ",,\"z\" 1") + "," + slice(1, 5, 1) + "]");
  QCOMPARE(loaded.size(), std::size_t{1});
  QVERIFY(loaded[0].trace->slices().size() >= 1);
}

void TestLoadHostile::bracketsWithoutEndAreRefused() {
  const TemporaryFile file(std::string(8u << 20, '['));
  const auto loaded = loadTrace(file.path());
  QVERIFY(loaded.failed());
  QVERIFY(!loaded.error().what.empty());
}

void TestLoadHostile::anEntryTooLongIsPassedOver() {
  const std::string name(40u << 20, 'a');
  const auto loaded = load(R"([{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":")" + name + "\"}," +
                           slice(1, 5, 1) + "," + slice(1, 9, 1) + "]");
  QCOMPARE(loaded.size(), std::size_t{1});
  QCOMPARE(loaded[0].trace->slices().size(), std::size_t{3});
  const auto& problems = loaded[0].trace->importLog().problems;
  QCOMPARE(problems.count("long_entry"), std::size_t{1});
  QCOMPARE(problems.find("long_entry")->second.examples.front().offset, std::uint64_t{1});
}

/// Each of these would be looked through to the end of the file again, were that not limited.
void TestLoadHostile::objectsBegunWithoutEndLoad() {
  for (const std::string unit : {R"({"ph":[1,)", R"({"a":)", R"({"ph":"X","a":"b"x )"}) {
    std::string text = "[" + slice(1, 1, 1) + ",";
    while (text.size() < (36u << 20)) text += unit;
    const auto loaded = load(text);
    QCOMPARE(loaded.size(), std::size_t{1});
    QVERIFY(!loaded[0].trace->importLog().problems.empty());
  }
}

void TestLoadHostile::brokenObjectsThatAreNoEventsLoad() {
  const auto loaded = load(
      "[" + slice(1, 1, 1) + "," +
      listOf(300'000, [](int) { return std::string(R"({"x":1 2})"); }).substr(1, 300'000 * 11 - 2) +
      "," + slice(1, 5, 1) + "]");
  QCOMPARE(loaded.size(), std::size_t{1});
  QCOMPARE(loaded[0].trace->slices().size(), std::size_t{2});
  QVERIFY(loaded[0].trace->importLog().dropped >= 1);
}

void TestLoadHostile::timesAtTheEndsOfTheRangeLoad() {
  const auto loaded = load(
      "[" + slice(1, 0, 1) + "," + slice(1, 9'223'372'036'854'775, 9'223'372'036'854'775) + "," +
      slice(1, -9'223'372'036'854'775, 1) + "," + slice(1, 1'420'179'703'274'099, 5) + "]");
  QCOMPARE(loaded.size(), std::size_t{1});
  const Trace& trace = *loaded[0].trace;
  QCOMPARE(trace.slices().size() + trace.importLog().dropped, std::uint64_t{4});
  for (std::size_t i = 0; i < trace.slices().size(); ++i)
    QVERIFY(trace.slices().start[i] <= trace.slices().end[i]);
}

void TestLoadHostile::oneCorrelationForEverythingLoads() {
  const auto loaded = load(listOf(40'000, [](int i) {
    const bool call = i % 2 == 0;
    return std::string(R"({"ph":"X","cat":")") + (call ? "cuda_runtime" : "kernel") +
           R"(","name":"n","pid":)" + (call ? "1" : "0") + R"(,"tid":7,"ts":)" + std::to_string(i) +
           R"(,"dur":1,"args":{"correlation":5,"device":0,"stream":7}})";
  }));
  QCOMPARE(loaded.size(), std::size_t{1});
  QCOMPARE(loaded[0].trace->slices().size(), std::size_t{40'000});
}

void TestLoadHostile::devicesBeyondTheLimitAreTold() {
  for (const int count : {4096, 4097}) {
    const auto loaded =
        load("{\"deviceProperties\":" +
             listOf(count, [](int i) { return "{\"id\":" + std::to_string(i) + "}"; }) +
             ",\"traceEvents\":[" + slice(1, 0, 1) + "]}");
    QCOMPARE(loaded.size(), std::size_t{1});
    QCOMPARE(test::problem(*loaded[0].trace, "too_many_devices"), std::uint64_t(count - 4096));
  }
}

QTEST_GUILESS_MAIN(TestLoadHostile)
#include "tst_load_hostile.moc"
