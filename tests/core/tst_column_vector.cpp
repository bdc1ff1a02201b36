#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include <QtTest>

#include "core/base/column_vector.h"

using namespace ridgeline;

namespace {

using Bytes = ColumnVector<std::uint8_t>;

constexpr std::size_t kMiB = std::size_t{1} << 20;

Bytes filled(std::size_t size, std::uint8_t value) {
  Bytes column;
  column.resize(size);
  std::fill(column.begin(), column.end(), value);
  return column;
}

bool holds(const Bytes& column, std::uint8_t value) {
  return std::all_of(column.begin(), column.end(), [&](std::uint8_t b) { return b == value; });
}

/// How many of the bytes of a column nobody has written are `value`.
std::size_t leftOver(std::size_t size, std::uint8_t value) {
  Bytes column;
  column.resize(size);
  return static_cast<std::size_t>(std::count(column.begin(), column.end(), value));
}

/// Columns that come and go; every one must keep what was written to it.
bool keepsWhatIsWritten(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::pair<Bytes, std::uint8_t>> live;
  for (int step = 0; step < 60; ++step) {
    if (live.size() < 6 && random() % 2 == 0) {
      const auto value = static_cast<std::uint8_t>(1 + random() % 255);
      live.emplace_back(filled(1 + random() % (9 * kMiB), value), value);
    } else if (!live.empty()) {
      const std::size_t at = random() % live.size();
      if (!holds(live[at].first, live[at].second)) return false;
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  return std::all_of(live.begin(), live.end(),
                     [](const auto& c) { return holds(c.first, c.second); });
}

}  // namespace

class ColumnVectorTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void freedPagesBecomeThoseOfLongerColumns();
  void pagesGoBackToTheSystemWithTheLastWhoRecycles();
  void columnsKeepWhatIsWrittenWhilePagesAreRecycled();
  void columnsOutliveTheRecycling();
};

void ColumnVectorTest::freedPagesBecomeThoseOfLongerColumns() {
  const ColumnRecycling recycling;
  // Three columns of two pages each become one of eight, whose last two are fresh: cleared.
  std::vector<Bytes> three;
  for (int i = 0; i < 3; ++i) three.push_back(filled(4 * kMiB, 0xA5));
  three.clear();
  QCOMPARE(leftOver(16 * kMiB, 0xA5), 12 * kMiB);
}

void ColumnVectorTest::pagesGoBackToTheSystemWithTheLastWhoRecycles() {
  {
    const ColumnRecycling outer;
    {
      const ColumnRecycling inner;
      filled(4 * kMiB, 0x5A);
    }
    QCOMPARE(leftOver(4 * kMiB, 0x5A), 4 * kMiB);
  }
  const ColumnRecycling later;
  QCOMPARE(leftOver(4 * kMiB, 0x5A), std::size_t{0});
}

void ColumnVectorTest::columnsKeepWhatIsWrittenWhilePagesAreRecycled() {
  const ColumnRecycling recycling;
  bool good[2] = {false, false};
  {
    std::jthread one([&] { good[0] = keepsWhatIsWritten(1); });
    std::jthread two([&] { good[1] = keepsWhatIsWritten(2); });
  }
  QVERIFY(good[0]);
  QVERIFY(good[1]);
}

void ColumnVectorTest::columnsOutliveTheRecycling() {
  Bytes column;
  {
    const ColumnRecycling recycling;
    filled(6 * kMiB, 1);
    column = filled(9 * kMiB, 2);
  }
  QVERIFY(holds(column, 2));
}

QTEST_GUILESS_MAIN(ColumnVectorTest)
#include "tst_column_vector.moc"
