#include <cstdlib>
#include <filesystem>

#include <QtTest>

#include "core/io/load_trace.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;
using ridgeline::test::sharedFile;
using ridgeline::test::sharedFilesBelow;

namespace {

QString namesOf(const ImportLog& log) {
  QString all;
  for (const auto& [key, problem] : log.problems)
    all += QString::fromStdString(key) + u'=' + QString::number(problem.count) + u' ';
  return all;
}

}  // namespace

class TestLoadReal : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyFileLoadsInBalanceOrIsRefusedWithASentence_data();
  void everyFileLoadsInBalanceOrIsRefusedWithASentence();
  void damagedCopiesHaveTheSlicesOfTheOriginal_data();
  void damagedCopiesHaveTheSlicesOfTheOriginal();
  void cutCopiesKeepWhatIsThere();
};

void TestLoadReal::everyFileLoadsInBalanceOrIsRefusedWithASentence_data() {
  QTest::addColumn<QString>("path");
  std::size_t count = 0;
  for (const char* folder :
       {"traces/kineto", "traces/derived", "traces/chrome", "traces/jax", "traces/rocprof",
        "traces/misc", "traces/handmade", "traces/nsys", "traces/perfetto"})
    for (const std::string& path : sharedFilesBelow(folder)) {
      const QString name = QString::fromStdString(path);
      QTest::newRow(qUtf8Printable(name.section(QStringLiteral("/traces/"), 1))) << name;
      ++count;
    }
  if (count == 0) QSKIP("The folder with real traces is not beside this checkout.");
}

void TestLoadReal::everyFileLoadsInBalanceOrIsRefusedWithASentence() {
  QFETCH(QString, path);
  const auto loaded = loadTrace(path.toStdString());
  QVERIFY(!loaded.cancelled());
  if (loaded.failed()) {
    QVERIFY(!loaded.error().what.empty());
    QVERIFY(!loaded.error().where.empty());
    QVERIFY2(!path.contains(QStringLiteral("/kineto/")), loaded.error().text().c_str());
    return;
  }
  QVERIFY(!loaded.value().empty());
  for (const LoadedTrace& rank : loaded.value()) {
    const ImportLog& log = rank.trace->importLog();
    QVERIFY2(log.balanced(), qUtf8Printable(namesOf(log)));
    QCOMPARE(QString::fromStdString(test::rowFaults(*rank.trace)), QString());
    if (path.contains(QStringLiteral("/kineto/")))
      QVERIFY2(log.dropped == 0, qUtf8Printable(namesOf(log)));
    const SliceTable& slices = rank.trace->slices();
    for (const std::size_t i : {std::size_t{0}, slices.size() / 2})
      if (i < slices.size()) QVERIFY(rank.trace->readArgs(SliceId(i)).ok());
  }
}

void TestLoadReal::damagedCopiesHaveTheSlicesOfTheOriginal_data() {
  QTest::addColumn<QString>("path");
  for (const char* name : {"broken/bert-small.bom.json", "broken/bert-small.control-chars.json",
                           "broken/bert-small.nan.json", "broken/bert-small.no-close.json",
                           "broken/bert-small.utf16.json", "broken/bert-small.windows-escapes.json",
                           "broken/bert-small.bad-utf8.json", "gz/bert-small.bad-crc.json.gz",
                           "gz/bert-small.misnamed.json", "gz/bert-small.two-members.json.gz",
                           "zst/bert-small.json.zst", "zst/bert-small.long27.json.zst",
                           "zst/bert-small.no-size.json.zst", "zst/bert-small.two-frames.json.zst"})
    QTest::newRow(name) << QString::fromStdString(
        sharedFile(std::string("traces/derived/") + name));
}

void TestLoadReal::damagedCopiesHaveTheSlicesOfTheOriginal() {
  QFETCH(QString, path);
  const std::string original = sharedFile(
      "traces/kineto/AMD-AGI__TraceLens/h100/gaunernst_bert-small-uncased__1016001.json.gz");
  if (original.empty() || path.isEmpty())
    QSKIP("The folder with real traces is not beside this checkout.");
  const auto expected = loadTrace(original);
  const auto loaded = loadTrace(path.toStdString());
  QVERIFY(expected.ok());
  QVERIFY2(loaded.ok(), loaded.failed() ? loaded.error().text().c_str() : "");
  const Trace& a = *expected.value()[0].trace;
  const Trace& b = *loaded.value()[0].trace;
  QCOMPARE(b.slices().size(), a.slices().size());
  QCOMPARE(b.links().size(), a.links().size());
  if (path.contains(QStringLiteral(".nan."))) return;  // five durations are lost
  QCOMPARE(b.slices().start, a.slices().start);
  QCOMPARE(b.slices().end, a.slices().end);
  QCOMPARE(b.slices().parent, a.slices().parent);
  const bool sameBytes =
      path.contains(QStringLiteral("/gz/")) || path.contains(QStringLiteral("/zst/")) ||
      path.contains(QStringLiteral(".bom.")) || path.contains(QStringLiteral("utf16"));
  const bool whole = path.contains(QStringLiteral("/zst/")) ||
                     path.contains(QStringLiteral("misnamed")) ||
                     path.contains(QStringLiteral("two-members"));
  QCOMPARE(b.importLog().repaired == 0, whole);
  if (!sameBytes) return;
  QCOMPARE(b.slices().name, a.slices().name);
  QCOMPARE(b.slices().argsOffset, a.slices().argsOffset);
  for (std::size_t i = 0; i < a.slices().size(); i += 97) {
    const auto x = a.readArgs(SliceId(i));
    const auto y = b.readArgs(SliceId(i));
    QVERIFY(x.ok() && y.ok());
    QCOMPARE(y.value(), x.value());
  }
}

void TestLoadReal::cutCopiesKeepWhatIsThere() {
  const std::string whole = sharedFile(
      "traces/kineto/AMD-AGI__TraceLens/h100/gaunernst_bert-small-uncased__1016001.json.gz");
  if (whole.empty()) QSKIP("The folder with real traces is not beside this checkout.");
  const auto expected = loadTrace(whole);
  QVERIFY(expected.ok());
  for (const char* name :
       {"broken/bert-small.cut-after-event.json", "broken/bert-small.cut-mid-string.json",
        "gz/bert-small.truncated.json.gz", "zst/bert-small.truncated.json.zst"}) {
    const auto loaded = loadTrace(sharedFile(std::string("traces/derived/") + name));
    QVERIFY2(loaded.ok(), name);
    const Trace& trace = *loaded.value()[0].trace;
    QVERIFY2(trace.slices().size() > 100, name);
    QVERIFY2(trace.slices().size() < expected.value()[0].trace->slices().size(), name);
    QVERIFY2(trace.importLog().balanced(), name);
    QVERIFY2(trace.importLog().repaired > 0, name);
  }
}

QTEST_GUILESS_MAIN(TestLoadReal)
#include "tst_load_real.moc"
