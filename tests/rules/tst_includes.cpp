#include <map>
#include <set>

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

namespace {

/// Which folders of the project a folder may include beside itself. A folder that is not here may
/// not exist: whoever adds one says here what it may know.
const std::map<QString, QStringList>& allowed() {
  const auto list = [](const char* words) {
    return QString::fromLatin1(words).split(QLatin1Char(' '), Qt::SkipEmptyParts);
  };
  static const std::map<QString, QStringList> folders = [&] {
    std::map<QString, QStringList> m;
    const auto add = [&](const char* folder, const char* may) {
      m[QString::fromLatin1(folder)] = list(may);
    };
    const QByteArray workload = "core/base core/trace core/hardware resources";
    const QByteArray analysis = workload + " core/workload";
    const QByteArray report = analysis + " core/analysis";
    const QByteArray core = report + " core/index core/io core/report core/documents";
    add("resources", "");
    add("core/base", "");
    add("core/trace", "core/base");
    add("core/index", "core/base core/trace");
    add("core/io", "core/base core/trace core/index");
    add("core/hardware", "core/base resources");
    add("core/workload", workload.constData());
    add("core/analysis", analysis.constData());
    add("core/report", report.constData());
    add("core/documents", "core/base core/trace");
    add("core/simulator", "core/base core/trace");
    const QByteArray timeline = core + " widgets/common";
    const QByteArray overlays = timeline + " widgets/timeline";
    const QByteArray models = core + " widgets/common widgets/charts";
    const QByteArray panels = models + " widgets/models";
    const QByteArray picture = panels + " widgets/panels widgets/timeline widgets/overlays";
    add("widgets/common", core.constData());
    add("widgets/timeline", timeline.constData());
    add("widgets/overlays", overlays.constData());
    add("widgets/charts", timeline.constData());
    add("widgets/models", models.constData());
    add("widgets/panels", panels.constData());
    add("widgets/picture", picture.constData());
    const QByteArray commandLine = core + " core/simulator";
    const QByteArray desktop = picture + " core/simulator widgets/picture";
    add("app/cli", commandLine.constData());
    add("app/desktop", desktop.constData());
    return m;
  }();
  return folders;
}

struct Source {
  QString path;    ///< from the root of the repository
  QString folder;  ///< "core/base"
  QStringList lines;
};

const std::vector<Source>& sources() {
  static const std::vector<Source> all = [] {
    std::vector<Source> found;
    const QDir root(QStringLiteral(RIDGELINE_SOURCE_DIR));
    for (const char* top : {"core", "widgets", "app", "resources", "tests"}) {
      QDirIterator it(root.filePath(QLatin1String(top)),
                      {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files,
                      QDirIterator::Subdirectories);
      while (it.hasNext()) {
        QFile file(it.next());
        if (!file.open(QIODevice::ReadOnly)) continue;
        Source source;
        source.path = root.relativeFilePath(file.fileName());
        source.folder = source.path.left(source.path.lastIndexOf(QLatin1Char('/')));
        source.lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
        found.push_back(std::move(source));
      }
    }
    return found;
  }();
  return all;
}

/// Calls visit(source, included, isSystem) for each #include.
template <class Visit>
void forEachInclude(Visit&& visit) {
  static const QRegularExpression line(QStringLiteral("^\\s*#\\s*include\\s*([<\"])([^>\"]+)"));
  for (const Source& source : sources())
    for (const QString& text : source.lines)
      if (const auto match = line.match(text); match.hasMatch())
        visit(source, match.captured(2), match.captured(1) == QLatin1String("<"));
}

QString said(const QStringList& problems) {
  return problems.join(QLatin1Char('\n'));
}

bool isQt(const QString& header) {
  static const QRegularExpression qt(QStringLiteral("^(Q[A-Z]|Qt[A-Z]|qt|q[a-z]+\\.h)"));
  return qt.match(header).hasMatch();
}

QString read(const char* path) {
  QFile file(QDir(QStringLiteral(RIDGELINE_SOURCE_DIR)).filePath(QLatin1String(path)));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

}  // namespace

/// The layering of the tree and other things that no compiler checks.
class TestIncludes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void foldersIncludeOnlyWhatTheyMayKnow() {
    QVERIFY(sources().size() > 50);
    QStringList problems;
    forEachInclude([&](const Source& source, const QString& header, bool system) {
      if (system || source.path.startsWith(QLatin1String("tests/"))) return;
      if (header.endsWith(QLatin1String(".moc"))) return;
      const QString target = header.left(header.lastIndexOf(QLatin1Char('/')));
      if (target == source.folder) return;
      const auto entry = allowed().find(source.folder);
      if (entry == allowed().end())
        problems << source.path + QStringLiteral(": its folder is not in the list of this test");
      else if (!entry->second.contains(target))
        problems << source.path + QStringLiteral(" must not include ") + header;
    });
    QVERIFY2(problems.isEmpty(), qPrintable(said(problems)));
  }

  void noFolderIsInACircle() {
    std::map<QString, std::set<QString>> includes;
    forEachInclude([&](const Source& source, const QString& header, bool system) {
      const QString target = header.left(header.lastIndexOf(QLatin1Char('/')));
      if (!system && target != source.folder) includes[source.folder].insert(target);
    });
    // Everything that a folder reaches; one that reaches itself is in a circle.
    for (const auto& [folder, direct] : includes) {
      std::set<QString> reached;
      std::vector<QString> open(direct.begin(), direct.end());
      while (!open.empty()) {
        const QString next = open.back();
        open.pop_back();
        if (!reached.insert(next).second) continue;
        for (const QString& further : includes[next]) open.push_back(further);
      }
      QVERIFY2(!reached.count(folder), qPrintable(folder + QStringLiteral(" is in a circle")));
    }
  }

  void theCoreAndTheCommandLineKnowNoQt() {
    QStringList problems;
    forEachInclude([&](const Source& source, const QString& header, bool system) {
      const bool qtFree = source.path.startsWith(QLatin1String("core/")) ||
                          source.path.startsWith(QLatin1String("app/cli/"));
      if (qtFree && system && isQt(header)) problems << source.path + QLatin1Char(' ') + header;
    });
    QVERIFY2(problems.isEmpty(), qPrintable(said(problems)));
  }

  void onlyTheChartsFolderKnowsQtCharts() {
    static const QRegularExpression charts(
        QStringLiteral("^(QtCharts|QChart|QAbstractAxis|QAbstractSeries|QXYSeries|Q\\w*Axis$|"
                       "Q(Line|Scatter|Spline|Area|Bar|Pie)\\w*Series|QLegend)"));
    QStringList problems;
    forEachInclude([&](const Source& source, const QString& header, bool system) {
      if (system && source.folder != QLatin1String("widgets/charts") &&
          charts.match(header).hasMatch())
        problems << source.path + QLatin1Char(' ') + header;
    });
    QVERIFY2(problems.isEmpty(), qPrintable(said(problems)));
  }

  void widgetsTouchNoFilesAndNoSettings() {
    // QSaveFile is not in the list: an export is written to the path that the program hands over.
    static const QSet<QString> forbidden{
        QStringLiteral("QFile"),   QStringLiteral("QSettings"),   QStringLiteral("QDir"),
        QStringLiteral("fstream"), QStringLiteral("QMainWindow"), QStringLiteral("filesystem")};
    QStringList problems;
    forEachInclude([&](const Source& source, const QString& header, bool system) {
      if (system && source.path.startsWith(QLatin1String("widgets/")) && forbidden.contains(header))
        problems << source.path + QLatin1Char(' ') + header;
    });
    QVERIFY2(problems.isEmpty(), qPrintable(said(problems)));
  }

  void filesStaySmall() {
    // Longer ones, each with its reason.
    static const QSet<QString> exceptions{};
    QStringList problems;
    for (const Source& source : sources()) {
      // Tests are tables of cases and may be somewhat longer.
      const qsizetype most = source.path.startsWith(QLatin1String("tests/")) ? 700 : 500;
      if (source.lines.size() > most + 1 && !exceptions.contains(source.path))
        problems << QStringLiteral("%1: %2 lines").arg(source.path).arg(source.lines.size());
    }
    QVERIFY2(problems.isEmpty(), qPrintable(said(problems)));
  }

  void headersAreIncludedOnce() {
    for (const Source& source : sources())
      if (source.path.endsWith(QLatin1String(".h")))
        QVERIFY2(source.lines.contains(QStringLiteral("#pragma once")), qPrintable(source.path));
  }

  void theReadmeShowsTheTwoCommandsAndTheyExist() {
    const QString readme = read("README.md");
    for (const char* command : {"packaging/run", "packaging/test"}) {
      QVERIFY2(readme.contains(QLatin1String(command)), command);
      const QFileInfo script(
          QDir(QStringLiteral(RIDGELINE_SOURCE_DIR)).filePath(QLatin1String(command)));
      QVERIFY2(script.isExecutable(), command);
    }
    QVERIFY(read(".ci/run").contains(QLatin1String("packaging/test")));
  }

  void pathsInTheReadmesExist() {
    static const QRegularExpression link(QStringLiteral("\\]\\((?!https?:|#)([^)#]+)\\)"));
    const QDir root(QStringLiteral(RIDGELINE_SOURCE_DIR));
    QStringList problems;
    for (const char* readme : {"README.md", "core/README.md"}) {
      const QDir folder = QFileInfo(root.filePath(QLatin1String(readme))).dir();
      for (auto it = link.globalMatch(read(readme)); it.hasNext();)
        if (const QString target = it.next().captured(1); !folder.exists(target))
          problems << QLatin1String(readme) + QStringLiteral(": ") + target;
    }
    QVERIFY2(problems.isEmpty(), qPrintable(said(problems)));
  }

  void noRecordingIsCommitted() {
    // Traces come from the generator, at build time; a real one may hold what its owner did not
    // mean to publish.
    QStringList problems;
    const QDir root(QStringLiteral(RIDGELINE_SOURCE_DIR));
    for (const QString& top : root.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
      if (top == QLatin1String("build")) continue;
      QDirIterator it(root.filePath(top), QDir::Files, QDirIterator::Subdirectories);
      while (it.hasNext()) {
        const QString path = root.relativeFilePath(it.next());
        static const QRegularExpression recording(
            QStringLiteral("\\.(gz|zst|sqlite|perfetto-trace|nsys-rep)$|\\.pt\\.trace\\.json"));
        if (recording.match(path).hasMatch()) problems << path;
      }
    }
    QVERIFY2(problems.isEmpty(), qPrintable(said(problems)));
  }
};

QTEST_GUILESS_MAIN(TestIncludes)
#include "tst_includes.moc"
