#include <random>

#include <QTest>

#include "core/io/load_trace.h"
#include "tests/support/reference_reader.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// Writes random traces: all phases, keys in any order, any white space, texts of all kinds.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string trace(int events) {
    std::string out =
        "{" + space() + "\"schemaVersion\":" + space() + "1,\"traceEvents\":" + space() + "[";
    for (int i = 0; i < events; ++i) out += (i > 0 ? "," : "") + space() + event() + space();
    return out + "]," + "\"traceName\": \"x\"}";
  }
  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  /// A copy with a few bytes changed, left out or put in.
  std::string mutated(std::string text) {
    static constexpr std::string_view kBytes = "\"\\{}[],:0a \n\x01\xff\xe2N-e.tf";
    for (std::uint32_t n = 1 + draw(3); n > 0; --n) {
      const std::size_t at = draw(static_cast<std::uint32_t>(text.size()));
      const char byte = kBytes[draw(static_cast<std::uint32_t>(kBytes.size()))];
      switch (draw(4)) {
        case 0:
          text.insert(at, 1, byte);
          break;
        case 1:
          text.erase(at, 1 + draw(3));
          break;
        case 2:
          text[at] = byte;
          break;
        default:
          if (draw(8) == 0) text.resize(at + 1);
      }
    }
    return text;
  }

 private:
  std::string space() {
    static const std::string kSpaces[] = {"", "", "", " ", "\n  ", "\t", "\r\n    "};
    return kSpaces[draw(7)];
  }
  std::string name() {
    static const std::string kNames[] = {"aten::add",
                                         "a\\\"b",
                                         "C:\\\\x\\\\",
                                         "\\u00e9\\ud83d\\ude00",
                                         "\u00e9\u4e2d",
                                         "",
                                         "void f<int, {x}>(a[3])",
                                         "}{",
                                         "],[",
                                         "a,b:c",
                                         "\\/\\n\\t",
                                         "{\\\"ph\\\":\\\"X\\\"}",
                                         "\\\\\\\"",
                                         "NaN Infinity"};
    return kNames[draw(14)];
  }
  std::string number() {
    static const std::string kNumbers[] = {"0",    "1",         "12.5", "1e3",  "3.001", "100",
                                           "7.25", "1234.5678", "2E+2", "55.0", "9.999"};
    return kNumbers[draw(11)];
  }
  std::string value(int depth) {
    switch (draw(depth > 0 ? 7 : 5)) {
      case 0:
        return number();
      case 1:
        return "true";
      case 2:
        return "null";
      case 3:
      case 4:
        return "\"" + name() + "\"";
      case 5:
        return "[" + space() + value(depth - 1) + "," + value(depth - 1) + space() + "]";
      default:
        return "{\"name\":" + space() + value(depth - 1) + ",\"ph\" :" + value(depth - 1) + "}";
    }
  }
  std::string object(std::vector<std::string> pairs) {
    std::shuffle(pairs.begin(), pairs.end(), random_);
    std::string out;
    for (const std::string& pair : pairs)
      out += (out.empty() ? "" : ",") + space() + pair + space();
    return "{" + (pairs.empty() ? space() : out) + "}";
  }
  std::string pair(const std::string& key, const std::string& raw) {
    return "\"" + key + "\"" + space() + ":" + space() + raw;
  }
  std::string args(char phase) {
    std::vector<std::string> pairs;
    if (phase == 'C') {
      pairs = {pair("a", number()), pair("b", number())};
      return object(pairs);
    }
    if (draw(2) == 0) pairs.push_back(pair("correlation", std::to_string(draw(30))));
    if (draw(2) == 0) pairs.push_back(pair("External id", std::to_string(draw(30))));
    if (draw(3) == 0) pairs.push_back(pair("stream", std::to_string(draw(3))));
    if (draw(3) == 0) pairs.push_back(pair("device", draw(2) == 0 ? "0" : "\"1\""));
    if (draw(3) == 0)
      pairs.push_back(
          pair("blocks per SM", draw(4) == 0 ? number() : "0.00" + std::to_string(draw(900))));
    if (draw(3) == 0)
      pairs.push_back(pair("est. achieved occupancy %", draw(4) == 0 ? "\"12.5\"" : number()));
    if (draw(3) == 0) pairs.push_back(pair("Input Dims", "[[4,2048],[],[1]]"));
    if (draw(3) == 0) pairs.push_back(pair("name", "\"" + name() + "\""));
    for (std::uint32_t n = draw(4); n > 0; --n)
      pairs.push_back(pair("other " + std::to_string(n), value(3)));
    return object(pairs);
  }
  std::string event() {
    static constexpr std::string_view kPhases = "XXXXXXXXBEiCMstfbne";
    static const std::string kCategories[] = {"cpu_op", "kernel", "cuda_runtime", "fwdbwd", "x"};
    const char phase = kPhases[draw(static_cast<std::uint32_t>(kPhases.size()))];
    std::vector<std::string> pairs{
        pair("ph", std::string("\"") + phase + "\""),
        pair("name", "\"" + name() + "\""),
        pair("cat", "\"" + kCategories[draw(5)] + "\""),
        pair("pid", std::to_string(draw(3))),
        pair("tid", draw(2) == 0 ? std::to_string(draw(3)) : "\"stream 7\""),
        pair("ts", std::to_string(draw(2000)) + "." + std::to_string(draw(1000)))};
    if (phase == 'X') pairs.push_back(pair("dur", number()));
    if (std::string_view("stfbne").find(phase) != std::string_view::npos)
      pairs.push_back(pair("id", std::to_string(draw(4))));
    if (phase == 'f') pairs.push_back(pair("bp", "\"e\""));
    if (draw(3) != 0) pairs.push_back(pair("args", args(phase)));
    if (draw(5) == 0) pairs.push_back(pair("s", "\"t\""));
    return object(pairs);
  }
  std::mt19937 random_;
};

/// What came of it: the dump, or the error.
std::string outcome(const std::string& path, const LoadOptions& options) {
  const auto loaded = loadTrace(path, {}, options);
  if (loaded.failed()) return "error " + loaded.error().what;
  std::string all = dump(loaded.value());
  for (const LoadedTrace& rank : loaded.value()) {
    if (!rank.trace->importLog().balanced()) all += "not balanced\n";
    all += rowFaults(*rank.trace);
  }
  return all;
}

}  // namespace

class TestLoadDifferential : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void validTracesAreReadAsTheReferenceReadsThem();
  void mutatedTracesThatStayValidAreReadAsTheReferenceReadsThem();
  void neitherPathNorBlockSizeNorThreadsChangeTheTrace();
  void damagedTracesDoNotDependOnWhereTheyAreCut();
};

void TestLoadDifferential::validTracesAreReadAsTheReferenceReadsThem() {
  for (unsigned seed = 1; seed <= 80; ++seed) {
    const std::string text = Generator(seed).trace(1 + static_cast<int>(seed % 50));
    const auto reference = readByReference(text);
    QVERIFY(reference);
    const TemporaryFile file(text);
    const auto loaded = loadTrace(file.path());
    QVERIFY2(loaded.ok(), text.c_str());
    const std::string difference =
        firstDifference(dump(*loaded.value()[0].trace, false), dump(*reference, false));
    QVERIFY2(difference.empty(), (std::to_string(seed) + ":\n" + difference).c_str());
    QCOMPARE(loaded.value()[0].trace->importLog().dropped - reference->importLog().dropped,
             std::uint64_t{0});
  }
}

void TestLoadDifferential::mutatedTracesThatStayValidAreReadAsTheReferenceReadsThem() {
  int compared = 0;
  for (unsigned seed = 1; seed <= 700; ++seed) {
    Generator generator(seed);
    const std::string text = generator.mutated(generator.trace(4));
    const auto reference = readByReference(text);
    // nlohmann gives no text for whole numbers, and "-0" is one.
    if (!reference || text.find("-0") != text.npos) continue;
    const TemporaryFile file(text);
    const auto loaded = loadTrace(file.path());
    QVERIFY2(loaded.ok(), text.c_str());
    const std::string difference =
        firstDifference(dump(*loaded.value()[0].trace, false), dump(*reference, false));
    QVERIFY2(difference.empty(), (std::to_string(seed) + ":\n" + difference + "\n" + text).c_str());
    ++compared;
  }
  QVERIFY(compared > 50);
}

void TestLoadDifferential::neitherPathNorBlockSizeNorThreadsChangeTheTrace() {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Generator generator(seed + 1000);
    const TemporaryFile file(generator.trace(120));
    const std::string expected = outcome(file.path(), {std::size_t{1} << 20, 1, false});
    for (const std::size_t block : {std::size_t{64}, std::size_t{97}, std::size_t{500},
                                    std::size_t{4096}, std::size_t{1} << 20})
      for (const unsigned threads : {1u, 3u}) {
        const std::string got = outcome(file.path(), {block, threads, true});
        QVERIFY2(got == expected, (std::to_string(seed) + " " + std::to_string(block) + ":\n" +
                                   firstDifference(got, expected))
                                      .c_str());
      }
  }
}

void TestLoadDifferential::damagedTracesDoNotDependOnWhereTheyAreCut() {
  for (unsigned seed = 1; seed <= 120; ++seed) {
    Generator generator(seed + 2000);
    const std::string text = generator.mutated(generator.trace(40));
    const TemporaryFile file(text);
    const std::string expected = outcome(file.path(), {std::size_t{1} << 20, 1, true});
    QVERIFY2(expected.find("not balanced") == expected.npos, text.c_str());
    for (const std::size_t block : {std::size_t{64} + generator.draw(200), std::size_t{2000}}) {
      const std::string got = outcome(file.path(), {block, 2, true});
      QVERIFY2(got == expected, (std::to_string(seed) + " " + std::to_string(block) + ":\n" +
                                 firstDifference(got, expected) + "\n" + text)
                                    .c_str());
    }
  }
}

QTEST_GUILESS_MAIN(TestLoadDifferential)
#include "tst_load_differential.moc"
