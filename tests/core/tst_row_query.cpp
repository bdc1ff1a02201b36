#include <QTest>

#include "core/index/row_query.h"
#include "tests/support/row_trace.h"

using namespace ridgeline;
using namespace ridgeline::test;

class TestRowQuery : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void searchesAgreeWithLookingAtEverySlice();
  void theSliceUnderTheCursorWinsOverNearerBorders();
  void theFirstChildIsOneDepthDown();
};

void TestRowQuery::searchesAgreeWithLookingAtEverySlice() {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const auto trace = makeTrace(randomRow(random, 1 + static_cast<int>(random() % 200)));
    const SliceTable& s = trace->slices();
    for (const Row& row : trace->rows()) {
      for (int query = 0; query < 100; ++query) {
        const auto t =
            static_cast<TimeNs>(random() % static_cast<std::uint64_t>(trace->span().end + 3));
        std::uint32_t ending = row.last, starting = row.last;
        for (std::uint32_t i = row.last; i-- > row.first;) {
          if (s.end[i] > t) ending = i;
          if (s.start[i] >= t) starting = i;
        }
        QCOMPARE(firstEndingAfter(s, row, t), ending);
        QCOMPARE(firstStartingFrom(s, row, t), starting);
        const std::uint32_t from =
            row.first + static_cast<std::uint32_t>(random() % (ending - row.first + 1));
        QCOMPARE(gallopEndingAfter(s, row, from, t), ending);

        const TimeSpan span{t, t + static_cast<TimeNs>(random() % 2000)};
        std::uint32_t touching = 0;
        for (std::uint32_t i = row.first; i < row.last; ++i)
          if (s.start[i] < span.end &&
              (s.end[i] > span.begin || (s.start[i] >= span.begin && s.end[i] == s.start[i])))
            ++touching;
        if (!span.empty()) QCOMPARE(slicesTouching(s, row, span).count(), touching);
      }
    }
  }
}

void TestRowQuery::theSliceUnderTheCursorWinsOverNearerBorders() {
  const auto trace = makeTrace({{100, 50, "a"}, {160, 10, "b"}});
  const SliceTable& s = trace->slices();
  const Row& row = trace->rows()[0];
  // Times are relative to the first event.
  QCOMPARE(sliceNear(s, row, 49, 20), SliceId(0));
  QCOMPARE(sliceNear(s, row, 53, 20), SliceId(0));
  QCOMPARE(sliceNear(s, row, 58, 20), SliceId(1));
  QCOMPARE(sliceNear(s, row, 58, 1), SliceId());
  QCOMPARE(sliceNear(s, row, 75, 10), SliceId(1));
}

void TestRowQuery::theFirstChildIsOneDepthDown() {
  const auto trace =
      makeTrace({{0, 100, "outer"}, {10, 20, "inner"}, {40, 20, "other"}, {45, 5, "leaf"}});
  const auto idOf = [&](std::string_view name) {
    for (std::size_t i = 0; i < trace->slices().size(); ++i)
      if (trace->name(SliceId(i)) == name) return SliceId(i);
    return SliceId();
  };
  QCOMPARE(firstChild(*trace, idOf("outer")), idOf("inner"));
  QCOMPARE(firstChild(*trace, idOf("other")), idOf("leaf"));
  QCOMPARE(firstChild(*trace, idOf("inner")), SliceId());
  QCOMPARE(firstChild(*trace, idOf("leaf")), SliceId());
}

QTEST_GUILESS_MAIN(TestRowQuery)
#include "tst_row_query.moc"
