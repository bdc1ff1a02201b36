#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/run_program.h"
#include "tests/support/shared_data.h"

using namespace ridgeline::test;

namespace {

Outcome run(const QStringList& words, const QByteArray& input = {}) {
  return runProgram("ridgeline-cli", words, {{}, input});
}

qint64 ns(const QJsonObject& object, const char* key) {
  return object.value(QLatin1String(key)).toInteger(-1);
}

qint64 sumOf(const QJsonObject& byCause) {
  qint64 sum = 0;
  for (const QJsonValue value : byCause) sum += value.toInteger();
  return sum;
}

bool balanced(const QJsonObject& trace) {
  const QJsonObject log = trace.value(QLatin1String("import_log")).toObject();
  return ns(log, "read") > 0 && ns(log, "read") == ns(log, "slices") + ns(log, "instants") +
                                                       ns(log, "counters") + ns(log, "links") +
                                                       ns(log, "metadata") + ns(log, "dropped");
}

}  // namespace

class TestCli : public QObject {
  Q_OBJECT

  QTemporaryDir dir_;
  QString file(const char* name) const { return dir_.filePath(QLatin1String(name)); }

  /// A small simulated recording, made once.
  QString sample() {
    const QString path = file("sample.json.gz");
    if (!QFile::exists(path))
      run({QStringLiteral("generate"), QStringLiteral("input-bound"), QStringLiteral("--steps"),
           QStringLiteral("4"), QStringLiteral("--seed"), QStringLiteral("2"), QStringLiteral("-o"),
           path});
    return path;
  }

  void checkReport(const QJsonObject& report) {
    qint64 idle = 0;
    for (const QJsonValue value : report.value(QLatin1String("devices")).toArray()) {
      const QJsonObject device = value.toObject();
      QCOMPARE(ns(device, "busy_ns") + ns(device, "idle_ns"), ns(device, "span_ns"));
      QVERIFY(ns(device, "exposed_communication_ns") <= ns(device, "communication_ns"));
      QVERIFY(ns(device, "exposed_memory_ns") <= ns(device, "memory_ns"));
      QCOMPARE(sumOf(device.value(QLatin1String("by_class_exclusive_ns")).toObject()),
               ns(device, "busy_ns"));
      idle += ns(device, "idle_ns");
    }
    const QJsonObject gaps = report.value(QLatin1String("idle_gaps")).toObject();
    QCOMPARE(sumOf(gaps.value(QLatin1String("by_cause")).toObject()), ns(gaps, "total_ns"));
    QCOMPARE(ns(gaps, "total_ns"), idle);
    checkPath(report.value(QLatin1String("critical_path")).toObject());
  }

  void checkPath(const QJsonObject& path) {
    for (const QJsonValue step : path.value(QLatin1String("steps")).toArray())
      QCOMPARE(sumOf(step.toObject().value(QLatin1String("by_cause")).toObject()),
               ns(step.toObject(), "window_ns"));
    const QJsonArray segments = path.value(QLatin1String("segments")).toArray();
    if (segments.isEmpty()) return;
    qint64 at = ns(path, "start_ns");
    for (const QJsonValue segment : segments) {
      QCOMPARE(ns(segment.toObject(), "start_ns"), at);
      at = ns(segment.toObject(), "end_ns");
    }
    QCOMPARE(at, ns(path, "end_ns"));
    QCOMPARE(sumOf(path.value(QLatin1String("by_cause")).toObject()), ns(path, "window_ns"));
  }

 private Q_SLOTS:
  void wrongUsageIsTwo_data() {
    QTest::addColumn<QStringList>("words");
    const auto row = [](const char* words) {
      QTest::newRow(words) << QString::fromLatin1(words).split(QLatin1Char(' '),
                                                               Qt::SkipEmptyParts);
    };
    row("");
    row("bogus");
    row("info");
    row("info --bogus x");
    row("info x --json=1");
    row("report");
    row("report x --format xml");
    row("report x --steps");
    row("report x --steps 7..5");
    row("report x --steps a..b");
    row("report x --window 5");
    row("report x --window 2ms..1ms");
    row("report x --all --steps 1");
    row("report x --what-if class:matmul");
    row("report x --what-if class:bogus=0.5");
    row("report x --ncu");
    row("report x --achievable-tflops bf17=3");
    row("report x --achievable-bandwidth fast");
    row("classify --bogus");
    row("generate");
    row("generate no-such-scenario");
  }

  void wrongUsageIsTwo() {
    QFETCH(QStringList, words);
    const Outcome outcome = run(words);
    QCOMPARE(outcome.code, 2);
    QVERIFY(outcome.out.isEmpty());
    QVERIFY(outcome.err.contains("ridgeline-cli"));
  }

  void helpAndVersionAreFine() {
    for (const char* word : {"--help", "--version"}) {
      const Outcome outcome = run({QLatin1String(word)});
      QCOMPARE(outcome.code, 0);
      QVERIFY(outcome.out.contains("ridgeline"));
      QVERIFY(outcome.err.isEmpty());
    }
  }

  void eachCommandListsItsOwnOptions_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QStringList>("options");
    const auto row = [](const char* words, const char* options) {
      QTest::newRow(words) << QString::fromLatin1(words).split(QLatin1Char(' '))
                           << QString::fromLatin1(options).split(QLatin1Char(' '));
    };
    const char* report =
        "--format --steps --window --all --peaks --collectives --ncu --achievable-tflops "
        "--achievable-bandwidth --model-flops --parameters --tokens --what-if -o --output";
    row("report --help", report);
    row("help report", report);
    row("report some.json --ncu -h", report);
    row("info --help", "--json");
    row("classify --help", "[FILE standard");
    row("generate --help",
        "-o --output --truth --events --ranks --steps --seed --device input-bound");
  }

  void eachCommandListsItsOwnOptions() {
    QFETCH(QStringList, words);
    QFETCH(QStringList, options);
    const Outcome outcome = run(words);
    QCOMPARE(outcome.code, 0);
    QVERIFY(outcome.err.isEmpty());
    for (const QString& option : options)
      QVERIFY2(outcome.out.contains(option.toUtf8()), qPrintable(option));
    const qsizetype scenarios = outcome.out.indexOf("Scenarios:");
    for (const QByteArray& line : outcome.out.left(scenarios).split('\n'))
      QVERIFY2(QString::fromUtf8(line).size() <= 100, line.constData());
  }

  void theReadmeNamesOnlyOptionsThatExist() {
    QFile readme(QStringLiteral(RIDGELINE_SOURCE_DIR "/README.md"));
    QVERIFY(readme.open(QIODevice::ReadOnly));
    QString text = QString::fromUtf8(readme.readAll());
    const qsizetype begin = text.indexOf(QStringLiteral("## Without a window"));
    text = text.mid(begin, text.indexOf(QStringLiteral("## Where to look")) - begin);
    QByteArray help;
    for (const char* command : {"info", "report", "classify", "generate"})
      help += run({QLatin1String(command), QStringLiteral("--help")}).out;
    help += "--overview --render --csv";  // of the other program, and of ncu
    const QRegularExpression option(QStringLiteral("--[a-z][a-z-]*"));
    auto found = option.globalMatch(text);
    QVERIFY(found.hasNext());
    while (found.hasNext()) {
      const QString name = found.next().captured();
      QVERIFY2(help.contains(name.toUtf8()), qPrintable(name));
    }
    auto listed = option.globalMatch(
        QString::fromUtf8(run({QStringLiteral("report"), QStringLiteral("--help")}).out));
    while (listed.hasNext()) {
      const QString name = listed.next().captured();
      if (name == QStringLiteral("--page") || name == QStringLiteral("--output")) continue;
      QVERIFY2(text.contains(name), qPrintable(name));
    }
  }

  void whatCannotBeReadIsOneAndSaysWhy() {
    QFile broken(file("broken.json"));
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write("this is no trace");
    broken.close();
    for (const QString& path : {file("missing.json"), file("broken.json"), dir_.path()})
      for (const char* command : {"info", "report"}) {
        const Outcome outcome = run({QLatin1String(command), path});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.contains(path.toUtf8()), outcome.err.constData());
      }
  }

  void aReportNeverReplacesTheTrace() {
    QVERIFY(QFile::copy(sample(), file("own.json.gz")));
    const qint64 before = QFileInfo(file("own.json.gz")).size();
    const QString again = dir_.path() + QStringLiteral("/./own.json.gz");
    const Outcome outcome =
        run({QStringLiteral("report"), file("own.json.gz"), QStringLiteral("-o"), again});
    QCOMPARE(outcome.code, 2);
    QVERIFY2(outcome.err.contains("is the trace itself"), outcome.err.constData());
    QCOMPARE(QFileInfo(file("own.json.gz")).size(), before);
    const QString both = file("both.json");
    QCOMPARE(run({QStringLiteral("generate"), QStringLiteral("healthy"), QStringLiteral("-o"), both,
                  QStringLiteral("--truth"), both})
                 .code,
             2);
    QVERIFY(!QFile::exists(both));
  }

  void aFolderHoldsNoKernelNames() {
    const Outcome outcome = run({QStringLiteral("classify"), dir_.path()});
    QCOMPARE(outcome.code, 1);
    QVERIFY2(outcome.err.contains(dir_.path().toUtf8()), outcome.err.constData());
  }

  void oneRefusedFileDoesNotHideTheOthers() {
    const Outcome outcome =
        run({QStringLiteral("info"), QStringLiteral("--json"), file("missing.json"), sample()});
    QCOMPARE(outcome.code, 1);
    QCOMPARE(outcome.json().value(QLatin1String("traces")).toArray().size(), 1);
  }

  void infoSaysWhatARecordingHolds() {
    const Outcome text = run({QStringLiteral("info"), sample()});
    QCOMPARE(text.code, 0);
    QVERIFY(text.out.contains("PyTorch Kineto (CUDA)"));
    const QJsonObject json =
        run({QStringLiteral("info"), sample(), QStringLiteral("--json")}).json();
    const QJsonObject trace = json.value(QLatin1String("trace")).toObject();
    QVERIFY(balanced(trace));
    QVERIFY(ns(json, "origin_ns") > 0);
    QVERIFY(ns(json, "span_ns") > 0);
    QCOMPARE(json.value(QLatin1String("steps")).toArray().size(), 4);
    QCOMPARE(trace.value(QLatin1String("compression")).toString(), QStringLiteral("gzip"));
    QCOMPARE(trace.value(QLatin1String("devices")).toArray().size(), 1);
    QCOMPARE(json.value(QLatin1String("traces")).toArray().size(), 1);
  }

  void countersAndAchievableRatesGoIntoTheRoofline() {
    const QString csv = file("ncu.csv");
    const auto report = [&](QStringList more) {
      return run(QStringList{QStringLiteral("report"), sample(), QStringLiteral("--format"),
                             QStringLiteral("json")} +
                 more);
    };
    const auto write = [&](const QByteArray& text) {
      QFile out(csv);
      QVERIFY(out.open(QIODevice::WriteOnly));
      out.write(text);
    };
    const QJsonObject plain = report({}).json();
    const QByteArray kernel = plain.value(QLatin1String("kernel_groups"))[0]
                                  .toObject()
                                  .value(QLatin1String("kernels"))[0]
                                  .toObject()
                                  .value(QLatin1String("name"))
                                  .toString()
                                  .toUtf8();
    const QByteArray counted =
        "==PROF== Connected to process 1\n"
        "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
        "\"0\",\"" +
        kernel + "\",\"dram__bytes.sum\",\"Mbyte\",\"1,234.5\"\n";
    QByteArray utf16("\xff\xfe");
    for (const char c : counted) utf16.append(c).append('\0');
    write(utf16);
    const QByteArray wide = report({QStringLiteral("--ncu"), csv}).out;
    write(counted);
    QCOMPARE(report({QStringLiteral("--ncu"), csv}).out, wide);
    const Outcome measured =
        report({QStringLiteral("--ncu"), csv, QStringLiteral("--achievable-tflops"),
                QStringLiteral("bf16=123"), QStringLiteral("--achievable-bandwidth=456")});
    QCOMPARE(measured.code, 0);
    const QJsonObject roofline = measured.json().value(QLatin1String("roofline")).toObject();
    const QJsonObject names = roofline.value(QLatin1String("measured"))[0].toObject();
    QCOMPARE(names.value(QLatin1String("by_whole_name")).toInt(), 1);
    QVERIFY(ns(names, "bytes_ns") > 0);
    const QJsonObject roofs = roofline.value(QLatin1String("roofs"))[0].toObject();
    const QJsonObject memory = roofs.value(QLatin1String("achievable_memory")).toObject();
    QCOMPARE(memory.value(QLatin1String("bytes_per_s")).toDouble(), 456e9);
    bool bf16 = false;
    for (const QJsonValue roof : roofs.value(QLatin1String("achievable")).toArray())
      bf16 = bf16 || roof.toObject().value(QLatin1String("flops_per_s")).toDouble() == 123e12;
    QVERIFY(bf16);
    write("no counters\n");
    const Outcome bad = report({QStringLiteral("--ncu"), csv});
    QCOMPARE(bad.code, 1);
    QVERIFY2(bad.err.contains(csv.toUtf8()) && bad.err.contains("ncu --csv"), bad.err.constData());
  }

  void theReportAddsUp() {
    const Outcome outcome = run(
        {QStringLiteral("report"), sample(), QStringLiteral("--format"), QStringLiteral("json")});
    QCOMPARE(outcome.code, 0);
    const QJsonObject report = outcome.json();
    for (const char* key : {"trace", "origin_ns", "windows", "steps", "devices", "idle_gaps",
                            "kernel_groups", "roofline", "critical_path", "bounds", "headline"})
      QVERIFY2(report.contains(QLatin1String(key)), key);
    QVERIFY(!report.value(QLatin1String("devices")).toArray().isEmpty());
    checkReport(report);
  }

  void windowsCanBeChosen() {
    const auto length = [&](const QStringList& choice) {
      const Outcome outcome =
          run(QStringList{QStringLiteral("report"), sample(), QStringLiteral("--format=json")} +
              choice);
      const QJsonArray windows = outcome.json().value(QLatin1String("windows")).toArray();
      return outcome.code == 0 ? ns(windows.at(0).toObject(), "length_ns") : -outcome.code;
    };
    QCOMPARE(length({QStringLiteral("--window"), QStringLiteral("1ms..2.000001ms")}), 1'000'001);
    // What was not recorded was not idle: a window ends with the recording.
    const qint64 recorded =
        ns(run({QStringLiteral("info"), sample(), QStringLiteral("--json")}).json(), "span_ns");
    QVERIFY(recorded > 2'000'000);
    QCOMPARE(length({QStringLiteral("--window"), QStringLiteral("1000..5000s")}), recorded - 1000);
    QVERIFY(length({QStringLiteral("--all")}) > 0);
    const QJsonArray steps = run({QStringLiteral("info"), sample(), QStringLiteral("--json")})
                                 .json()
                                 .value(QLatin1String("steps"))
                                 .toArray();
    const QJsonObject second = steps.at(1).toObject();
    QCOMPARE(length({QStringLiteral("--steps"), QString::number(ns(second, "number"))}),
             ns(second, "end_ns") - ns(second, "start_ns"));
    QCOMPARE(length({QStringLiteral("--steps"), QStringLiteral("5000..6000")}), -1);
    QCOMPARE(length({QStringLiteral("--window"), QStringLiteral("5000s..6000s")}), -1);
  }

  void whatIsAskedForStandsBeforeTheUsualWhatIfs() {
    const Outcome outcome =
        run({QStringLiteral("report"), sample(), QStringLiteral("--format=json"),
             QStringLiteral("--what-if"), QStringLiteral("cause:host_op=0.5"),
             QStringLiteral("--what-if=collectives=1")});
    QCOMPARE(outcome.code, 0);
    const QJsonObject whatIf =
        outcome.json().value(QLatin1String("what_if")).toArray().at(0).toObject();
    const QJsonArray changes = whatIf.value(QLatin1String("changes")).toArray();
    QVERIFY(changes.size() > 2);
    const QStringList asked{QStringLiteral("cause:host_op=0.5"), QStringLiteral("collectives=1")};
    for (int i = 0; i < changes.size(); ++i) {
      const QJsonObject change = changes.at(i).toObject();
      QCOMPARE(change.value(QLatin1String("asked")).toBool(), i < 2);
      if (i < 2) QCOMPARE(change.value(QLatin1String("change")).toString(), asked.at(i));
      QCOMPARE(ns(change, "step_ns"), ns(whatIf, "end_ns") - ns(whatIf, "start_ns"));
      QCOMPARE(ns(change, "saving_ns"), ns(change, "step_ns") - ns(change, "new_step_ns"));
      QVERIFY(!change.value(QLatin1String("assumptions")).toArray().isEmpty());
    }
    QCOMPARE(ns(changes.at(1).toObject(), "saving_ns"), 0);
  }

  void aWhatIfOfANameThatIsNotThereListsThoseThatAre() {
    const auto ask = [&](const char* change) {
      return run({QStringLiteral("report"), sample(), QStringLiteral("--format=json"),
                  QStringLiteral("--what-if"), QLatin1String(change)});
    };
    const Outcome unknownClass = ask("class:matmull=0.5");
    QCOMPARE(unknownClass.code, 2);
    QVERIFY2(
        unknownClass.err.contains("Did you mean matmul?") && unknownClass.err.contains("attention"),
        unknownClass.err.constData());
    const Outcome op = ask("op:aten::linea=0.5");
    QCOMPARE(op.code, 1);
    QVERIFY(!op.json().isEmpty());
    QVERIFY2(op.err.contains("Operators in it: like it: aten::linear"), op.err.constData());
    const Outcome kernel = ask("kernel:qqqq=0.5");
    QCOMPARE(kernel.code, 1);
    QVERIFY2(kernel.err.contains("Kernels in it: longest: "), kernel.err.constData());
    const Outcome none = ask("class:moe=0.5");  // a class, but of nothing here
    QCOMPARE(none.code, 0);
    QVERIFY2(none.err.contains("Classes in it: "), none.err.constData());
  }

  void theReportCanGoToAFile() {
    for (const char* format : {"md", "csv", "json"}) {
      const QString path = file("report.out");
      const Outcome outcome = run({QStringLiteral("report"), sample(), QStringLiteral("--format"),
                                   QLatin1String(format), QStringLiteral("-o"), path});
      QCOMPARE(outcome.code, 0);
      QVERIFY(outcome.out.isEmpty());
      QFile written(path);
      QVERIFY(written.open(QIODevice::ReadOnly));
      QVERIFY(written.readAll().contains(format == QByteArray("json") ? "by_cause" : "Idle gaps"));
    }
    QCOMPARE(run({QStringLiteral("report"), sample(), QStringLiteral("-o"), dir_.path()}).code, 1);
  }

  void peaksOfTheUserCount() {
    QFile peaks(file("peaks.json"));
    QVERIFY(peaks.open(QIODevice::WriteOnly));
    peaks.write("{\"version\": 1, \"devices\": [7]}");
    peaks.close();
    const Outcome outcome =
        run({QStringLiteral("report"), sample(), QStringLiteral("--peaks"), file("peaks.json")});
    QCOMPARE(outcome.code, 1);
    QVERIFY2(outcome.err.contains("peaks.json"), outcome.err.constData());
  }

  void classifyPrintsFourColumns() {
    const Outcome outcome =
        run({QStringLiteral("classify")},
            "ampere_sgemm_32x32_sliced1x4_tn\nMemcpy HtoD (Pageable -> Device)\n");
    QCOMPARE(outcome.code, 0);
    const QList<QByteArray> lines = outcome.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 2);
    for (const QByteArray& line : lines) QCOMPARE(line.split('\t').size(), 4);
    QCOMPARE(lines[0], QByteArray("gemm\tmatmul\tgemm\tmatmul"));
  }

  void everyRealTraceIsReadAndAddsUp_data() {
    QTest::addColumn<QString>("path");
    for (const char* folder : {"traces/kineto", "traces/derived"})
      for (const std::string& path : ridgeline::test::sharedFilesBelow(folder))
        if (path.find(".json") != std::string::npos && path.find("README") == std::string::npos)
          QTest::newRow(path.substr(path.rfind("traces/")).c_str()) << QString::fromStdString(path);
    if (ridgeline::test::sharedFolder().empty()) QTest::newRow("none") << QString();
  }

  void everyRealTraceIsReadAndAddsUp() {
    QFETCH(QString, path);
    if (path.isEmpty()) QSKIP("needs the real traces beside the checkout (../shared)");
    const Outcome outcome = run({QStringLiteral("report"), path, QStringLiteral("--format=json")});
    if (outcome.code == 1 && outcome.out.isEmpty()) {
      QVERIFY2(outcome.err.contains(path.toUtf8()), outcome.err.constData());  // refused, with why
      return;
    }
    QVERIFY2(outcome.code == 0, outcome.err.constData());
    const QJsonObject report = outcome.json();
    QVERIFY(balanced(report.value(QLatin1String("trace")).toObject()));
    checkReport(report);
    for (const QJsonValue rank : report.value(QLatin1String("ranks")).toArray())
      checkReport(rank.toObject());
  }
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
