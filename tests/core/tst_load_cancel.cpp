#include <atomic>
#include <random>

#include <QTest>

#include "core/base/release_later.h"
#include "core/base/stable_sort.h"
#include "core/io/load_trace.h"
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
