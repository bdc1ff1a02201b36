#include <QTest>

#include "widgets/timeline/time_axis.h"
#include "widgets/timeline/time_ticks.h"

using namespace ridgeline;

class TestTimeTicks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void labelsAreRoundAndFarEnoughApart_data();
  void labelsAreRoundAndFarEnoughApart();
  void deepInARecordingLabelsAreRelative();
  void tickTexts_data();
  void tickTexts();
  void theAxisMapsThereAndBack();
  void theAxisClampsWhatIsFarOutside();
};

void TestTimeTicks::labelsAreRoundAndFarEnoughApart_data() {
  QTest::addColumn<qint64>("begin");
  QTest::addColumn<qint64>("length");
  QTest::addColumn<qint64>("step");
  QTest::addColumn<QString>("first");
  QTest::newRow("100 ms") << qint64{0} << qint64{100'000'000} << qint64{10'000'000}
                          << QStringLiteral("0");
  QTest::newRow("3 s") << qint64{500'000'000} << qint64{3'000'000'000} << qint64{500'000'000}
                       << QStringLiteral("500 ms");
  QTest::newRow("100 ns") << qint64{0} << qint64{100} << qint64{10} << QStringLiteral("0");
  QTest::newRow("before zero") << qint64{-30'000} << qint64{60'000} << qint64{10'000}
                               << QStringLiteral("-30 µs");
}

void TestTimeTicks::labelsAreRoundAndFarEnoughApart() {
  QFETCH(qint64, begin);
  QFETCH(qint64, length);
  QFETCH(qint64, step);
  QFETCH(QString, first);
  const TimeTicks ticks = timeTicks({begin, begin + length}, 1000, 90);
  QCOMPARE(ticks.step, step);
  bool seen = false;
  for (const TimeTicks::Tick& tick : ticks.ticks) {
    QVERIFY(tick.time >= begin && tick.time < begin + length);
    if (!tick.labelled) continue;
    QCOMPARE(tick.time % step, 0);
    if (!seen) QCOMPARE(tick.label, first);
    seen = true;
  }
  QVERIFY(seen);
}

void TestTimeTicks::deepInARecordingLabelsAreRelative() {
  const TimeTicks ticks = timeTicks({12'345'678'900, 12'345'679'900}, 1000, 90);
  QCOMPARE(ticks.base, TimeNs{12'345'678'000});
  QCOMPARE(ticks.baseLabel, QStringLiteral("12.345678 s"));
  QCOMPARE(ticks.ticks.front().label, QStringLiteral("+900 ns"));
}

void TestTimeTicks::tickTexts_data() {
  QTest::addColumn<qint64>("time");
  QTest::addColumn<qint64>("resolution");
  QTest::addColumn<QString>("text");
  QTest::newRow("zero") << qint64{0} << qint64{10} << QStringLiteral("0");
  QTest::newRow("ms") << qint64{40'000'000} << qint64{20'000'000} << QStringLiteral("40 ms");
  QTest::newRow("s with digits") << qint64{1'250'000'000} << qint64{50'000'000}
                                 << QStringLiteral("1.25 s");
  QTest::newRow("no idle zeros") << qint64{1'500'000'000} << qint64{50'000'000}
                                 << QStringLiteral("1.5 s");
  QTest::newRow("negative") << qint64{-3'000} << qint64{1'000} << QStringLiteral("-3 µs");
}

void TestTimeTicks::tickTexts() {
  QFETCH(qint64, time);
  QFETCH(qint64, resolution);
  QFETCH(QString, text);
  QCOMPARE(formatTick(time, resolution), text);
}

void TestTimeTicks::theAxisMapsThereAndBack() {
  const TimeSpan span{1'700'000'000'000'000'000, 1'700'000'000'000'001'000};
  const TimeAxis axis(span, 10, 8000);
  for (const TimeNs t : {span.begin, span.begin + 1, span.begin + 499, span.end})
    QCOMPARE(axis.timeAt(axis.xOf(t)), t);
  QCOMPARE(axis.xOf(span.begin), 10.0);
  QCOMPARE(axis.xOf(span.end), 8010.0);
  QCOMPARE(TimeAxis(span, 5, 0).timeAt(100), span.begin);
}

void TestTimeTicks::theAxisClampsWhatIsFarOutside() {
  const TimeAxis axis({1000, 2000}, 0, 500);
  QCOMPARE(axis.xOf(std::numeric_limits<TimeNs>::min()), -TimeAxis::kOutside);
  QCOMPARE(axis.xOf(std::numeric_limits<TimeNs>::max()), 500 + TimeAxis::kOutside);
}

QTEST_GUILESS_MAIN(TestTimeTicks)
#include "tst_time_ticks.moc"
