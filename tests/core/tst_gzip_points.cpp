// Reading in the middle of a gzipped file: inflating goes on from points that were noted while the
// file was read.

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>

#include <QTest>

#include "core/io/args_files.h"
#include "core/io/byte_streams.h"
#include "core/io/gzip_points.h"
#include "core/io/load_trace.h"
#include "tests/support/gzip.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;
using ridgeline::test::gzip;
using ridgeline::test::TemporaryFile;

namespace {

/// Text that packs well here and badly there, so that blocks of all kinds come about.
std::string mixedText(std::uint32_t seed, std::size_t size) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size) {
    const std::size_t length = 1 + random() % 5000;
    switch (random() % 3) {
      case 0:
        text.append(length, static_cast<char>('a' + random() % 26));
        break;
      case 1:
        for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(random() & 0xFF);
        break;
      default:
        text += text.substr(text.size() - std::min<std::size_t>(text.size(), random() % 40'000),
                            length);
    }
  }
  text.resize(size);
  return text;
}

class TextStream : public ByteStream {
 public:
  explicit TextStream(std::string text) : text_(std::move(text)) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, text_.size() - at_);
    std::memcpy(to, text_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

std::string readAll(ByteStream& stream, std::mt19937& random, std::size_t most) {
  std::string text;
  for (;;) {
    std::string piece(1 + random() % most, '\0');
    const std::size_t got = stream.read(piece.data(), piece.size());
    text.append(piece, 0, got);
    if (got < piece.size()) return text;
  }
}

/// Where byte `at` is read again from.
std::string from(const GzipPoints& points, const std::string& packed, std::size_t at,
                 std::mt19937& random) {
  const GzipPoints::Point& point = points.before(at);
  std::vector<SourceDamage> damage;
  const auto stream =
      gzipStreamFrom(point, std::make_unique<TextStream>(packed.substr(point.packed)), damage);
  return readAll(*stream, random, 50'000).substr(at - point.plain);
}

std::string eventsWithArgs(int count) {
  std::string text = R"({"traceEvents":[)";
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += std::string(i == 0 ? "\n" : ",\n") +
            R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":)" + n +
            R"(0,"dur":5,"args":{"number":)" + n + R"(,"padding":")" +
            std::string(200 + static_cast<std::size_t>(i) % 100, 'x') + "\"}}";
  }
  return text + "\n]}";
}

}  // namespace

class TestGzipPoints : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatFollowsAPointIsWhatFollowedIt();
  void damageBehindAPointIsReadAsBefore();
  void everyEventsArgsAreFound_data();
  void everyEventsArgsAreFound();
  void aChangedFileIsToldFromTheOneThatWasLoaded();
};

void TestGzipPoints::whatFollowsAPointIsWhatFollowedIt() {
  std::mt19937 random(7);
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    const std::string text = mixedText(seed, 300'000);
    const std::size_t cut = random() % text.size();
    const std::string packed = seed % 3 == 0   ? gzip(text)
                               : seed % 3 == 1 ? gzip(text, 1)
                                               : gzip(text.substr(0, cut)) + gzip(text.substr(cut));
    GzipPoints points(9'000);
    std::vector<SourceDamage> damage;
    const auto stream = gzipStreamWithPoints(std::make_unique<TextStream>(packed), damage, &points);
    const std::size_t most = 1 + random() % 80'000;
    QCOMPARE(readAll(*stream, random, most), text);
    QVERIFY(damage.empty());
    QVERIFY(points.bytes() > 0);
    for (int i = 0; i < 20; ++i) {
      const std::size_t at = random() % text.size();
      QVERIFY(points.before(at).plain <= at);
      QVERIFY2(at - points.before(at).plain < 9'000 + most, "points are too far apart");
      QVERIFY(from(points, packed, at, random) == text.substr(at));
    }
  }
}

void TestGzipPoints::damageBehindAPointIsReadAsBefore() {
  std::mt19937 random(3);
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const std::string text = mixedText(seed, 100'000);
    std::string packed = gzip(text);
    packed[20 + random() % (packed.size() - 20)] = static_cast<char>(packed[0] ^ 0x11);
    GzipPoints points(5'000);
    std::vector<SourceDamage> damage;
    const auto stream = gzipStreamWithPoints(std::make_unique<TextStream>(packed), damage, &points);
    const std::string kept = readAll(*stream, random, 3'000);
    for (int i = 0; i < 5 && !kept.empty(); ++i) {
      const std::size_t at = random() % kept.size();
      QVERIFY(from(points, packed, at, random) == kept.substr(at));
    }
  }
}

void TestGzipPoints::everyEventsArgsAreFound_data() {
  QTest::addColumn<QByteArray>("packed");
  const std::string text = eventsWithArgs(30'000);  // some 9 MB: a few points
  QVERIFY(text.size() > 3 * GzipPoints::kDistance);
  const auto row = [](const char* name, const std::string& packed) {
    QTest::newRow(name) << QByteArray(packed.data(), static_cast<qsizetype>(packed.size()));
  };
  row("gzip", gzip(text));
  row("gzip, two members", gzip(text.substr(0, 4'321'000)) + gzip(text.substr(4'321'000)));
  row("gzip, a byte-order mark before the text", gzip("\xEF\xBB\xBF" + text));
}

void TestGzipPoints::everyEventsArgsAreFound() {
  QFETCH(QByteArray, packed);
  const TemporaryFile file(packed.toStdString());
  const auto loaded = loadTrace(file.path());
  QVERIFY(loaded.ok());
  const Trace& trace = *loaded.value()[0].trace;
  QCOMPARE(trace.slices().size(), std::size_t{30'000});
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    // Here and there, and neighbours one after the other.
    const std::size_t at = i < 100 ? random() % 30'000 : 20'000 + static_cast<std::size_t>(i);
    const auto args = trace.readArgs(SliceId(at));
    QVERIFY(args.ok());
    QVERIFY2(args.value().starts_with("{\"number\":" + std::to_string(at) + ","),
             args.value().substr(0, 40).c_str());
  }
}

void TestGzipPoints::aChangedFileIsToldFromTheOneThatWasLoaded() {
  const TemporaryFile file(gzip(eventsWithArgs(100)));
  const auto loaded = loadTrace(file.path());
  QVERIFY(loaded.ok());
  const Trace& trace = *loaded.value()[0].trace;
  QVERIFY(trace.readArgs(SliceId(7)).ok());
  std::filesystem::resize_file(file.path(), 20);
  const auto args = trace.readArgs(SliceId(8));
  QVERIFY(args.failed());
  QVERIFY(args.error().what.find("changed") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestGzipPoints)
#include "tst_gzip_points.moc"
