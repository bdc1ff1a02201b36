// What can befall the bytes of a file before there is any text: packed, cut off, damaged, changed
// while they are read.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <QTest>
#include <zstd.h>

#include "core/io/byte_source.h"
#include "core/io/load_trace.h"
#include "tests/support/gzip.h"
#include "tests/support/loaded_trace.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;
using ridgeline::test::gzip;
using ridgeline::test::problem;
using ridgeline::test::TemporaryFile;

namespace {

std::string argsOf(int i) {
  return "{\"External id\":" + std::to_string(i) + ",\"x\":\"\\u00e9 \\\"q\\\"\"}";
}

std::string event(int i) {
  return R"({"ph":"X","cat":"cpu_op","name":"op)" + std::to_string(i) +
         R"(","pid":1,"tid":1,"ts":)" + std::to_string(10 * i) + R"(,"dur":5,"args":)" + argsOf(i) +
         "}";
}

/// `count` events; `ends`, when given, receives the size of the text after each of them.
std::string traceOf(int count, std::vector<std::size_t>* ends = nullptr) {
  std::string text = R"({"schemaVersion":1,"traceEvents":[)";
  for (int i = 0; i < count; ++i) {
    text += (i > 0 ? ",\n  " : "\n  ") + event(i);
    if (ends != nullptr) ends->push_back(text.size());
  }
  return text + "\n]}";
}

std::string zstd(const std::string& text, int windowLog = 0, bool checksum = true) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0);
  if (windowLog > 0) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, windowLog);
  }
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

std::shared_ptr<const Trace> load(const std::string& bytes) {
  const TemporaryFile file(bytes);
  auto loaded = loadTrace(file.path());
  return loaded.ok() ? loaded.value()[0].trace : nullptr;
}

std::uint64_t problems(const Trace& trace) {
  std::uint64_t count = 0;
  for (const auto& entry : trace.importLog().problems) count += entry.second.count;
  return count;
}

}  // namespace

class TestLoadStreams : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aTextCutAnywhereKeepsEveryWholeEvent();
  void aPackedFileCutAnywhereKeepsWhatCameOut_data();
  void aPackedFileCutAnywhereKeepsWhatCameOut();
  void everyPackingGivesTheSameTrace_data();
  void everyPackingGivesTheSameTrace();
  void aChangedByteOfAPackedFileNeverCostsMoreThanItsText();
  void whatIsKeptOfADamagedFileDoesNotDependOnTheReads_data();
  void whatIsKeptOfADamagedFileDoesNotDependOnTheReads();
  void whatIsPackedThriceIsRefusedWithACommand();
  void aWrongChecksumIsToldAndCostsNothing();
  void whatFollowsThePackedTextIsTold();
  void utf16IsConverted_data();
  void utf16IsConverted();
  void halfACharacterOfUtf16IsPlacedInTheText();
  void aFileThatVanishesWhileItIsReadIsReadToItsEnd();
  void aFileThatShrinksWhileItIsReadKeepsWhatWasThere();
  void aFileThatGrowsWhileItIsReadEndsWhereItEnded();
};

void TestLoadStreams::aTextCutAnywhereKeepsEveryWholeEvent() {
  std::vector<std::size_t> ends;
  const std::string text = traceOf(8, &ends);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto trace = load(text.substr(0, size));
    const auto whole = static_cast<std::size_t>(
        std::count_if(ends.begin(), ends.end(), [&](std::size_t end) { return end <= size; }));
    if (!trace) {
      QVERIFY2(whole == 0, std::to_string(size).c_str());
      continue;
    }
    QVERIFY(trace->importLog().balanced());
    QVERIFY2(trace->slices().size() >= whole, std::to_string(size).c_str());
    QVERIFY2(trace->slices().size() <= whole + 1, std::to_string(size).c_str());
    // The two brackets may be missing, but nothing is passed over in silence.
    QVERIFY2(problems(*trace) > 0, std::to_string(size).c_str());
  }
}

void TestLoadStreams::aPackedFileCutAnywhereKeepsWhatCameOut_data() {
  QTest::addColumn<QByteArray>("packed");
  QTest::addColumn<QByteArray>("key");
  const std::string text = traceOf(40);
  const auto row = [](const char* name, const std::string& packed, const char* key) {
    QTest::newRow(name) << QByteArray(packed.data(), static_cast<qsizetype>(packed.size()))
                        << QByteArray(key);
  };
  row("gzip", gzip(text), "gzip_cut_off");
  row("gzip, stored", gzip(text, 0), "gzip_cut_off");
  row("zstd", zstd(text), "zstd_cut_off");
}

void TestLoadStreams::aPackedFileCutAnywhereKeepsWhatCameOut() {
  QFETCH(QByteArray, packed);
  QFETCH(QByteArray, key);
  const std::string whole = packed.toStdString();
  std::size_t before = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto trace = load(whole.substr(0, size));
    if (!trace) {
      QCOMPARE(before, std::size_t{0});
      continue;
    }
    QVERIFY(trace->importLog().balanced());
    QVERIFY2(problem(*trace, key.data()) == 1, std::to_string(size).c_str());
    QVERIFY(trace->slices().size() >= before);
    before = trace->slices().size();
  }
  QVERIFY(before >= 30 || key.startsWith("zstd"));  // a zstd block comes out whole or not at all
}

void TestLoadStreams::everyPackingGivesTheSameTrace_data() {
  QTest::addColumn<QByteArray>("packed");
  const std::string text = traceOf(3000);
  const std::string a = text.substr(0, 12'345);
  const std::string b = text.substr(12'345);
  const auto row = [](const char* name, const std::string& packed) {
    QTest::newRow(name) << QByteArray(packed.data(), static_cast<qsizetype>(packed.size()));
  };
  row("plain", text);
  row("gzip", gzip(text));
  row("gzip, stored", gzip(text, 0));
  row("gzip, three members, one of them empty", gzip(a) + gzip("") + gzip(b));
  row("gzip, zeros behind it", gzip(text) + std::string(512, '\0'));
  row("gzip in gzip", gzip(gzip(text)));
  row("zstd in gzip", gzip(zstd(text)));
  row("gzip in zstd", zstd(gzip(text)));
  row("zstd", zstd(text));
  row("zstd, without a checksum", zstd(text, 0, false));
  row("zstd, two frames", zstd(a) + zstd(b));
  row("zstd, a window of 128 MiB", zstd(text, 27));
  row("zstd, a window of 2 GiB", zstd(text, 31));
  row("zstd, a frame to be skipped",
      std::string("\x50\x2a\x4d\x18\x04\0\0\0abcd", 12) + zstd(text));
}

void TestLoadStreams::everyPackingGivesTheSameTrace() {
  QFETCH(QByteArray, packed);
  const TemporaryFile file(packed.toStdString());  // args are read on demand
  const auto loaded = loadTrace(file.path());
  QVERIFY(loaded.ok());
  const auto trace = loaded.value()[0].trace;
  QCOMPARE(trace->slices().size(), std::size_t{3000});
  QCOMPARE(trace->importLog().repaired, std::uint64_t{0});
  QCOMPARE(problems(*trace), std::uint64_t{0});
  QCOMPARE(trace->readArgs(SliceId(2999)).value(), argsOf(2999));
}

void TestLoadStreams::aChangedByteOfAPackedFileNeverCostsMoreThanItsText() {
  const std::string text = traceOf(40);
  for (const std::string& good : {gzip(text), zstd(text)}) {
    for (std::size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 0x24);
      const TemporaryFile file(bad);
      const auto loaded = loadTrace(file.path());
      if (loaded.failed()) {
        QVERIFY(!loaded.error().what.empty() && !loaded.error().todo.empty());
        continue;
      }
      const Trace& trace = *loaded.value()[0].trace;
      QVERIFY(trace.importLog().balanced());
      // Either the change was in a field that nobody needs, or it was noticed.
      if (trace.slices().size() != 40) QVERIFY2(problems(trace) > 0, std::to_string(at).c_str());
    }
  }
}

void TestLoadStreams::whatIsKeptOfADamagedFileDoesNotDependOnTheReads_data() {
  QTest::addColumn<QByteArray>("packed");
  const std::string text = traceOf(40);
  const auto row = [](const char* name, const std::string& packed) {
    QTest::newRow(name) << QByteArray(packed.data(), static_cast<qsizetype>(packed.size()));
  };
  row("gzip", gzip(text));
  row("gzip, two members", gzip(text.substr(0, 999)) + gzip(text.substr(999)));
  row("zstd", zstd(text));
}

void TestLoadStreams::whatIsKeptOfADamagedFileDoesNotDependOnTheReads() {
  QFETCH(QByteArray, packed);
  const auto kept = [](const std::string& path, std::size_t step) {
    auto source = ByteSource::open(path);
    std::string text, piece(step, '\0');
    for (std::size_t got = step; got == step;) {
      got = source.value()->read(piece.data(), step);
      text.append(piece, 0, got);
    }
    for (const SourceDamage& damage : source.value()->damage())
      text += "\n" + damage.key + " at " + std::to_string(damage.offset);
    return text;
  };
  for (qsizetype at = 12; at < packed.size(); ++at) {
    std::string bad = packed.toStdString();
    bad[static_cast<std::size_t>(at)] = static_cast<char>(~packed[at]);
    const TemporaryFile file(bad);
    const std::string whole = kept(file.path(), 1u << 20);
    const std::string pieces = kept(file.path(), 1 + static_cast<std::size_t>(at) % 300);
    QVERIFY2(pieces == whole,
             ("byte " + std::to_string(at) + ": " + std::to_string(pieces.size()) + " of " +
              std::to_string(whole.size()) + " bytes, ending in " +
              pieces.substr(std::max<std::size_t>(pieces.size(), 80) - 80) + " against " +
              whole.substr(std::max<std::size_t>(whole.size(), 80) - 80))
                 .c_str());
  }
}

void TestLoadStreams::whatIsPackedThriceIsRefusedWithACommand() {
  const TemporaryFile twice(gzip(gzip(traceOf(3))));
  QCOMPARE(loadTrace(twice.path()).value()[0].trace->info().compression,
           std::string("gzip in gzip"));
  const std::string half = gzip(gzip(traceOf(400)));
  const auto cut = load(half.substr(0, half.size() / 2));
  QVERIFY(cut && problem(*cut, "gzip_cut_off") > 0);
  const TemporaryFile thrice(gzip(gzip(gzip(traceOf(3)))));
  const auto loaded = loadTrace(thrice.path());
  QVERIFY(loaded.failed());
  QVERIFY2(loaded.error().what.find("gzip more than twice") != std::string::npos,
           loaded.error().what.c_str());
  QVERIFY2(loaded.error().todo.find("gunzip -c") != std::string::npos, loaded.error().todo.c_str());
}

void TestLoadStreams::aWrongChecksumIsToldAndCostsNothing() {
  std::string packed = gzip(traceOf(40));
  packed[packed.size() - 8] = static_cast<char>(packed[packed.size() - 8] ^ 1);
  const auto trace = load(packed);
  QVERIFY(trace);
  QCOMPARE(trace->slices().size(), std::size_t{40});
  QCOMPARE(problem(*trace, "gzip_checksum"), std::uint64_t{1});
}

void TestLoadStreams::whatFollowsThePackedTextIsTold() {
  const auto trace = load(gzip(traceOf(40)) + "more");
  QVERIFY(trace);
  QCOMPARE(trace->slices().size(), std::size_t{40});
  QCOMPARE(problem(*trace, "gzip_rest"), std::uint64_t{1});
}

void TestLoadStreams::utf16IsConverted_data() {
  QTest::addColumn<bool>("big");
  QTest::addColumn<bool>("mark");
  for (const bool big : {false, true})
    for (const bool mark : {false, true})
      QTest::addRow("%s, %s", big ? "big endian" : "little endian", mark ? "mark" : "no mark")
          << big << mark;
}

void TestLoadStreams::utf16IsConverted() {
  QFETCH(bool, big);
  QFETCH(bool, mark);
  std::string bytes;
  const auto put = [&](unsigned unit) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xFF);
    bytes += big ? high : low;
    bytes += big ? low : high;
  };
  if (mark) put(0xFEFF);
  for (const char c : traceOf(3)) put(static_cast<unsigned char>(c));
  const auto trace = load(bytes);
  QVERIFY(trace);
  QCOMPARE(trace->slices().size(), std::size_t{3});
  QCOMPARE(problem(*trace, "utf16"), std::uint64_t{1});
  QCOMPARE(trace->readArgs(SliceId(1)).value(), argsOf(1));
}

void TestLoadStreams::halfACharacterOfUtf16IsPlacedInTheText() {
  const std::string text = traceOf(300);
  const std::size_t at = text.find("op250");
  std::string bytes = "\xff\xfe";
  for (std::size_t i = 0; i < text.size(); ++i) {
    bytes += i == at ? '\x01' : text[i];
    bytes += i == at ? '\xd8' : '\0';
  }
  const auto trace = load(bytes);
  QVERIFY(trace);
  QCOMPARE(trace->slices().size(), std::size_t{300});
  const auto& examples = trace->importLog().problems.at("utf16_lone").examples;
  QCOMPARE(examples.size(), std::size_t{1});
  QCOMPARE(examples.front().offset, static_cast<std::uint64_t>(at));
}

namespace {

/// Loads a large file in small blocks and does something to it after the first of them.
template <class Act>
Result<std::vector<LoadedTrace>> loadWhile(const TemporaryFile& file, Act&& act) {
  std::atomic<bool> done = false;
  const Task task({}, [&](const Progress& progress) {
    if (progress.bytesDone > 0 && !done.exchange(true)) act();
  });
  return loadTrace(file.path(), task, {4096, 1, true});
}

}  // namespace

void TestLoadStreams::aFileThatVanishesWhileItIsReadIsReadToItsEnd() {
  const TemporaryFile file(traceOf(60'000));
  const auto loaded = loadWhile(file, [&] { std::remove(file.path().c_str()); });
  QVERIFY(loaded.ok());
  const Trace& trace = *loaded.value()[0].trace;
  QCOMPARE(trace.slices().size(), std::size_t{60'000});
  // Its args can't be shown any more, which is said.
  QVERIFY(trace.readArgs(SliceId(0)).failed());
}

void TestLoadStreams::aFileThatShrinksWhileItIsReadKeepsWhatWasThere() {
  const TemporaryFile file(traceOf(60'000));
  const auto loaded =
      loadWhile(file, [&] { std::filesystem::resize_file(file.path(), 6'000'000); });
  QVERIFY(loaded.ok());
  const Trace& trace = *loaded.value()[0].trace;
  QVERIFY(trace.slices().size() > 1000 && trace.slices().size() < 60'000);
  QVERIFY(trace.importLog().balanced());
  QVERIFY(problems(trace) > 0);
}

void TestLoadStreams::aFileThatGrowsWhileItIsReadEndsWhereItEnded() {
  const TemporaryFile file(traceOf(60'000));
  const auto loaded =
      loadWhile(file, [&] { std::ofstream(file.path(), std::ios::app) << traceOf(10); });
  QVERIFY(loaded.ok());
  QCOMPARE(loaded.value()[0].trace->slices().size(), std::size_t{60'000});
}

QTEST_GUILESS_MAIN(TestLoadStreams)
#include "tst_load_streams.moc"
