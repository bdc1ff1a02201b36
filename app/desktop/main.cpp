#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QScreen>
#include <QSettings>
#include <QTextDocumentFragment>
#include <QTimer>

#include "app/desktop/first_frame.h"
#include "app/desktop/main_window.h"
#include "app/desktop/render_command.h"
#include "app/desktop/wiring.h"
#include "widgets/common/message_bar.h"
#include "widgets/timeline/timeline_pane.h"

namespace {

int wrongUsage(const QString& what) {
  std::fprintf(stderr, "ridgeline: %s\n", qPrintable(what));
  return 2;
}

/// Whether all that is asked for is words.
bool wantsWords(int argc, char** argv) {
  static constexpr std::array<std::string_view, 5> kWords = {"-h", "--help", "--help-all", "-v",
                                                             "--version"};
  return std::any_of(argv + 1, argv + argc, [](const char* argument) {
    return std::find(kWords.begin(), kWords.end(), argument) != kWords.end();
  });
}

/// For the project's own pictures: shows the window, waits until it is at rest, saves what it
/// shows, and ends the program. What cannot be opened is no picture.
void saveScreenshot(ridgeline::MainWindow& window, const QString& file) {
  QObject::connect(&window, &ridgeline::MainWindow::openEnded, &window, [&window](bool ok) {
    if (ok) return;
    const QString text = QTextDocumentFragment::fromHtml(window.messages().text()).toPlainText();
    std::fprintf(stderr, "ridgeline: %s\n", qPrintable(text));
    QApplication::exit(1);
  });
  auto* wait = new QTimer(&window);
  wait->setInterval(100);
  QObject::connect(wait, &QTimer::timeout, &window, [&window, file, calm = 0]() mutable {
    calm = window.isOpening() ? 0 : calm + 1;
    if (calm < 15) return;
    const bool saved = window.grab().save(file);
    if (!saved)
      std::fprintf(stderr, "ridgeline: %s cannot be written: name a .png in a folder that exists\n",
                   qPrintable(file));
    QApplication::exit(saved ? 0 : 1);
  });
  wait->start();
}

}  // namespace

int main(int argc, char** argv) {
  QElapsedTimer sinceMain;
  sinceMain.start();
  const bool picture = ridgeline::wantsPicture(argc, argv);
  // No window, so no display: the same picture everywhere.
  if ((picture || wantsWords(argc, argv)) && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  QApplication::setApplicationName(QStringLiteral("ridgeline"));
  QApplication::setOrganizationName(QStringLiteral("ridgeline"));
  QApplication::setApplicationVersion(QStringLiteral(RIDGELINE_VERSION));
  if (picture) return ridgeline::renderCommand(QApplication::arguments());

  QCommandLineParser parser;
  parser.setApplicationDescription(
      QApplication::translate("main",
                              "Shows what a training or inference step is waiting for.\n\n"
                              "Without a window:\n"
                              "  ridgeline --overview OUT.png|.svg|.pdf TRACE…\n"
                              "  ridgeline --render RECIPE.json -o OUT.png|.svg|.pdf"));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption theme(QStringLiteral("theme"),
                                 QApplication::translate("main", "light, dark or system."),
                                 QStringLiteral("name"));
  QCommandLineOption screenshot(QStringLiteral("screenshot"), QString(), QStringLiteral("file"));
  screenshot.setFlags(QCommandLineOption::HiddenFromHelp);
  QCommandLineOption size(QStringLiteral("window-size"), QString(), QStringLiteral("WxH"));
  size.setFlags(QCommandLineOption::HiddenFromHelp);
  QCommandLineOption panel(QStringLiteral("panel"), QString(), QStringLiteral("id"));
  panel.setFlags(QCommandLineOption::HiddenFromHelp);
  QCommandLineOption firstFrame(QStringLiteral("until-first-frame"));
  firstFrame.setFlags(QCommandLineOption::HiddenFromHelp);
  parser.addOptions({theme, screenshot, size, panel, firstFrame});
  parser.addPositionalArgument(QStringLiteral("traces"),
                               QApplication::translate("main", "Traces to open together."),
                               QStringLiteral("[TRACE…]"));
  parser.process(app);
  const QStringList themes = {QStringLiteral("light"), QStringLiteral("dark"),
                              QStringLiteral("system")};
  if (parser.isSet(theme) && !themes.contains(parser.value(theme)))
    return wrongUsage(
        QStringLiteral("--theme is light, dark or system, not \"%1\"").arg(parser.value(theme)));

  ridgeline::MainWindow window;
  const QString themeName = parser.isSet(theme)
                                ? parser.value(theme)
                                : QSettings().value(QStringLiteral("theme")).toString();
  window.setTheme(ridgeline::themeNamed(themeName));
  ridgeline::wire(window);
  if (!parser.isSet(screenshot)) window.restoreLayout();
  if (parser.isSet(panel) && !window.panelNames().contains(parser.value(panel)))
    return wrongUsage(
        QStringLiteral("there is no panel \"%1\"; there are %2")
            .arg(parser.value(panel), window.panelNames().join(QStringLiteral(", "))));
  const QStringList wanted = parser.value(size).split(QLatin1Char('x'));
  const QSize asked = wanted.size() == 2 ? QSize(wanted[0].toInt(), wanted[1].toInt()) : QSize();
  if (parser.isSet(size) && asked.isEmpty())
    return wrongUsage(
        QStringLiteral("--window-size is like 1600x1000, not \"%1\"").arg(parser.value(size)));
  if (parser.isSet(size)) window.resize(asked);
  if (parser.isSet(firstFrame)) new ridgeline::FirstFrame(window, sinceMain);
  window.show();
  if (parser.isSet(panel)) window.showPanel(parser.value(panel));
  if (parser.isSet(screenshot)) saveScreenshot(window, parser.value(screenshot));
  if (!parser.positionalArguments().isEmpty()) window.openFiles(parser.positionalArguments());
  return QApplication::exec();
}
