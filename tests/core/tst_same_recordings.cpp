// Which recordings are copies of one another.
#include <QtTest>

#include "core/io/same_recordings.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

const std::string kOne =
    "op 0 9us main aten::mm\n"
    "kernel 10us 20us 7 gemm\n"
    "instant 5us 5us main mark\n";

std::vector<LoadedTrace> loaded(const std::vector<std::string>& texts) {
  std::vector<LoadedTrace> all;
  for (const std::string& text : texts) all.push_back({traceFromText(text), nullptr});
  return all;
}

}  // namespace

class TestSameRecordings : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theSameEventsAreACopy() {
    QVERIFY(holdSameEvents(*traceFromText(kOne), *traceFromText(kOne)));
    // In whichever order they stand in the file.
    QVERIFY(holdSameEvents(*traceFromText(kOne), *traceFromText("instant 5us 5us main mark\n"
                                                                "op 0 9us main aten::mm\n"
                                                                "kernel 10us 20us 7 gemm\n")));
  }

  void oneDifferenceMakesAnother_data() {
    QTest::addColumn<QByteArray>("was");
    QTest::addColumn<QByteArray>("is");
    QTest::newRow("start") << QByteArray("kernel 10us") << QByteArray("kernel 10001");
    QTest::newRow("end") << QByteArray("20us 7") << QByteArray("21us 7");
    QTest::newRow("name") << QByteArray("gemm") << QByteArray("gemv");
    QTest::newRow("stream") << QByteArray(" 7 ") << QByteArray(" 8 ");
    QTest::newRow("device") << QByteArray(" 7 ") << QByteArray(" 1/7 ");
    QTest::newRow("thread") << QByteArray("main aten") << QByteArray("other aten");
    QTest::newRow("mark") << QByteArray("5us 5us") << QByteArray("6us 6us");
    QTest::newRow("one event more") << QByteArray("op 0") << QByteArray("op 1us 2us main a\nop 0");
  }

  void oneDifferenceMakesAnother() {
    QFETCH(QByteArray, was);
    QFETCH(QByteArray, is);
    const std::string other = QByteArray(kOne.c_str()).replace(was, is).toStdString();
    QVERIFY(other != kOne);
    QVERIFY(!holdSameEvents(*traceFromText(kOne), *traceFromText(other)));
  }

  void recordingsWithoutEventsAreNoCopies() {
    QVERIFY(!holdSameEvents(*traceFromText(""), *traceFromText("")));
  }

  void copiesAreTakenOutInTheirOrder() {
    const std::string other = "op 0 8us main aten::mm\n";
    std::vector<LoadedTrace> ranks = loaded({kOne, other, kOne, other, kOne});
    const auto first = ranks[0].trace, second = ranks[1].trace;
    const std::vector<SameRecording> copies = takeOutCopies(ranks);
    QCOMPARE(copies.size(), std::size_t{3});
    QCOMPARE(copies[1].place, std::size_t{3});
    QCOMPARE(copies[1].first, std::size_t{1});
    QCOMPARE(ranks.size(), std::size_t{2});
    QCOMPARE(ranks[0].trace, first);
    QCOMPARE(ranks[1].trace, second);
    QVERIFY(takeOutCopies(ranks).empty());
  }
};

QTEST_GUILESS_MAIN(TestSameRecordings)
#include "tst_same_recordings.moc"
