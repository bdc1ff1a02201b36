#include <algorithm>
#include <random>

#include <QTest>

#include "core/trace/nesting.h"

using namespace ridgeline;

namespace {

/// In the order that Nester wants.
void sortSpans(std::vector<TimeSpan>& spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const TimeSpan& a, const TimeSpan& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
}

}  // namespace

class TestNesting : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aChildLiesOneRowBelowItsParent();
  void whatOverlapsWithoutNestingGoesToASpillRow();
  void spansOfZeroLengthLoseNothing();
  void negativeTimesNest();
  void randomSpansKeepEveryInvariant();
  void whatNestsNeverSpills();
  void aHundredThousandOverlappingSpansHaveARowEach();
  void theFirstFreeSpillRowIsTaken();
};

void TestNesting::aChildLiesOneRowBelowItsParent() {
  const std::vector<TimeSpan> spans{{0, 100}, {10, 40}, {20, 30}, {40, 90}};
  const Nesting n = nest(spans);
  QCOMPARE(n.nestedRows, 3u);
  QCOMPARE(n.spillRows, 0u);
  QCOMPARE(std::uint32_t{n.placements[2].row}, 2u);
  QCOMPARE(n.placements[2].parent, 1u);
  QCOMPARE(std::uint32_t{n.placements[3].row}, 1u);
  QCOMPARE(n.placements[3].parent, 0u);
}

void TestNesting::whatOverlapsWithoutNestingGoesToASpillRow() {
  const std::vector<TimeSpan> spans{{0, 50}, {25, 75}, {30, 40}};
  const Nesting n = nest(spans);
  QCOMPARE(n.nestedRows, 2u);
  QCOMPARE(n.spillRows, 1u);
  QVERIFY(n.placements[1].spill != 0);
  QCOMPARE(std::uint32_t{n.placements[1].row}, 2u);
  QCOMPARE(n.placements[2].parent, 0u);
}

void TestNesting::spansOfZeroLengthLoseNothing() {
  const std::vector<TimeSpan> spans{{0, 10}, {5, 5}, {5, 5}, {10, 10}, {10, 20}};
  const Nesting n = nest(spans);
  QCOMPARE(n.placements.size(), spans.size());
  QCOMPARE(std::uint32_t{n.placements[1].row}, 1u);
}

void TestNesting::negativeTimesNest() {
  const std::vector<TimeSpan> spans{{-100, -10}, {-90, -50}, {-60, -5}};
  const Nesting n = nest(spans);
  QCOMPARE(n.placements[1].parent, 0u);
  QVERIFY(n.placements[2].spill != 0);
}

void TestNesting::randomSpansKeepEveryInvariant() {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    std::vector<TimeSpan> spans;
    const int count = 1 + static_cast<int>(random() % 60);
    for (int i = 0; i < count; ++i) {
      const auto begin = static_cast<TimeNs>(random() % 80) - 20;
      spans.push_back({begin, begin + static_cast<TimeNs>(random() % (i % 3 == 0 ? 60 : 8))});
    }
    sortSpans(spans);
    const Nesting n = nest(spans);
    QCOMPARE(n.placements.size(), spans.size());
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const Placement& p = n.placements[i];
      QVERIFY(p.row < n.nestedRows + n.spillRows);
      QCOMPARE(p.spill != 0, p.row >= n.nestedRows);
      for (std::size_t k = 0; k < i; ++k)
        if (n.placements[k].row == p.row) QVERIFY(spans[k].end <= spans[i].begin);
      if (p.spill != 0 || p.row == 0) {
        QCOMPARE(p.parent, 0xFFFFFFFFu);
        continue;
      }
      QVERIFY(p.parent < i);
      QCOMPARE(n.placements[p.parent].row + 1u, std::uint32_t{p.row});
      QVERIFY(spans[p.parent].contains(spans[i]));
    }
  }
}

/// A tree of spans, cut at random: whatever the text nests must not spill.
void TestNesting::whatNestsNeverSpills() {
  std::mt19937 random(12);
  for (int round = 0; round < 200; ++round) {
    std::vector<TimeSpan> spans{{0, 100000}};
    for (std::size_t i = 0; i < 80; ++i) {
      const TimeSpan parent = spans[random() % spans.size()];
      TimeNs begin = parent.begin;
      // Behind the last child of this parent, so that siblings do not overlap.
      for (const TimeSpan& s : spans)
        if (!(s == parent) && parent.contains(s)) begin = std::max(begin, s.end);
      if (parent.end - begin < 4) continue;
      const TimeNs length = (parent.end - begin) / static_cast<TimeNs>(2 + random() % 3);
      spans.push_back({begin, begin + length});
    }
    sortSpans(spans);
    QCOMPARE(nest(spans).spillRows, 0u);
  }
}

void TestNesting::aHundredThousandOverlappingSpansHaveARowEach() {
  std::vector<TimeSpan> spans;
  for (TimeNs i = 0; i < 100'000; ++i) spans.push_back({i, 1'000'000 + i});
  const Nesting n = nest(spans);
  QCOMPARE(n.nestedRows, 1u);
  QCOMPARE(n.spillRows, 99'999u);
  QCOMPARE(std::uint32_t{n.placements.back().row}, 99'999u);
}

void TestNesting::theFirstFreeSpillRowIsTaken() {
  std::mt19937 random(13);
  SpillRows rows;
  std::vector<TimeNs> ends;  // by row, searched from the first
  TimeNs begin = 0;
  for (int i = 0; i < 5000; ++i) {
    begin += static_cast<TimeNs>(random() % 4);
    const TimeSpan span{begin, begin + static_cast<TimeNs>(random() % 200)};
    const auto free =
        std::find_if(ends.begin(), ends.end(), [&](TimeNs end) { return end <= span.begin; });
    const auto row = static_cast<std::uint32_t>(free - ends.begin());
    if (free == ends.end())
      ends.push_back(span.end);
    else
      *free = span.end;
    QCOMPARE(rows.take(span), row);
    QCOMPARE(std::size_t{rows.count()}, ends.size());
  }
}

QTEST_GUILESS_MAIN(TestNesting)
#include "tst_nesting.moc"
