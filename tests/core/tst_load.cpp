#include <fstream>

#include <QTest>

#include "core/io/load_trace.h"
#include "tests/support/loaded_trace.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;
using ridgeline::test::load;
using ridgeline::test::problem;
using ridgeline::test::TemporaryFile;

namespace {

std::string made(const std::string& name, int ts, int dur, const std::string& more = {}) {
  return R"({"ph":"X","cat":"cpu_op","name":")" + name + R"(","pid":1,"tid":1,"ts":)" +
         std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) + more + "}";
}

std::string traceOf(const std::string& events) {
  return "{\"traceEvents\":[" + events + "]}";
}

}  // namespace

class TestLoad : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void completeEventsKeepExactTimes();
  void beginAndEndArePaired();
  void asyncRangesArePairedById();
  void instantsCountersAndMetadataEndWhereTheyBelong();
  void flowsLinkTheSlicesThatTheyTouch();
  void correlationLinksACallToItsKernel();
  void whatTheProfilerEstimatedOfAKernelIsRead();
  void argsAreReadOnDemandAndRefusedOnceTheFileHasChanged();
  void escapesInNamesAreResolved();
  void theArrayFormNeedsNoClosingBracket();
  void layoutDoesNotMatter();
  void oneDamageIsMendedAndCounted_data();
  void oneDamageIsMendedAndCounted();
  void aBrokenEventCostsNoOtherEvent_data();
  void aBrokenEventCostsNoOtherEvent();
  void entriesThatAreNoEventsAreCounted();
  void mergedRanksBecomeOneTraceEach();
  void whatIsNoTraceIsRefusedWithASentence_data();
  void whatIsNoTraceIsRefusedWithASentence();
  void theRefusalSaysHowTheTextBegins();
  void whatFollowsTheDocumentIsNotedWithItsPlace_data();
  void whatFollowsTheDocumentIsNotedWithItsPlace();
  void deepNestingAndLongNamesLoad();
  void aCancelledLoadReturnsCancelled();
};

void TestLoad::completeEventsKeepExactTimes() {
  const auto t = load(
      traceOf(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1420179703274.099,"dur":3.001},)"
              R"({"ph":"X","name":"b","pid":1,"tid":1,"ts":"1420179703274.100","dur":"2.5"},)"
              R"({"ph":"X","name":"c","pid":1,"tid":1,"ts":1.4201797032741e12,"dur":0.0009})"));
  QVERIFY(t);
  QCOMPARE(t->origin(), TimeNs{1420179703274099});
  QCOMPARE(t->slices().size(), std::size_t{3});
  QCOMPARE(t->slices().end[0], TimeNs{3001});
  QCOMPARE(t->slices().start[1], TimeNs{1});
  QCOMPARE(t->slices().end[1], TimeNs{2501});
  QCOMPARE(t->slices().start[2], TimeNs{1});
  QCOMPARE(t->slices().end[2], TimeNs{2});
  QCOMPARE(problem(*t, "time_as_text"), std::uint64_t{1});
  QCOMPARE(problem(*t, "below_nanosecond"), std::uint64_t{1});
}

void TestLoad::beginAndEndArePaired() {
  const auto t = load(traceOf(R"({"ph":"B","name":"a","pid":1,"tid":1,"ts":1},)"
                              R"({"ph":"B","name":"b","pid":1,"tid":1,"ts":2},)"
                              R"({"ph":"E","pid":1,"tid":1,"ts":3},)"
                              R"({"ph":"E","pid":1,"tid":1,"ts":5},)"
                              R"({"ph":"E","pid":1,"tid":1,"ts":6},)"
                              R"({"ph":"B","name":"open","pid":1,"tid":1,"ts":7},)"
                              R"({"ph":"i","name":"end","pid":1,"tid":1,"ts":9})"));
  QVERIFY(t);
  QCOMPARE(t->slices().size(), std::size_t{3});
  QCOMPARE(t->slices().duration(SliceId(0)), TimeNs{4000});
  QCOMPARE(t->name(SliceId(2)), std::string_view("b"));
  QCOMPARE(t->slices().parent[2], SliceId(0));
  QCOMPARE(int{t->slices().flags[1]}, int{SliceTable::kUnfinished});
  QCOMPARE(t->importLog().slices, std::uint64_t{5});
  QCOMPARE(t->importLog().dropped, std::uint64_t{1});
  QCOMPARE(problem(*t, "end_without_begin"), std::uint64_t{1});
  QCOMPARE(problem(*t, "begin_without_end"), std::uint64_t{1});
}

void TestLoad::asyncRangesArePairedById() {
  const auto t =
      load(traceOf(R"({"ph":"b","cat":"x","name":"a","id":"1","pid":1,"tid":1,"ts":1},)"
                   R"({"ph":"b","cat":"x","name":"a","id":"2","pid":1,"tid":1,"ts":2},)"
                   R"({"ph":"e","cat":"x","name":"a","id":"1","pid":1,"tid":1,"ts":4},)"
                   R"({"ph":"e","cat":"x","name":"a","id":"2","pid":1,"tid":1,"ts":9})"));
  QVERIFY(t);
  QCOMPARE(t->slices().size(), std::size_t{2});
  QCOMPARE(t->tracks()[0].kind, TrackKind::async);
  QCOMPARE(t->slices().duration(SliceId(0)), TimeNs{3000});
  QCOMPARE(t->slices().duration(SliceId(1)), TimeNs{7000});
}

void TestLoad::instantsCountersAndMetadataEndWhereTheyBelong() {
  const auto t = load(traceOf(
      R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python"}},)"
      R"({"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker"}},)"
      R"({"ph":"M","name":"process_sort_index","pid":1,"tid":0,"args":{"sort_index":7}},)"
      R"({"ph":"i","name":"mark","pid":1,"tid":2,"ts":1,"s":"t"},)"
      R"({"ph":"C","name":"memory","pid":1,"tid":2,"ts":1,"args":{"cpu":1.5,"gpu":2}},)"
      R"({"ph":"C","name":"memory","pid":1,"tid":2,"ts":2,"args":{"cpu":3,"gpu":"4"}},)"
      R"({"ph":"i","name":"[memory]","pid":1,"tid":2,"ts":3,"args":{"Bytes":-512,"Addr":99,)"
      R"("Device Type":1,"Device Id":0,"Total Allocated":1024}},)"
      R"({"ph":"Q","name":"odd","pid":1,"tid":2,"ts":3})"));
  QVERIFY(t);
  QCOMPARE(t->instants().size(), std::size_t{2});
  QCOMPARE(t->counters().size(), std::size_t{2});
  QCOMPARE(t->counters()[0].value, (std::vector<double>{1.5, 3}));
  QCOMPARE(t->memory().size(), std::size_t{1});
  QCOMPARE(t->memory()[0].bytes, std::int64_t{-512});
  QCOMPARE(t->processes()[0].sortIndex, std::int64_t{7});
  QCOMPARE(t->importLog().metadata, std::uint64_t{3});
  QCOMPARE(t->importLog().counters, std::uint64_t{2});
  QCOMPARE(problem(*t, "unknown_phase"), std::uint64_t{1});
}

void TestLoad::flowsLinkTheSlicesThatTheyTouch() {
  const auto t = load(traceOf(
      made("forward", 1, 5) + "," + made("backward", 20, 5) +
      R"(,{"ph":"s","cat":"fwdbwd","name":"fwdbwd","id":3,"pid":1,"tid":1,"ts":2},)"
      R"({"ph":"f","cat":"fwdbwd","name":"fwdbwd","id":3,"bp":"e","pid":1,"tid":1,"ts":21})"));
  QVERIFY(t);
  QCOMPARE(t->links().size(), std::size_t{1});
  QCOMPARE(t->links().all()[0].kind, LinkKind::forwardBackward);
  QCOMPARE(t->links().all()[0].from, SliceId(0));
  QCOMPARE(t->links().all()[0].to, SliceId(1));
  QCOMPARE(t->importLog().links, std::uint64_t{2});
}

void TestLoad::correlationLinksACallToItsKernel() {
  const auto t = load(traceOf(
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":1,"dur":2,)"
      R"("args":{"correlation":77}},)"
      R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":5,"dur":10,)"
      R"("args":{"correlation":77,"device":0,"stream":7}})"));
  QVERIFY(t);
  QCOMPARE(t->devices().size(), std::size_t{1});
  const Track& stream = t->track(t->devices()[0].streams.at(0));
  QCOMPARE(stream.stream, std::int64_t{7});
  const SliceId kernel(t->rows()[stream.firstRow.index()].first);
  QCOMPARE(t->name(t->launchOf(kernel)), std::string_view("cudaLaunchKernel"));
}

void TestLoad::whatTheProfilerEstimatedOfAKernelIsRead() {
  const auto fillOf = [](const std::string& args) {
    const auto trace = load(traceOf(made("k", 1, 20, ",\"args\":{" + args + "}")));
    return trace->slices().fill.get(SliceId(0)).value_or(KernelFill());
  };
  const KernelFill both = fillOf(R"("blocks per SM": 0.222222, "est. achieved occupancy %": 37)");
  QVERIFY(std::abs(both.blocksPerSm().value() / 0.222222 - 1) < 1.0 / 32768);
  QCOMPARE(both.occupancy().value(), 0.37);
  QCOMPARE(fillOf(R"("blocks per SM": "641.5", "x": 1)").blocksPerSm().value(), 641.5);
  const KernelFill none = fillOf(R"("est. achieved occupancy %": 0)");
  QCOMPARE(none.occupancy().value(), 0.0);
  QVERIFY(!none.blocksPerSm());
  // A block has a warp at least: 0 is a rounded figure where few multiprocessors have one, and none
  // where the profiler's calculation failed.
  QVERIFY(fillOf(R"("blocks per SM": 0.01, "est. achieved occupancy %": 0)").occupancy());
  QVERIFY(!fillOf(R"("blocks per SM": 0.76, "est. achieved occupancy %": 0)").occupancy());
  // No figures: a name, a negative one, a number beyond all bounds, an infinite one.
  QVERIFY(!fillOf(R"("blocks per SM": "many", "est. achieved occupancy %": -3)").known());
  QVERIFY(!fillOf(R"("blocks per SM": 1e300, "est. achieved occupancy %": 1e999)").known());
  QCOMPARE(fillOf(R"("est. achieved occupancy %": 250)").occupancy().value(), 1.0);
}

void TestLoad::argsAreReadOnDemandAndRefusedOnceTheFileHasChanged() {
  const TemporaryFile file(traceOf(made("a", 1, 2, R"(,"args":{"x": [1, 2]})")));
  const auto loaded = loadTrace(file.path());
  QVERIFY(loaded.ok());
  const Trace& t = *loaded.value()[0].trace;
  QCOMPARE(t.readArgs(SliceId(0)).value(), std::string(R"({"x": [1, 2]})"));
  std::ofstream(file.path(), std::ios::app) << " ";
  const auto after = t.readArgs(SliceId(0));
  QVERIFY(after.failed());
  QVERIFY(after.error().what.find("changed") != std::string::npos);
}

void TestLoad::escapesInNamesAreResolved() {
  const auto t = load(traceOf(made(R"(a\"b\\c\u00e9\ud83d\ude00\n)", 1, 2)));
  QVERIFY(t);
  QCOMPARE(t->name(SliceId(0)), std::string_view("a\"b\\c\u00e9\U0001F600\n"));
  QCOMPARE(t->importLog().repaired, std::uint64_t{0});
}

void TestLoad::theArrayFormNeedsNoClosingBracket() {
  for (const char* end : {"]", "", ",", " , \n"}) {
    const auto t = load("[" + made("a", 1, 2) + "," + made("b", 4, 2) + end);
    QVERIFY(t);
    QCOMPARE(t->slices().size(), std::size_t{2});
    QCOMPARE(t->importLog().dropped, std::uint64_t{0});
  }
}

void TestLoad::layoutDoesNotMatter() {
  const std::string compact =
      traceOf(made("a", 1, 20, R"(,"args":{"External id":5,"Input Dims":[[1,2],[]]})") + "," +
              made("b", 3, 4));
  std::string spread;
  bool inString = false;
  for (const char c : compact) {
    if (c == '"') inString = !inString;
    if (!inString && std::string_view("{}[]:,").find(c) != std::string_view::npos) {
      spread += "\r\n\t ";
      spread += c;
      spread += "  \n";
    } else {
      spread += c;
    }
  }
  const auto a = load(compact);
  const auto b = load(spread);
  QVERIFY(a && b);
  QCOMPARE(b->slices().start, a->slices().start);
  QCOMPARE(b->slices().parent, a->slices().parent);
  QCOMPARE(b->slices().externalId.size(), std::size_t{1});
  QCOMPARE(b->shapes().size(), std::size_t{1});
}

void TestLoad::oneDamageIsMendedAndCounted_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("key");
  QTest::addColumn<QByteArray>("name");
  const auto row = [](const char* title, const std::string& text, const char* key,
                      const char* name = "a") {
    QTest::newRow(title) << QByteArray(text.data(), static_cast<qsizetype>(text.size()))
                         << QByteArray(key) << QByteArray(name);
  };
  const std::string good = made("a", 1, 2);
  row("control character", traceOf(made("a\x01", 1, 2)), "control_characters", "a\x01");
  row("line break in a text", traceOf(made("a\nb", 1, 2)), "control_characters", "a\nb");
  row("bad UTF-8", traceOf(made("a\xff", 1, 2)), "bad_utf8", "a\xEF\xBF\xBD");
  row("bad escape", traceOf(made("C:\\Users", 1, 2)), "bad_escape", "C:\\Users");
  row("lone surrogate", traceOf(made("a\\ud83d", 1, 2)), "bad_escape", "a\xEF\xBF\xBD");
  row("NaN", traceOf(made("a", 1, 2, R"(,"args":{"x":NaN})")), "not_a_number");
  row("-Infinity", traceOf(made("a", 1, 2, R"(,"args":{"x":[-Infinity]})")), "not_a_number");
  row("comma in an event", traceOf(made("a", 1, 2, ",")), "extra_comma");
  row("comma after the last", traceOf(good + ","), "trailing_comma");
  row("two commas", traceOf(good + ",," + made("b", 5, 1)), "extra_comma");
  row("no comma between events", traceOf(good + made("b", 5, 1)), "missing_comma");
  row("no closing bracket", "{\"traceEvents\":[" + good + "}", "missing_bracket");
  row("no end", "{\"traceEvents\":[" + good, "unclosed_array");
  row("no end of an array, which may be so", "[" + good, "open_array");
  row("no end of the object", "{\"traceEvents\":[" + good + "]", "open_object");
  row("time as text", R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":"1","dur":2}])",
      "time_as_text");
  row("key twice", traceOf(made("b", 1, 2, R"(,"name":"a")")), "duplicate_key");
  row("no duration", R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1}])", "missing_duration");
  row("negative duration", traceOf(made("a", 1, -2)), "negative_duration");
  row("overflowing duration", R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":4e15}])",
      "overflowing_duration");
  row("args that are a list", traceOf(made("a", 1, 2, R"(,"args":[1])")), "args_not_an_object");
  row("quotes in a name", traceOf(made(R"(say "hi" now)", 1, 2)), "broken_event",
      R"(say "hi" now)");
  row("half a character in what is not read", traceOf(made("a", 1, 2, R"(,"x":"\ud800 and")")),
      "bad_escape", "a");
  row("comma in what is not read", traceOf(made("a", 1, 2, R"(,"x":{"y":[1, [2, ]]})")),
      "extra_comma", "a");
  row("quotes in a text of what is not read", traceOf(made("a", 1, 2, R"(,"x":{"y":["b"c"d"]})")),
      "broken_event", "a");
  row("event without its brace", traceOf(good.substr(0, good.size() - 1) + "," + made("b", 5, 1)),
      "broken_event");
  row("byte-order mark", "\xEF\xBB\xBF" + traceOf(good), "byte_order_mark");
  row("cut in the args", "[" + made("a", 1, 2, R"(,"args":{"x": "lo)"), "broken_event");
}

void TestLoad::oneDamageIsMendedAndCounted() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, key);
  QFETCH(QByteArray, name);
  const auto t = load({text.data(), static_cast<std::size_t>(text.size())});
  QVERIFY(t);
  QVERIFY2(problem(*t, key.data()) > 0, test::dump(*t).c_str());
  QVERIFY(t->importLog().repaired > 0);
  QCOMPARE(t->importLog().dropped, std::uint64_t{0});
  QVERIFY(t->slices().size() >= 1);
  QCOMPARE(std::string(t->name(SliceId(0))), name.toStdString());
}

void TestLoad::aBrokenEventCostsNoOtherEvent_data() {
  QTest::addColumn<QByteArray>("broken");
  QTest::newRow("no closing quote") << QByteArray(R"({"ph":"X","name":"lost,"ts":1)");
  QTest::newRow("no colon") << QByteArray(R"({"ph" "X","name":"lost","ts":1})");
  QTest::newRow("wrong bracket") << QByteArray(
      R"({"ph":"X","name":"lost","args":{"Input Dims":[[1,2},"x":1]})");
  QTest::newRow("cut in a key") << QByteArray(R"({"ph":"X","na)");
  QTest::newRow("no time") << QByteArray(R"({"ph":"X","name":"lost","pid":1,"tid":1,"dur":1})");
  QTest::newRow("a word") << QByteArray("lost");
  QTest::newRow("brackets alone") << QByteArray("[[[");
}

void TestLoad::aBrokenEventCostsNoOtherEvent() {
  QFETCH(QByteArray, broken);
  const auto t = load(traceOf(made("a", 1, 2) + "," + broken.toStdString() + "," + made("b", 5, 2) +
                              "," + made("c", 9, 2)));
  QVERIFY(t);
  QCOMPARE(t->slices().size(), std::size_t{3});
  QCOMPARE(t->importLog().dropped, std::uint64_t{1});
}

void TestLoad::entriesThatAreNoEventsAreCounted() {
  const auto t = load(traceOf(made("a", 1, 2) + R"(,3,"text",[1,{"ph":2}],null,true,{})"));
  QVERIFY(t);
  QCOMPARE(t->slices().size(), std::size_t{1});
  QCOMPARE(t->importLog().read, std::uint64_t{7});
  QCOMPARE(t->importLog().dropped, std::uint64_t{6});
  QCOMPARE(problem(*t, "not_an_object"), std::uint64_t{5});
}

void TestLoad::mergedRanksBecomeOneTraceEach() {
  const TemporaryFile file(
      traceOf(R"({"ph":"M","name":"process_name","pid":"r0","tid":0,"args":{"name":"first"}},)"
              R"({"ph":"X","name":"a","pid":"r0","tid":1,"ts":1,"dur":1,"args":{"rank":0}},)"
              R"({"ph":"X","name":"b","pid":"r1","tid":1,"ts":2,"dur":1,"args":{"rank":1}},)"
              R"({"ph":"X","name":"c","pid":"r1","tid":1,"ts":4,"dur":1})"));
  const auto loaded = loadTrace(file.path());
  QVERIFY(loaded.ok());
  QCOMPARE(loaded.value().size(), std::size_t{2});
  QCOMPARE(loaded.value()[0].trace->slices().size(), std::size_t{1});
  QCOMPARE(loaded.value()[1].trace->slices().size(), std::size_t{2});
  QCOMPARE(loaded.value()[1].trace->tracks().size(), std::size_t{1});
  for (const LoadedTrace& rank : loaded.value()) QVERIFY(rank.trace->importLog().balanced());
}

void TestLoad::whatIsNoTraceIsRefusedWithASentence_data() {
  QTest::addColumn<QByteArray>("text");
  for (const char* text : {"", " ", "{", "[", "[]", "hello", "{\"a\": 1}", "[1,2,3]", "{}",
                           "\x1f\x8b", "<html></html>", "\"traceEvents\"", "{\"traceEvents\": 3}"})
    QTest::newRow(*text == '\0' ? "nothing" : text) << QByteArray(text);
}

void TestLoad::whatIsNoTraceIsRefusedWithASentence() {
  QFETCH(QByteArray, text);
  const TemporaryFile file({text.data(), static_cast<std::size_t>(text.size())});
  const auto loaded = loadTrace(file.path());
  QVERIFY(loaded.failed());
  QCOMPARE(loaded.error().where, file.path());
  QVERIFY(!loaded.error().what.empty() && !loaded.error().todo.empty());
  QVERIFY(loadTrace("/dev/null").failed());
  QVERIFY(loadTrace(file.path() + "-no").failed());
}

void TestLoad::theRefusalSaysHowTheTextBegins() {
  const auto refusal = [](std::string_view text) {
    const TemporaryFile file(text);
    const auto loaded = loadTrace(file.path());
    return loaded.failed() ? loaded.error().what : std::string();
  };
  const auto says = [](const std::string& text, std::string_view words) {
    if (text.find(words) == std::string::npos) qWarning("%s", text.c_str());
    return text.find(words) != std::string::npos;
  };
  QVERIFY(says(refusal("  hello\x1bthere"), "it begins with \"hello?there\""));
  QVERIFY(says(refusal(" \n"), "there is no text in it"));
  // Stored, so that the text itself stands in the file, behind a header of other bytes.
  const std::string_view packed(
      "\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x05\0\xfa\xffhello\x86\xa6\x10\x36\x05\0\0\0", 28);
  QVERIFY(says(refusal(packed), "it begins with \"hello\" once it is unpacked (gzip)"));
  const std::string_view page(
      "\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x06\0\xf9\xff<html>\x41\x0c\x43\xc7\x06\0\0\0", 29);
  QVERIFY(says(refusal(page), "once it is unpacked (gzip), this is a web page"));
  QVERIFY(says(refusal("{}"), "\"traceEvents\""));
  QVERIFY(refusal("{}").find("begins with") == std::string::npos);
  QVERIFY(says(refusal(packed.substr(0, 12)), "the gzip stream ends early"));
  QVERIFY(says(refusal(packed.substr(0, 12)), "there is no text in it once it is unpacked (gzip)"));
}

void TestLoad::whatFollowsTheDocumentIsNotedWithItsPlace_data() {
  QTest::addColumn<QByteArray>("rest");
  QTest::addColumn<int>("documents");
  QTest::addColumn<int>("texts");
  QTest::newRow("nothing") << QByteArray() << 0 << 0;
  QTest::newRow("space and zeros") << QByteArray("\r\n \0\0\0", 6) << 0 << 0;
  QTest::newRow("a bracket too many") << QByteArray("]}\n") << 0 << 0;
  QTest::newRow("a recording") << QByteArray("\n{\"traceEvents\": [{\"a\": \"]}\\\"}\"}]}\n") << 1
                               << 0;
  QTest::newRow("two") << QByteArray("{}{\"a\": [1]}") << 2 << 0;
  QTest::newRow("one cut off") << QByteArray("{\"a\": [1, \"") << 1 << 0;
  QTest::newRow("other text") << QByteArray(" done, all fine") << 0 << 1;
  QTest::newRow("text, then one") << QByteArray(" done [1] and") << 1 << 2;
}

void TestLoad::whatFollowsTheDocumentIsNotedWithItsPlace() {
  QFETCH(QByteArray, rest);
  QFETCH(int, documents);
  QFETCH(int, texts);
  for (const std::string& first : {traceOf(made("a", 1, 2)), "[" + made("a", 1, 2) + "]"})
    for (const std::size_t block : {std::size_t{64}, std::size_t{1} << 20}) {
      LoadOptions options;
      options.blockBytes = block;
      const auto t = load(first + rest.toStdString(), options);
      QVERIFY(t);
      QCOMPARE(t->slices().size(), std::size_t{1});
      QCOMPARE(problem(*t, "second_document"), static_cast<std::uint64_t>(documents));
      QCOMPARE(problem(*t, "text_after_end"), static_cast<std::uint64_t>(texts));
      if (documents == 0) continue;
      const auto& noted = t->importLog().problems.at("second_document");
      QVERIFY(noted.lost);
      QCOMPARE(noted.examples[0].offset,
               first.size() + static_cast<std::size_t>(rest.indexOf(
                                  rest.contains('[') && !rest.contains('{') ? '[' : '{')));
    }
}

void TestLoad::deepNestingAndLongNamesLoad() {
  const std::string deep =
      R"(,"args":{"x":)" + std::string(10000, '[') + std::string(10000, ']') + "}";
  const auto t = load(traceOf(made(std::string(1 << 20, 'n'), 1, 2, deep) + "," + made("b", 4, 1)));
  QVERIFY(t);
  QCOMPARE(t->slices().size(), std::size_t{2});
  QCOMPARE(t->name(SliceId(0)).size(), std::size_t{1} << 20);
}

void TestLoad::aCancelledLoadReturnsCancelled() {
  const TemporaryFile file(traceOf(made("a", 1, 2)));
  std::stop_source source;
  source.request_stop();
  QVERIFY(loadTrace(file.path(), Task(source.get_token())).cancelled());
}

QTEST_GUILESS_MAIN(TestLoad)
#include "tst_load.moc"
