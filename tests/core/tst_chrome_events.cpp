#include <QTest>

#include "core/io/load_trace.h"
#include "tests/support/loaded_trace.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;
using ridgeline::test::load;
using ridgeline::test::loadFile;
using ridgeline::test::named;
using ridgeline::test::problem;
using ridgeline::test::sharedFile;
using ridgeline::test::TemporaryFile;

/// Everything that the trace-event format of Chrome can hold.
class TestChromeEvents : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void asyncRangesEndOnAnotherThreadOfTheirProcess() {
    const auto t = load(R"([
      {"ph":"b","cat":"c","name":"r","id":"7","pid":1,"tid":1,"ts":10},
      {"ph":"n","cat":"c","name":"r","id":"7","pid":1,"tid":1,"ts":12},
      {"ph":"e","cat":"c","name":"r","id":"7","pid":1,"tid":2,"ts":30}])");
    QVERIFY(t);
    QCOMPARE(t->importLog().slices, std::uint64_t{2});
    QCOMPARE(t->slices().duration(named(*t, "r")), TimeNs{20'000});
  }

  void asyncRangesOfOtherCategoriesAreOthers() {
    const auto t = load(R"([
      {"ph":"b","cat":"a","name":"r","id":"7","pid":1,"tid":1,"ts":10},
      {"ph":"b","cat":"b","name":"r","id":"7","pid":1,"tid":1,"ts":11},
      {"ph":"e","cat":"a","name":"r","id":"7","pid":1,"tid":1,"ts":20},
      {"ph":"e","cat":"b","name":"r","id":"7","pid":1,"tid":1,"ts":40}])");
    QVERIFY(t);
    QCOMPARE(t->slices().size(), std::size_t{2});
    QCOMPARE(t->slices().duration(SliceId(0)), TimeNs{10'000});
    QCOMPARE(t->slices().duration(SliceId(1)), TimeNs{29'000});
  }

  void legacyAsyncRangesMayEndInAnotherProcess() {
    const auto t = load(R"([
      {"ph":"S","cat":"c","name":"r","id":"1","pid":2,"tid":2,"ts":500},
      {"ph":"T","cat":"c","name":"r","id":"1","pid":2,"tid":2,"ts":510,"args":{"step":"x"}},
      {"ph":"p","cat":"c","name":"r","id":"1","pid":2,"tid":2,"ts":520,"args":{"step":"y"}},
      {"ph":"F","cat":"c","name":"r","id":"1","pid":3,"tid":4,"ts":700},
      {"ph":"S","cat":"c","name":"other","id":"1","pid":2,"tid":2,"ts":600}])");
    QVERIFY(t);
    QCOMPARE(t->importLog().slices, std::uint64_t{3});
    QCOMPARE(t->importLog().instants, std::uint64_t{2});
    QCOMPARE(t->slices().duration(named(*t, "r")), TimeNs{200'000});
    QCOMPARE(problem(*t, "begin_without_end"), std::uint64_t{1});
  }

  void arrowsOfTheSecondVersionBindByTheirId() {
    const auto t = load(R"([
      {"ph":"X","name":"A","pid":1,"tid":1,"ts":0,"dur":10,"bind_id":"0x1","flow_out":true},
      {"ph":"X","name":"B","pid":1,"tid":2,"ts":20,"dur":10,"bind_id":"0x1","flow_in":true,
       "flow_out":true},
      {"ph":"X","name":"C","pid":2,"tid":3,"ts":40,"dur":10,"bind_id":"0x1","flow_in":true},
      {"ph":"X","name":"D","pid":2,"tid":4,"ts":40,"dur":10,"bind_id":"0x2","flow_in":true}])");
    QVERIFY(t);
    QCOMPARE(t->importLog().slices, std::uint64_t{4});
    QCOMPARE(t->importLog().links, std::uint64_t{0});
    QCOMPARE(t->links().size(), std::size_t{2});
    QCOMPARE(t->links().outgoing(named(*t, "A")).front().to, named(*t, "B"));
    QCOMPARE(t->links().outgoing(named(*t, "B")).front().to, named(*t, "C"));
  }

  void countersOfOneNameAndSeveralIdsAreSeveral() {
    const auto t = load(R"([
      {"ph":"C","name":"frame","id":"a","pid":1,"tid":1,"ts":0,"args":{"n":1}},
      {"ph":"C","name":"frame","id":"b","pid":1,"tid":1,"ts":0,"args":{"n":2}},
      {"ph":"C","name":"frame","pid":1,"tid":1,"ts":0,"args":{"n":3,"m":4}}])");
    QVERIFY(t);
    QCOMPARE(t->importLog().counters, std::uint64_t{3});
    QCOMPARE(t->counters().size(), std::size_t{4});
  }

  void instantsOfEveryScopeAreMarks() {
    const auto t = load(R"([
      {"ph":"i","name":"t","pid":1,"tid":1,"ts":1,"s":"t"},
      {"ph":"i","name":"p","pid":1,"tid":1,"ts":2,"s":"p"},
      {"ph":"I","name":"g","pid":1,"tid":1,"ts":3,"s":"g"},
      {"ph":"R","name":"m","cat":"blink.user_timing","pid":1,"tid":1,"ts":4}])");
    QVERIFY(t);
    QCOMPARE(t->importLog().instants, std::uint64_t{4});
    QCOMPARE(t->instants().size(), std::size_t{4});
  }

  void objectsSamplesAndDumpsAreMarksAndSaid() {
    const auto t = load(std::string(R"([
      {"ph":"N","name":"Tree","id":"0x1","pid":1,"tid":1,"ts":1},
      {"ph":"O","name":"Tree","id":"0x1","pid":1,"tid":1,"ts":2,"args":{"snapshot":{"a":1}}},
      {"ph":"D","name":"Tree","id":"0x1","pid":1,"tid":1,"ts":3},
      {"ph":"P","name":"sample","pid":1,"tid":1,"ts":4,"sf":7},
      {"ph":"v","name":"periodic","id":"1","pid":1,"tid":1,"ts":5,"args":{"dumps":{}}},
      {"ph":"V","name":"periodic","id":"1","pid":1,"tid":1,"ts":6,"args":{"dumps":{}}},
      {"ph":"c","name":"clock_sync","pid":1,"tid":1,"ts":7,"args":{"sync_id":"x"}},
      {"ph":"=","name":"link","id":"1","pid":1,"tid":1,"ts":9},
      )") + "{\"ph\":\"(\",\"name\":\"ctx\",\"id\":\"1\",\"pid\":1,\"tid\":1,\"ts\":8},"
            "{\"ph\":\")\",\"name\":\"ctx\",\"id\":\"1\",\"pid\":1,\"tid\":1,\"ts\":9},"
            R"({"ph":"Z","name":"nobody knows","pid":1,"tid":1,"ts":9}])");
    QVERIFY(t);
    QCOMPARE(t->importLog().instants, std::uint64_t{6});
    QCOMPARE(t->importLog().metadata, std::uint64_t{4});
    QCOMPARE(t->importLog().dropped, std::uint64_t{1});
    QCOMPARE(problem(*t, "object_event"), std::uint64_t{3});
    QCOMPARE(problem(*t, "sample_event"), std::uint64_t{1});
    QCOMPARE(problem(*t, "memory_dump"), std::uint64_t{2});
    QCOMPARE(problem(*t, "unknown_phase"), std::uint64_t{1});
  }

  void recordingsOfOtherKindsInTheFileAreCounted() {
    const auto t = load(R"({"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1}],
      "stackFrames":{"1":{"name":"f"},"2":{"name":"g","parent":"1"}},
      "samples":[{"cpu":0,"tid":1,"ts":1.0,"name":"cycles","sf":1,"weight":1}],
      "systemTraceEvents":"tracer: nop","otherData":{"v":"1"}})");
    QVERIFY(t);
    QCOMPARE(problem(*t, "stack_frames_section"), std::uint64_t{2});
    QCOMPARE(problem(*t, "samples_section"), std::uint64_t{1});
    QCOMPARE(problem(*t, "system_trace_section"), std::uint64_t{1});
    QCOMPARE(t->info().metadataText("otherData"), std::string_view(R"({"v":"1"})"));
    QVERIFY(t->info().metadataText("samples").empty());
  }

  void emptyEntriesAreNoLoss() {
    const auto t = load(R"([{}, {"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1}, {}])");
    QVERIFY(t);
    QCOMPARE(t->importLog().read, std::uint64_t{3});
    QCOMPARE(t->importLog().dropped, std::uint64_t{2});
    QCOMPARE(problem(*t, "empty_event"), std::uint64_t{2});
    QVERIFY(!t->importLog().problems.find("empty_event")->second.lost);
  }

  void catapultsOwnFilesGiveWhatTheyHold_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<qulonglong>("slices");
    QTest::addColumn<qulonglong>("instants");
    QTest::addColumn<qulonglong>("dropped");
    // Counted from the files' own phases: B and E, b and e, S and F count two.
    QTest::newRow("async") << "async_begin_end.json" << 27ull << 7ull << 1ull;
    QTest::newRow("objects") << "chromeos_system_trace.json" << 0ull << 12ull << 0ull;
    QTest::newRow("samples") << "simple_trace.json" << 20ull << 9ull << 0ull;
    QTest::newRow("memory") << "test_data/memory_trace.json" << 222ull << 4ull << 0ull;
    QTest::newRow("webview") << "webview.json.gz" << 9187ull << 103ull << 0ull;
  }
  void catapultsOwnFilesGiveWhatTheyHold() {
    QFETCH(QString, file);
    const std::string path =
        sharedFile("traces/chrome/catapult-project__catapult/" + file.toStdString());
    if (path.empty()) QSKIP("needs the real traces beside the checkout (../shared/traces/chrome)");
    const auto t = loadFile(path);
    QVERIFY(t);
    QTEST(static_cast<qulonglong>(t->importLog().slices), "slices");
    QTEST(static_cast<qulonglong>(t->importLog().instants), "instants");
    QTEST(static_cast<qulonglong>(t->importLog().dropped), "dropped");
  }

  void perfettosArrowsAreDrawn_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("links");
    QTest::newRow("version 1") << "flow_events_json_v1.json" << 3;
    QTest::newRow("version 2") << "flow_events_json_v2.json" << 4;
  }
  void perfettosArrowsAreDrawn() {
    QFETCH(QString, file);
    const std::string path =
        sharedFile("traces/chrome/google__perfetto/parser/parsing/" + file.toStdString());
    if (path.empty()) QSKIP("needs the real traces beside the checkout (../shared/traces/chrome)");
    const auto t = loadFile(path);
    QVERIFY(t);
    QTEST(static_cast<int>(t->links().size()), "links");
  }
};

QTEST_GUILESS_MAIN(TestChromeEvents)
#include "tst_chrome_events.moc"
