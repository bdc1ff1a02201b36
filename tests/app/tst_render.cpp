#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace {

/// Two steps of one op and its kernel, as PyTorch writes them.
constexpr const char* kTrace = R"({"schemaVersion": 1, "deviceProperties":
  [{"id": 0, "name": "Tesla V100-DGXS-32GB", "totalGlobalMem": 34084028416}],
 "traceEvents": [
 {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": 100},
 {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "pid": 1, "tid": 1, "ts": 100, "dur": 100},
 {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 30},
 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 20, "dur": 5,
  "args": {"correlation": 1}},
 {"ph": "X", "cat": "kernel", "name": "volta_sgemm_64x64_nt", "pid": 0, "tid": 7, "ts": 40, "dur": 40,
  "args": {"correlation": 1, "device": 0, "stream": 7}},
 {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 110, "dur": 30},
 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 120, "dur": 5,
  "args": {"correlation": 2}},
 {"ph": "X", "cat": "kernel", "name": "volta_sgemm_64x64_nt", "pid": 0, "tid": 7, "ts": 140, "dur": 40,
  "args": {"correlation": 2, "device": 0, "stream": 7}}
]})";

constexpr const char* kRecipe = R"({"version": 1, "trace": "small.json", "window": {"step": "2"},
 "notes": ["from trace", {"kind": "bracket", "text": "the host", "from_ns": 100000, "to_ns": 140000}],
 "size": {"width": 1100, "scale": 1}, "title": "One step"})";

struct Outcome {
  int code = -1;
  QString out, err;
};

}  // namespace

/// The program as a script runs it, without a display.
class TestRender : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();

  void aRecipeGivesAPng();
  void theSameRecipeTwiceGivesTheSamePng();
  void aRecipeGivesAnSvgOfTexts();
  void anOverviewNeedsNoRecipe();
  void notesBesideTheTraceAreDrawn();
  void wrongUsageIsTwo_data();
  void wrongUsageIsTwo();
  void whatCannotBeDoneIsOneAndSaysWhy_data();
  void whatCannotBeDoneIsOneAndSaysWhy();

 private:
  [[nodiscard]] QString path(const char* name) const {
    return dir_.filePath(QString::fromLatin1(name));
  }
  void write(const char* name, const QByteArray& text) const {
    QFile file(path(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }
  [[nodiscard]] QByteArray read(const char* name) const {
    QFile file(path(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  [[nodiscard]] Outcome run(const QStringList& words) const {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
      environment.remove(QString::fromLatin1(name));
    // Qt says so on stderr when there is none.
    environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), dir_.path());
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(dir_.path());
    process.start(program_, words);
    if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit)
      return {-1, {}, QStringLiteral("crashed or hung")};
    return {process.exitCode(), QString::fromLocal8Bit(process.readAllStandardOutput()),
            QString::fromLocal8Bit(process.readAllStandardError())};
  }
  [[nodiscard]] Outcome render(const char* output) const {
    return run({QStringLiteral("--render"), QStringLiteral("recipe.json"), QStringLiteral("-o"),
                QString::fromLatin1(output)});
  }

  QTemporaryDir dir_;
  QString program_;
};

void TestRender::initTestCase() {
  program_ = qEnvironmentVariable("RIDGELINE_BIN") + QStringLiteral("/ridgeline");
  QVERIFY2(QFile::exists(program_), qPrintable(program_ + QStringLiteral(" is not built")));
  write("small.json", kTrace);
  write("recipe.json", kRecipe);
}

void TestRender::aRecipeGivesAPng() {
  const Outcome outcome = render("one.png");
  QCOMPARE(outcome.err, QString());
  QCOMPARE(outcome.code, 0);
  QVERIFY(outcome.out.contains(QStringLiteral("one.png")));
  QVERIFY(read("one.png").startsWith("\x89PNG"));
  // IHDR: the width is the four bytes from offset 16.
  const QByteArray png = read("one.png");
  const int width =
      (static_cast<unsigned char>(png[18]) << 8) | static_cast<unsigned char>(png[19]);
  QCOMPARE(width, 1100);
}

void TestRender::theSameRecipeTwiceGivesTheSamePng() {
  QCOMPARE(render("a.png").code, 0);
  QCOMPARE(render("b.png").code, 0);
  QVERIFY(!read("a.png").isEmpty());
  QCOMPARE(read("a.png"), read("b.png"));
}

void TestRender::aRecipeGivesAnSvgOfTexts() {
  QCOMPARE(render("one.svg").code, 0);
  const QString svg = QString::fromUtf8(read("one.svg"));
  for (const char* text : {"volta_sgemm_64x64_nt", "ProfilerStep#2", "One step", "the host",
                           "40.0 µs", "Tesla V100-DGXS-32GB", "small.json"})
    QVERIFY2(svg.contains(QString::fromUtf8(text)), text);
  QVERIFY(!svg.contains(QStringLiteral("<image")));
}

void TestRender::anOverviewNeedsNoRecipe() {
  const Outcome outcome =
      run({QStringLiteral("--overview"), QStringLiteral("all.png"), QStringLiteral("small.json")});
  QCOMPARE(outcome.err, QString());
  QCOMPARE(outcome.code, 0);
  QVERIFY(read("all.png").startsWith("\x89PNG"));
}

void TestRender::notesBesideTheTraceAreDrawn() {
  write("small.json.ridgeline.json",
        R"({"ridgeline": "notes", "version": 1, "next_id": 2, "notes": [{"id": 1, "kind": "callout",
            "text": "this one", "rank": 0, "from_ns": 140000, "to_ns": 180000, "event":
            {"track": "0/7", "name": "volta_sgemm_64x64_nt", "start_ns": 140000}}]})");
  const Outcome outcome = render("notes.svg");
  QFile::remove(path("small.json.ridgeline.json"));
  QCOMPARE(outcome.err, QString());
  QCOMPARE(outcome.code, 0);
  QVERIFY(read("notes.svg").contains("this one"));
}

void TestRender::wrongUsageIsTwo_data() {
  QTest::addColumn<QStringList>("words");
  const auto add = [](const char* name, const char* words) {
    QTest::newRow(name) << QString::fromLatin1(words).split(QLatin1Char(' '));
  };
  add("no output", "--render recipe.json");
  add("unknown ending", "--render recipe.json -o out.bmp");
  add("no trace", "--overview out.png");
  add("both", "--overview out.png --render recipe.json -o out.png small.json");
  add("unknown option", "--render recipe.json -o out.png --sideways");
  add("unknown theme", "--overview out.png --theme pink small.json");
}

void TestRender::wrongUsageIsTwo() {
  QFETCH(QStringList, words);
  const Outcome outcome = run(words);
  QCOMPARE(outcome.code, 2);
  QVERIFY(outcome.err.contains(QStringLiteral("usage:")));
}

void TestRender::whatCannotBeDoneIsOneAndSaysWhy_data() {
  QTest::addColumn<QByteArray>("recipe");
  QTest::addColumn<QString>("output");
  QTest::addColumn<QString>("said");
  const auto row = [](const char* name, const char* recipe, const char* output, const char* said) {
    QTest::newRow(name) << QByteArray(recipe) << QString::fromLatin1(output)
                        << QString::fromLatin1(said);
  };
  row("no such trace", R"({"version": 1, "trace": "none.json"})", "x.png", "none.json");
  row("no JSON", "{", "x.png", "recipe.json");
  row("no such step", R"({"version": 1, "trace": "small.json", "window": {"step": "7"}})", "x.png",
      "ProfilerStep#1");
  row("no such folder", R"({"version": 1, "trace": "small.json"})", "none/x.png", "none");
}

void TestRender::whatCannotBeDoneIsOneAndSaysWhy() {
  QFETCH(QByteArray, recipe);
  QFETCH(QString, output);
  QFETCH(QString, said);
  write("recipe.json", recipe);
  const Outcome outcome = render(output.toLatin1().constData());
  QCOMPARE(outcome.code, 1);
  QVERIFY2(outcome.err.contains(said), qPrintable(outcome.err));
  QVERIFY(!QFile::exists(path("x.png")));
}

QTEST_GUILESS_MAIN(TestRender)
#include "tst_render.moc"
