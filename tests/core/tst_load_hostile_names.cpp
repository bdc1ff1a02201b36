// Ids and names chosen so that a hash table keyed by them would put all in one place, were its hash
// known beforehand. Quadratic work on as many would take minutes to hours; so each test that ends
// in a few seconds has shown that it is not done.

#include <cstring>
#include <set>
#include <unordered_map>

#include <QTest>

#include "core/base/seeded_hash.h"
#include "core/base/string_pool.h"
#include "core/base/text_bits.h"
#include "core/io/load_trace.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;
using ridgeline::test::TemporaryFile;

namespace {

template <class Event>
std::string listOf(int count, Event&& event) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += ",\n";
    text += event(i);
  }
  return text + "]";
}

std::string slice(std::int64_t pid, std::int64_t tid, std::int64_t ts, const std::string& more) {
  return R"({"ph":"X","name":"n","pid":)" + std::to_string(pid) + R"(,"tid":)" +
         std::to_string(tid) + R"(,"ts":)" + std::to_string(ts) + R"(,"dur":1)" + more + "}";
}

std::shared_ptr<const Trace> load(const std::string& text) {
  const TemporaryFile file(text);
  auto loaded = loadTrace(file.path());
  if (!loaded.ok() || loaded.value().size() != 1) return nullptr;
  const auto trace = loaded.value().front().trace;
  return trace->importLog().balanced() ? trace : nullptr;
}

/// How many keys share the fullest bucket of a table.
template <class Table>
std::size_t fullestBucket(const Table& table) {
  std::size_t most = 0;
  for (std::size_t b = 0; b < table.bucket_count(); ++b)
    most = std::max(most, table.bucket_size(b));
  return most;
}

}  // namespace

class TestLoadHostileNames : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRankToEachOfManyProcessesIsOneTrace();
  void processesAndThreadsOfTheSameNumbersLoad();
  void numbersThatShareABucketAreSpread();
  void pairsThatCancelEachOtherAreSpread();
  void namesThatCollideUnderAKnownHashAreSpread();
  void aFileOfSuchNamesLoads();
};

void TestLoadHostileNames::aRankToEachOfManyProcessesIsOneTrace() {
  const auto trace = load(listOf(200'000, [](int i) {
    return slice(i, 1, i, R"(,"args":{"rank":)" + std::to_string(i) + "}");
  }));
  QVERIFY(trace != nullptr);
  QCOMPARE(trace->slices().size(), std::size_t{200'000});
  QCOMPARE(trace->processes().size(), std::size_t{200'000});
  const auto& problems = trace->importLog().problems;
  const auto note = problems.find("too_many_ranks");
  QVERIFY(note != problems.end());
  QCOMPARE(note->second.examples.front().text, std::string("200000 ranks"));
}

void TestLoadHostileNames::processesAndThreadsOfTheSameNumbersLoad() {
  const auto trace = load(listOf(200'000, [](int i) { return slice(i, i, i, {}); }));
  QVERIFY(trace != nullptr);
  QCOMPARE(trace->tracks().size(), std::size_t{200'000});
}

void TestLoadHostileNames::numbersThatShareABucketAreSpread() {
  constexpr std::int64_t kKeys = 50'000;
  std::unordered_map<std::int64_t, int, SeededHash> table;
  table.reserve(kKeys);
  const auto buckets = static_cast<std::int64_t>(table.bucket_count());
  for (std::int64_t i = 0; i < kKeys; ++i) table.emplace(i * buckets, 0);
  QCOMPARE(static_cast<std::int64_t>(table.bucket_count()), buckets);
  QVERIFY(fullestBucket(table) < 64);
}

void TestLoadHostileNames::pairsThatCancelEachOtherAreSpread() {
  std::unordered_map<std::pair<StringId, std::int64_t>, int, SeededHash> table;
  for (int i = 0; i < 50'000; ++i) table.emplace(std::make_pair(StringId(i), i ^ 12345), 0);
  QVERIFY(fullestBucket(table) < 64);
}

namespace {

/// Names that all hash to one value where a text is mixed 16 bytes at a time by (first half ^
/// known) times (second half ^ what came before): the first half is the known number itself, so
/// that the product is 0 whatever the second half is. The numbers are those that wyhash publishes.
std::string collidingName(std::uint64_t known, int i) {
  std::string name(48, 'a');
  std::memcpy(name.data() + 16, &known, sizeof known);
  const std::string number = std::to_string(10'000'000 + i);
  name.replace(24, 8, number);  // the factor that does not count
  return name;
}

constexpr std::uint64_t kPublished[] = {0xa0761d6478bd642full, 0xe7037ed1a0b428dbull,
                                        0x8ebc6af09c88c6e3ull, 0x589965cc75374cc3ull};

}  // namespace

void TestLoadHostileNames::namesThatCollideUnderAKnownHashAreSpread() {
  // Such a pool would compare each of 50,000 names with all before it.
  for (const std::uint64_t known : kPublished) {
    StringPool pool;
    std::set<std::uint64_t> hashes;
    for (int i = 0; i < 50'000; ++i) {
      const std::string name = collidingName(known, i);
      hashes.insert(hashText(name));
      QCOMPARE(pool.intern(name).index(), static_cast<std::size_t>(i));
    }
    QCOMPARE(hashes.size(), std::size_t{50'000});
    QCOMPARE(pool.find(collidingName(known, 777)).index(), std::size_t{777});
  }
}

void TestLoadHostileNames::aFileOfSuchNamesLoads() {
  const auto trace = load(listOf(100'000, [](int i) {
    // As a file can hold them: a name of latin letters in both halves.
    return R"({"ph":"X","name":"known as the factorAAAAAAAA)" + std::to_string(10'000'000 + i) +
           R"(and more of it that follows","pid":1,"tid":1,"ts":)" + std::to_string(i) +
           R"(,"dur":1})";
  }));
  QVERIFY(trace != nullptr);
  QVERIFY(trace->strings().size() >= 100'000);
}

QTEST_GUILESS_MAIN(TestLoadHostileNames)
#include "tst_load_hostile_names.moc"
