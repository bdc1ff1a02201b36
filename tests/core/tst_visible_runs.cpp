#include <cmath>

#include <QTest>

#include "core/index/visible_runs.h"
#include "tests/support/row_trace.h"

using namespace ridgeline;
using namespace ridgeline::test;

class TestVisibleRuns : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothingIsLostAndNothingIsInvented_data();
  void nothingIsLostAndNothingIsInvented();
  void foldedRunsCoverAboutWhatTheirSlicesCover();
  void deepZoomAndEmptySpansAreHarmless();

 private:
  static void check(const TraceIndex& index, RowId row, TimeSpan span, int width);
};

void TestVisibleRuns::check(const TraceIndex& index, RowId rowId, TimeSpan span, int width) {
  const SliceTable& s = index.trace().slices();
  const Row& row = index.trace().rows()[rowId.index()];
  std::vector<VisibleRun> runs;
  visibleRuns(index, rowId, span, width, runs);
  const double nsPerPixel = static_cast<double>(span.length()) / width;
  const auto x = [&](TimeNs t) { return static_cast<double>(t - span.begin) / nsPerPixel; };
  QVERIFY(runs.size() <= static_cast<std::size_t>(width));
  std::vector<char> drawn(static_cast<std::size_t>(width) + 2, 0);
  int before = 0;
  for (const VisibleRun& run : runs) {
    QVERIFY(run.x0 >= before);
    QVERIFY(run.x1 > run.x0);
    QVERIFY(run.x1 <= width);
    QVERIFY(run.coverage >= 1);
    before = run.x1;
    const std::size_t i = run.slice.index();
    QVERIFY(i >= row.first && i < row.last);
    if (run.folded) QCOMPARE(run.x1, run.x0 + 1);
    // What is drawn is there, at most a pixel and a half (a bucket and a rounding) beside it.
    QVERIFY(x(s.start[i]) <= run.x0 + 2.5);
    QVERIFY(x(s.end[i]) >= run.x1 - 2.5);
    for (int p = run.x0; p < run.x1; ++p) drawn[static_cast<std::size_t>(p)] = 1;
  }
  for (std::uint32_t i = row.first; i < row.last; ++i) {
    if (s.start[i] >= span.end || s.end[i] < span.begin) continue;
    if (s.end[i] == span.begin && s.start[i] < span.begin) continue;
    const double x0 = std::max(x(s.start[i]), 0.0);
    const double x1 = std::min(x(s.end[i]), static_cast<double>(width));
    const double full = x(s.end[i]) - x(s.start[i]);
    if (full >= 2 && x1 - x0 >= 1) {
      const auto own = std::find_if(runs.begin(), runs.end(), [&](const VisibleRun& run) {
        return run.slice == SliceId(i) && !run.folded;
      });
      QVERIFY2(own != runs.end(), qPrintable(QString::number(i)));
      QVERIFY(std::abs(own->x0 - x0) <= 0.51);
      QVERIFY(std::abs(own->x1 - x1) <= 0.51);
      continue;
    }
    const int first = std::max(static_cast<int>(std::floor(x0)) - 1, 0);
    const int last = std::min(static_cast<int>(std::floor(x1)) + 1, width - 1);
    bool near = false;
    for (int p = first; p <= last; ++p) near = near || drawn[static_cast<std::size_t>(p)];
    QVERIFY2(near, qPrintable(QStringLiteral("slice %1 at %2..%3").arg(i).arg(x0).arg(x1)));
  }
}

void TestVisibleRuns::nothingIsLostAndNothingIsInvented_data() {
  QTest::addColumn<int>("count");
  QTest::addColumn<int>("seed");
  for (const int count : {1, 3, 40, 255, 256, 1000, 8000})
    for (int seed = 1; seed <= 3; ++seed)
      QTest::addRow("%d slices, seed %d", count, seed) << count << seed;
}

void TestVisibleRuns::nothingIsLostAndNothingIsInvented() {
  QFETCH(int, count);
  QFETCH(int, seed);
  std::mt19937 random(static_cast<unsigned>(seed * 1000 + count));
  const auto trace = makeTrace(randomRow(random, count));
  const TraceIndex index(trace);
  const TimeNs all = std::max<TimeNs>(trace->span().length(), 10);
  for (int view = 0; view < 60; ++view) {
    const int width = 1 + static_cast<int>(random() % 700);
    const TimeNs length =
        std::max<TimeNs>(static_cast<TimeNs>(static_cast<double>(all) *
                                             std::pow(0.5, static_cast<double>(random() % 14))),
                         1);
    const TimeNs begin = static_cast<TimeNs>(random() % static_cast<std::uint64_t>(all)) -
                         static_cast<TimeNs>(random() % 50);
    check(index, RowId(0), {begin, begin + length}, width);
    if (QTest::currentTestFailed()) {
      qInfo("begin %lld length %lld width %d", static_cast<long long>(begin),
            static_cast<long long>(length), width);
      return;
    }
  }
  check(index, RowId(0), trace->span(), 333);
}

void TestVisibleRuns::foldedRunsCoverAboutWhatTheirSlicesCover() {
  // 40,000 slices of 3 ns every 10 ns: three tenths of every pixel at any zoom.
  std::vector<MadeSlice> slices;
  for (int i = 0; i < 40000; ++i) slices.push_back({i * 10, 3});
  const TraceIndex index(makeTrace(slices));
  for (const int width : {10, 97, 500, 1000}) {
    std::vector<VisibleRun> runs;
    visibleRuns(index, RowId(0), {0, 400000}, width, runs);
    QCOMPARE(runs.size(), static_cast<std::size_t>(width));
    for (const VisibleRun& run : runs) {
      QVERIFY(run.folded);
      if (run.x1 == width) continue;  // its bucket may reach past the last slice
      QVERIFY2(std::abs(run.coverage / 255.0 - 0.3) < 0.05,
               qPrintable(QString::number(run.coverage)));
    }
  }
}

void TestVisibleRuns::deepZoomAndEmptySpansAreHarmless() {
  const TraceIndex index(makeTrace({{0, 1'000'000'000'000}, {1'000'000'000'000, 0}}));
  std::vector<VisibleRun> runs;
  visibleRuns(index, RowId(0), {500, 500}, 100, runs);
  QVERIFY(runs.empty());
  visibleRuns(index, RowId(0), {500, 600}, 0, runs);
  QVERIFY(runs.empty());
  visibleRuns(index, RowId(0), {500'000'000'000, 500'000'000'001}, 1000, runs);
  QCOMPARE(runs.size(), std::size_t{1});
  QCOMPARE(runs[0].x0, 0);
  QCOMPARE(runs[0].x1, 1000);
}

QTEST_GUILESS_MAIN(TestVisibleRuns)
#include "tst_visible_runs.moc"
