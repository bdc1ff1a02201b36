// What the window's program answers to words that fit nothing, or that ask for no window.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/run_program.h"

using namespace ridgeline::test;

class TestWindowEdges : public QObject {
  Q_OBJECT

  QTemporaryDir dir_;
  [[nodiscard]] QString path(const char* name) const { return dir_.filePath(QLatin1String(name)); }
  [[nodiscard]] Outcome window(const QStringList& words) const {
    return runProgram("ridgeline", words, {dir_.path(), {}, true});
  }
  void write(const char* name, const QByteArray& text) const {
    QFile file(path(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }

 private Q_SLOTS:
  void initTestCase() {
    write("empty.json", "");
    write("nothing.json", "{\"traceEvents\": []}");
    write("job.json", R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5}])");
    QVERIFY(QDir(dir_.path()).mkdir(QStringLiteral("ranks")));
    QVERIFY(QFile::copy(path("job.json"), path("ranks/other.json")));
    QVERIFY(QFile::link(path("job.json"), path("link.json")));
  }

  void helpNeedsNoDisplay() {
    for (const char* word : {"--help", "-h", "--version"}) {
      const Outcome asked = runProgram("ridgeline", {QLatin1String(word)});
      QCOMPARE(asked.code, 0);
      QVERIFY2(asked.out.contains("ridgeline"), asked.err.constData());
    }
  }

  void aFileThatIsNamedTwiceIsOpenedOnce_data() {
    QTest::addColumn<QStringList>("paths");
    QTest::addColumn<bool>("again");
    QTest::newRow("the same") << wordsOf("job.json job.json") << true;
    QTest::newRow("a link") << wordsOf("job.json link.json") << true;
    QTest::newRow("in a folder") << wordsOf("ranks/other.json ranks") << true;
    QTest::newRow("two files") << wordsOf("job.json ranks/other.json") << false;
  }

  void aFileThatIsNamedTwiceIsOpenedOnce() {
    QFETCH(QStringList, paths);
    QFETCH(bool, again);
    const Outcome picture = window(wordsOf("--overview twice.png") + paths);
    QCOMPARE(picture.code, 0);
    QCOMPARE(picture.err.contains("opened once"), again);
    // Another file, but a copy.
    QCOMPARE(picture.err.contains("holds the same events"), !again);
  }

  void wrongValuesAreTwoAndSayWhatThereIs_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QByteArrayList>("said");
    const auto row = [](const char* words, const QByteArrayList& said) {
      QTest::newRow(words) << wordsOf(words) << said;
    };
    row("--panel foo job.json", {"foo", "idle_gaps", "roofline", "steps"});
    row("--theme pink job.json", {"pink", "light, dark or system"});
    row("--window-size axb job.json", {"axb", "1600x1000"});
  }

  void wrongValuesAreTwoAndSayWhatThereIs() {
    QFETCH(QStringList, words);
    QFETCH(QByteArrayList, said);
    const Outcome outcome = window(words);
    QCOMPARE(outcome.code, 2);
    for (const QByteArray& text : said)
      QVERIFY2(outcome.err.contains(text), outcome.err.constData());
  }

  void aPictureOfWhatCannotBeOpenedIsNone() {
    for (const char* file : {"empty.json", "missing.json"}) {
      const Outcome shot =
          window({QStringLiteral("--screenshot"), QStringLiteral("shot.png"), QLatin1String(file)});
      QCOMPARE(shot.code, 1);
      QVERIFY2(shot.err.contains(file) && !shot.err.contains("<br"), shot.err.constData());
      QVERIFY(!QFile::exists(path("shot.png")));
    }
  }

  void anOverviewOfNothingSaysSo() {
    const Outcome outcome = window(wordsOf("--overview none.png nothing.json"));
    QCOMPARE(outcome.code, 1);
    QVERIFY2(outcome.err.contains("holds no events") && outcome.err.contains("nothing.json"),
             outcome.err.constData());
    QVERIFY(!outcome.err.contains("\"\"") && !outcome.err.contains("named like ."));
  }
};

QTEST_GUILESS_MAIN(TestWindowEdges)
#include "tst_window_edges.moc"
