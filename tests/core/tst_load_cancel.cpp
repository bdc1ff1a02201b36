#include <atomic>
#include <random>

#include <QTest>

#include "core/base/release_later.h"
#include "core/base/stable_sort.h"
#include "core/io/load_trace.h"
#include "core/trace/trace_builder.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;
using ridgeline::test::TemporaryFile;

namespace {

/// Enough of every kind of event, out of order, that each loop of the loader has to ask whether to
/// go on.
std::string bigText(int rounds) {
  std::mt19937 random(7);
  std::string text = "{\"traceEvents\":[";
  for (int i = 0; i < rounds; ++i) {
    const std::string ts = std::to_string(random() % 1'000'000);
    const std::string n = std::to_string(i);
    const std::string at = ",\"pid\":1,\"tid\":1,\"ts\":" + ts;
    text += R"({"ph":"X","cat":"cuda_runtime","name":"launch")" + at + ",\"dur\":1,\"args\":{" +
            R"("correlation":)" + n + "}},";
    text += R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":)" + ts +
            R"(,"dur":2,"args":{"device":0,"stream":7,"correlation":)" + n + "}},";
    text += R"({"ph":"B","name":"range","pid":1,"tid":2,"ts":)" + n + "},";
    text += R"({"ph":"E","name":"range","pid":1,"tid":2,"ts":)" + n + ".5},";
    text += R"({"ph":"i","name":"[memory]")" + at + R"(,"args":{"Addr":1,"Bytes":8}},)";
    text += R"({"ph":"C","name":"used")" + at + ",\"args\":{\"bytes\":" + n + "}},";
    text += R"({"ph":"s","cat":"x","name":"arrow","id":)" + n + at + "},";
    text +=
        R"({"ph":"f","cat":"x","name":"arrow","id":)" + n + R"(,"pid":1,"tid":2,"ts":)" + n + "},";
  }
  text.back() = ']';
  return text + "}";
}

/// A task that counts how often it is asked, and stops with the `stopAt`th question (0: never).
class Asked {
 public:
  explicit Asked(std::uint64_t stopAt = 0) : stopAt_(stopAt) {}
  [[nodiscard]] Task task() {
    return Task([this] {
      const std::uint64_t asked = ++count_;
      return stopAt_ > 0 && asked >= stopAt_;
    });
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::uint64_t stopAt_;
  std::atomic<std::uint64_t> count_ = 0;
};

/// What a builder makes of many tracks: how often that asks the task. The one of each track is of a
/// process of its own.
struct Building {
  std::uint64_t asked = 0;
  bool cancelled = false;
};

Building buildTracks(char phase, int tracks, std::uint64_t stopAt = 0) {
  TraceBuilder builder;
  Event event;
  event.phase = phase;
  event.name = "n";
  event.dur = 1;
  for (int i = 0; i < tracks; ++i) {
    const std::string number = std::to_string(i);
    event.pid = event.tid = number;
    event.ts = i;
    const std::pair<std::string_view, double> value{"v", 1.0};
    if (phase == 'C') event.counterValues = {&value, 1};
    builder.add(event);
  }
  Asked asked(stopAt);
  const Task task = asked.task();
  const bool cancelled = builder.finish(task).empty();
  return {asked.count(), cancelled};
}

}  // namespace

/// A load can be stopped at any moment and then leaves nothing behind.
class TestLoadCancel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aLoadStopsAtEveryQuestionItAsks() {
    const TemporaryFile file(bigText(20'000));
    std::atomic<std::uint64_t> asked = 0;
    const Task whole([&asked] {
      ++asked;
      return false;
    });
    LoadOptions options;
    options.threads = 1;
    QVERIFY(loadTrace(file.path(), whole, options).ok());
    const std::uint64_t all = asked;
    QVERIFY2(all > 100, qPrintable(QString::number(all)));
    // Dense towards the end, where a stop is most likely to be overheard: the building.
    std::uint64_t stopped = 0;
    for (std::uint64_t fromEnd = all; fromEnd > 0;
         fromEnd -= std::max<std::uint64_t>(1, fromEnd / 5)) {
      std::atomic<std::uint64_t> left = all - fromEnd + 1;
      const Task task([&left] { return left == 0 || --left == 0; });
      const auto loaded = loadTrace(file.path(), task, options);
      // How often the waiting threads ask depends on the clock: the last answers may come late.
      if (left > 0) continue;
      QVERIFY2(loaded.cancelled(),
               qPrintable(QStringLiteral("question %1").arg(all - fromEnd + 1)));
      ++stopped;
    }
    QVERIFY2(stopped > 20, qPrintable(QString::number(stopped)));
  }

  /// What is done for each track, in each of the steps from collected events to rows with names,
  /// asks the task: 16,384 times as many tracks make a question more in each.
  void buildingATraceOfManyTracksAsksInEveryStep() {
    constexpr int kMany = 10 * 16'384;
    const std::uint64_t base = buildTracks('X', 1).asked;
    // Ranks of processes, ranks (twice), lanes, tracks, roles, lanes' streams, devices, order,
    // places, marks, rows, and the names, which ask more often.
    QCOMPARE_GE(buildTracks('X', kMany).asked, base + 10 * 12);
    QCOMPARE_GE(buildTracks('C', kMany).asked, base + 10 * 12);
    QCOMPARE_GE(buildTracks('B', kMany).asked, base + 10 * 12);
  }

  void buildingATraceOfManyTracksStopsAtEveryQuestion() {
    constexpr int kMany = 3 * 16'384;
    for (const char phase : {'X', 'B', 'C'}) {
      const std::uint64_t all = buildTracks(phase, kMany).asked;
      for (std::uint64_t stopAt = 1; stopAt <= all; stopAt += 1 + all / 16) {
        const Building building = buildTracks(phase, kMany, stopAt);
        // Those on other threads may ask once more each, and what is left of a loop may.
        QVERIFY2(building.cancelled, qPrintable(QStringLiteral("%1 at %2").arg(phase).arg(stopAt)));
        QCOMPARE_LE(building.asked, stopAt + 64);
      }
    }
  }

  void oneHugeEntryIsReadWithQuestions_data() {
    QTest::addColumn<QString>("begin");
    QTest::addColumn<QString>("piece");
    QTest::addColumn<QString>("end");
    const QString event = QStringLiteral("[{\"ph\":\"X\",\"pid\":1,\"ts\":1,\"args\":{\"a\":1");
    QTest::newRow("args") << event << QStringLiteral(",\"k\":1") << QStringLiteral("}}]");
    QTest::newRow("args that break off") << event << QStringLiteral(",\"k\":1") << QString();
    QTest::newRow("braces") << QStringLiteral("[{\"a\":") << QStringLiteral("{\"a\":") << QString();
    QTest::newRow("begun") << QStringLiteral("[{\"a\":") << QStringLiteral("{\"name\":")
                           << QString();
    QTest::newRow("quotes") << QStringLiteral("[{\"name\":\"") << QStringLiteral("a\\\"b")
                            << QStringLiteral("\",\"ph\":\"X\",\"ts\":1}]");
    QTest::newRow("series") << QStringLiteral(
                                   "[{\"ph\":\"C\",\"name\":\"c\",\"ts\":1,\"args\":{\"a\":1")
                            << QStringLiteral(",\"%1\":1") << QStringLiteral("}}]");
    QTest::newRow("an entry beside the events")
        << QStringLiteral("{\"samples\":[0") << QStringLiteral(",[1]")
        << QStringLiteral("],\"traceEvents\":[{\"ph\":\"X\",\"ts\":1}]}");
  }
  /// Besides what is asked between the pieces of a text, the questions grow with an entry's length.
  void oneHugeEntryIsReadWithQuestions() {
    QFETCH(const QString, begin);
    QFETCH(const QString, piece);
    QFETCH(const QString, end);
    const auto asked = [&](int pieces, std::uint64_t stopAt, bool& cancelled) {
      QString text = begin;
      for (int i = 0; i < pieces; ++i) text += piece.contains(u'%') ? piece.arg(i) : piece;
      text += end;
      const TemporaryFile file(text.toStdString());
      Asked questions(stopAt);
      const Task task = questions.task();
      LoadOptions options;
      options.threads = 1;
      options.fastPath = false;  // the fast one takes what is plain, and asks by the window
      options.blockBytes = std::size_t{64} << 20;  // all at once
      cancelled = loadTrace(file.path(), task, options).cancelled();
      return questions.count();
    };
    constexpr int kPieces = 200'000;
    bool cancelled = false;
    const std::uint64_t few = asked(10, 0, cancelled);
    QVERIFY(!cancelled);
    const std::uint64_t many = asked(kPieces, 0, cancelled);
    QVERIFY(!cancelled);
    QCOMPARE_GE(many, few + kPieces / 16'384);
    for (const std::uint64_t part : {5, 4, 3, 2}) {
      const std::uint64_t asks = asked(kPieces, many - many / part, cancelled);
      QVERIFY(cancelled);
      QCOMPARE_LE(asks, many - many / part + 128);
    }
  }

  void sortingIsStableAndStops() {
    std::mt19937 random(3);
    for (const std::size_t size : {0u, 1u, 2u, 4096u, 4097u, 50'000u}) {
      for (const int kind : {0, 1, 2}) {  // random, sorted pieces, descending
        std::vector<std::pair<std::uint32_t, std::uint32_t>> values(size);
        for (std::uint32_t i = 0; i < size; ++i)
          values[i] = {kind == 0   ? random() % 1000
                       : kind == 1 ? i % 17'000
                                   : static_cast<std::uint32_t>(size) - i,
                       i};
        const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
        auto expected = values;
        std::stable_sort(expected.begin(), expected.end(), less);
        QVERIFY(stableSort(std::span(values), less, Task()));
        QVERIFY(values == expected);
        if (size == 50'000 && kind == 0)
          QVERIFY(!stableSort(
              std::span(values), [](auto& a, auto& b) { return a > b; },
              Task([] { return true; })));
      }
    }
  }

  void whatIsReleasedLaterIsReleased() {
    struct Flag {
      std::atomic<bool>& gone;
      ~Flag() { gone = true; }
    };
    std::atomic<bool> gone = false;
    releaseLater(std::make_shared<const Flag>(gone));
    QTRY_VERIFY(gone);
  }
};

QTEST_GUILESS_MAIN(TestLoadCancel)
#include "tst_load_cancel.moc"
