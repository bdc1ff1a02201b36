// What the command lines answer to words that fit nothing, or that say the same thing twice.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/run_program.h"

using namespace ridgeline::test;

namespace {

/// "(15 %)" → 15; -1 where there is none.
double firstShare(const QByteArray& text) {
  const QRegularExpression share(QStringLiteral("\\(([0-9.]+) %\\)"));
  const auto found = share.match(QString::fromUtf8(text));
  return found.hasMatch() ? found.captured(1).toDouble() : -1;
}

}  // namespace

class TestCliEdges : public QObject {
  Q_OBJECT

  QTemporaryDir dir_;
  [[nodiscard]] Outcome cli(const QStringList& words) const {
    return runProgram("ridgeline-cli", words, {dir_.path(), {}});
  }
  void write(const char* name, const QByteArray& text) const {
    QFile file(dir_.filePath(QLatin1String(name)));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }

 private Q_SLOTS:
  void initTestCase() {
    write("empty.json", "");
    write("nothing.json", "{\"traceEvents\": []}");
    QCOMPARE(cli(wordsOf("generate launch-bound --steps 2 --seed 2 -o job.json")).code, 0);
    QVERIFY(QDir(dir_.path()).mkdir(QStringLiteral("ranks")));
    QVERIFY(QFile::copy(dir_.filePath(QStringLiteral("job.json")),
                        dir_.filePath(QStringLiteral("ranks/other.json"))));
    QVERIFY(QFile::link(dir_.filePath(QStringLiteral("job.json")),
                        dir_.filePath(QStringLiteral("link.json"))));
  }

  void wrongValuesAreTwoAndSayWhatThereIs_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QByteArrayList>("said");
    const auto row = [](const char* words, const QByteArrayList& said) {
      QTest::newRow(words) << wordsOf(words) << said;
    };
    row("generate healthy -o x.json --device tpu", {"tpu", "a100 a100-40 h100"});
    row("generate healthy -o x.json --events 0", {"--events", "from 1 on"});
    row("generate healthy -o x.json --ranks 0", {"--ranks"});
    row("generate healthy -o x.json --ranks 99999999", {"anks"});
    row("generate healthy -o x.json --steps 999999999", {"teps"});
    row("generate healthy -o x.json --steps many", {"--steps", "many"});
    row("report job.json --format xml", {"md, json or csv", "xml"});
    row("report job.json --window 5..1", {"its end is before its start"});
    row("report job.json --window 5..5", {"it is empty"});
    row("report job.json --steps 5..1", {"the last step is before the first"});
    row("report job.json --model-flops 1e12 --parameters 1e9 --tokens 100",
        {"--model-flops", "alone", "--parameters and --tokens"});
    row("report job.json --model-flops 1e12 --tokens 100", {"--parameters"});
  }

  void wrongValuesAreTwoAndSayWhatThereIs() {
    QFETCH(QStringList, words);
    QFETCH(QByteArrayList, said);
    const Outcome outcome = cli(words);
    QCOMPARE(outcome.code, 2);
    QVERIFY(outcome.out.isEmpty());
    for (const QByteArray& text : said)
      QVERIFY2(outcome.err.contains(text), outcome.err.constData());
    QVERIFY(!QFile::exists(dir_.filePath(QStringLiteral("x.json"))));
  }

  void aFileThatIsNamedTwiceIsOneRank_data() {
    QTest::addColumn<QStringList>("paths");
    QTest::addColumn<int>("ranks");
    QTest::newRow("the same") << wordsOf("job.json job.json") << 1;
    QTest::newRow("by another way") << wordsOf("job.json ./ranks/../job.json") << 1;
    QTest::newRow("a link") << wordsOf("job.json link.json") << 1;
    QTest::newRow("in a folder") << wordsOf("ranks/other.json ranks") << 1;
    QTest::newRow("two files") << wordsOf("job.json ranks/other.json") << 2;
  }

  void aFileThatIsNamedTwiceIsOneRank() {
    QFETCH(QStringList, paths);
    QFETCH(int, ranks);
    const Outcome outcome =
        cli(QStringList{QStringLiteral("info"), QStringLiteral("--json")} + paths);
    QCOMPARE(outcome.code, 0);
    const QJsonArray traces =
        QJsonDocument::fromJson(outcome.out).object().value(QLatin1String("traces")).toArray();
    QCOMPARE(traces.size(), ranks);
    QCOMPARE(outcome.err.contains("opened once"), ranks == 1);
  }

  void aCopyIsNoFurtherRankOfAReport() {
    const Outcome report = cli(wordsOf("report --format json job.json ranks/other.json"));
    QCOMPARE(report.code, 0);
    QVERIFY(report.err.contains("other.json holds the same events as job.json and is left out"));
    const QJsonArray ranks =
        QJsonDocument::fromJson(report.out).object().value(QLatin1String("data_quality")).toArray();
    QCOMPARE(ranks.size(), 1);
    QVERIFY(report.out.contains("other.json holds the same events as this file"));
    // Who asks for two files gets two.
    const Outcome info = cli(wordsOf("info job.json ranks/other.json"));
    QVERIFY(info.err.contains("other.json holds the same events as job.json"));
    QVERIFY(!info.err.contains("left out"));
    QVERIFY(!cli(wordsOf("report job.json")).out.contains("the same events"));
  }

  /// What was planted is said as the report finds it, and is not called the bottleneck.
  void whatWasPlantedIsWhatTheReportFinds_data() {
    QTest::addColumn<QString>("scenario");
    QTest::addColumn<QByteArray>("planted");
    QTest::addColumn<QByteArray>("found");
    QTest::newRow("host-sync") << QStringLiteral("host-sync") << QByteArray("host syncs")
                               << QByteArray("lost to host syncs: ");
    QTest::newRow("late-bucket") << QStringLiteral("late-bucket")
                                 << QByteArray("exposed collectives")
                                 << QByteArray("lost to exposed all-reduce: ");
    QTest::newRow("exposed-tail") << QStringLiteral("exposed-tail")
                                  << QByteArray("exposed collectives")
                                  << QByteArray("lost to exposed all-reduce: ");
  }

  void whatWasPlantedIsWhatTheReportFinds() {
    QFETCH(QString, scenario);
    QFETCH(QByteArray, planted);
    QFETCH(QByteArray, found);
    const Outcome generated =
        cli({QStringLiteral("generate"), scenario, QStringLiteral("--seed"), QStringLiteral("2"),
             QStringLiteral("-o"), QStringLiteral("planted.json")});
    QCOMPARE(generated.code, 0);
    QVERIFY(!generated.out.contains("bottleneck"));
    const qsizetype at = generated.out.indexOf(QByteArray("planted: " + planted + ", "));
    QVERIFY2(at >= 0, generated.out.constData());
    const Outcome report = cli({QStringLiteral("report"), QStringLiteral("planted.json")});
    const qsizetype lost = report.out.indexOf(found);
    QVERIFY2(lost >= 0, report.out.constData());
    const double truth = firstShare(generated.out.mid(at)), told = firstShare(report.out.mid(lost));
    QVERIFY2(truth > 0 && std::abs(truth - told) <= 0.2 * truth + 0.5,
             qPrintable(QStringLiteral("%1 and %2").arg(truth).arg(told)));
  }
};

QTEST_GUILESS_MAIN(TestCliEdges)
#include "tst_cli_edges.moc"
