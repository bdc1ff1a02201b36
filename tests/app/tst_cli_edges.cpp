// What the command lines answer to words that fit nothing, or that say the same thing twice.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

namespace {

struct Outcome {
  int code = -1;
  QByteArray out;
  QByteArray err;
};

Outcome run(const char* program, const QStringList& words, const QString& folder,
            bool display = true) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
  if (!display)
    for (const char* name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
      environment.remove(QLatin1String(name));
  process.setProcessEnvironment(environment);
  process.setWorkingDirectory(folder);
  process.start(qEnvironmentVariable("RIDGELINE_BIN") + u'/' + QLatin1String(program), words);
  if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit) {
    process.kill();
    process.waitForFinished();
    return {-1, {}, "crashed or hung: " + process.readAllStandardError()};
  }
  return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

QStringList split(const char* words) {
  return QString::fromUtf8(words).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

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
    return run("ridgeline-cli", words, dir_.path());
  }
  [[nodiscard]] Outcome window(const QStringList& words) const {
    return run("ridgeline", words, dir_.path());
  }
  /// Builds without Qt Widgets have the command line alone.
  [[nodiscard]] static bool hasWindow() {
    return QFile::exists(qEnvironmentVariable("RIDGELINE_BIN") + QStringLiteral("/ridgeline"));
  }
  void write(const char* name, const QByteArray& text) const {
    QFile file(dir_.filePath(QLatin1String(name)));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }

 private Q_SLOTS:
  void helpNeedsNoDisplay() {
    if (!hasWindow()) QSKIP("The window's program is not part of this build.");
    for (const char* word : {"--help", "-h", "--version"}) {
      const Outcome asked = run("ridgeline", {QLatin1String(word)}, dir_.path(), false);
      QCOMPARE(asked.code, 0);
      QVERIFY2(asked.out.contains("ridgeline"), asked.err.constData());
    }
  }

  void initTestCase() {
    write("empty.json", "");
    write("nothing.json", "{\"traceEvents\": []}");
    QCOMPARE(cli(split("generate launch-bound --steps 2 --seed 2 -o job.json")).code, 0);
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
      QTest::newRow(words) << split(words) << said;
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
    QTest::newRow("the same") << split("job.json job.json") << 1;
    QTest::newRow("by another way") << split("job.json ./ranks/../job.json") << 1;
    QTest::newRow("a link") << split("job.json link.json") << 1;
    QTest::newRow("in a folder") << split("ranks/other.json ranks") << 1;
    QTest::newRow("two files") << split("job.json ranks/other.json") << 2;
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
    if (!hasWindow()) QSKIP("The window's program is not part of this build.");
    const Outcome picture =
        window(QStringList{QStringLiteral("--overview"), QStringLiteral("twice.png")} + paths);
    QCOMPARE(picture.code, 0);
    QCOMPARE(picture.err.contains("opened once"), ranks == 1);
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

  void theWindowsProgramSaysWhatItCannotShow() {
    if (!hasWindow()) QSKIP("The window's program is not part of this build.");
    const Outcome panel = window(split("--panel foo job.json"));
    QCOMPARE(panel.code, 2);
    for (const char* said : {"foo", "idle_gaps", "roofline", "steps"})
      QVERIFY2(panel.err.contains(said), panel.err.constData());
    QCOMPARE(window(split("--theme pink job.json")).code, 2);
    for (const char* file : {"empty.json", "missing.json"}) {
      const Outcome shot =
          window({QStringLiteral("--screenshot"), QStringLiteral("shot.png"), QLatin1String(file)});
      QCOMPARE(shot.code, 1);
      QVERIFY2(shot.err.contains(file), shot.err.constData());
      QVERIFY(!QFile::exists(dir_.filePath(QStringLiteral("shot.png"))));
    }
  }

  void anOverviewOfNothingSaysSo() {
    if (!hasWindow()) QSKIP("The window's program is not part of this build.");
    const Outcome outcome = window(split("--overview none.png nothing.json"));
    QCOMPARE(outcome.code, 1);
    QVERIFY2(outcome.err.contains("holds no events") && outcome.err.contains("nothing.json"),
             outcome.err.constData());
    QVERIFY(!outcome.err.contains("\"\"") && !outcome.err.contains("named like ."));
  }
};

QTEST_GUILESS_MAIN(TestCliEdges)
#include "tst_cli_edges.moc"
