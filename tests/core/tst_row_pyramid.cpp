#include <cmath>

#include <QTest>

#include "core/index/row_pyramid.h"
#include "tests/support/row_trace.h"

using namespace ridgeline;
using namespace ridgeline::test;

class TestRowPyramid : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyBucketSaysWhatItsSlicesSay();
  void shortRowsHaveNoPyramid();
  void costsAtMostThreeBytesASlice();
};

void TestRowPyramid::everyBucketSaysWhatItsSlicesSay() {
  std::mt19937 random(11);
  for (int round = 0; round < 6; ++round) {
    const auto trace = makeTrace(randomRow(random, 600 + static_cast<int>(random() % 3000)));
    const SliceTable& s = trace->slices();
    const RowPyramid pyramid(*trace);
    const Row& row = trace->rows()[0];
    int levels = 0;
    for (double ns = 1; ns < static_cast<double>(trace->span().length()); ns *= 2) {
      const RowPyramid::Level level = pyramid.levelFor(RowId(0), ns);
      if (level.count == 0) continue;
      ++levels;
      QVERIFY(static_cast<double>(level.bucketLength()) <= ns);
      for (std::uint32_t b = 0; b < level.count; ++b) {
        const TimeNs begin = level.begin + static_cast<TimeNs>(b) * level.bucketLength();
        const TimeNs end = begin + level.bucketLength();
        TimeNs covered = 0, longest = -1, dominantNs = -1;
        for (std::uint32_t i = row.first; i < row.last; ++i) {
          const bool instant = s.start[i] == s.end[i];
          if (instant ? (s.start[i] < begin || s.start[i] >= end)
                      : (s.end[i] <= begin || s.start[i] >= end))
            continue;
          const TimeNs part = std::min(s.end[i], end) - std::max(s.start[i], begin);
          covered += part;
          longest = std::max(longest, part);
          if (level.dominant[b] == i) dominantNs = part;
        }
        if (longest < 0) {
          QCOMPARE(level.dominant[b], RowPyramid::kNone);
          QCOMPARE(level.coverage[b], std::uint8_t{0});
          continue;
        }
        QVERIFY(dominantNs >= 0);
        // A slice that is cut by a finer border may lose to one that is not; never by more than
        // half.
        QVERIFY(dominantNs * 2 >= longest);
        const double share = static_cast<double>(covered) / static_cast<double>(end - begin);
        QVERIFY(level.coverage[b] >= 1);
        QVERIFY(std::abs(level.coverage[b] - share * 255) <= 1);
      }
    }
    QVERIFY(levels > 3);
  }
}

void TestRowPyramid::shortRowsHaveNoPyramid() {
  const auto trace = makeTrace({{0, 5}, {10, 5}});
  QCOMPARE(RowPyramid(*trace).levelFor(RowId(0), 1e9).count, 0u);
}

void TestRowPyramid::costsAtMostThreeBytesASlice() {
  std::mt19937 random(13);
  const auto trace = makeTrace(randomRow(random, 50000));
  QVERIFY(RowPyramid(*trace).bytes() <= 3 * trace->slices().size());
}

QTEST_GUILESS_MAIN(TestRowPyramid)
#include "tst_row_pyramid.moc"
