#include "app/desktop/export_actions.h"

#include <algorithm>

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QSettings>

#include "app/desktop/export_dialog.h"
#include "app/desktop/main_window.h"
#include "app/desktop/picture_file.h"
#include "widgets/common/message_bar.h"
#include "widgets/picture/timeline_picture.h"
#include "widgets/timeline/timeline_pane.h"
#include "widgets/timeline/timeline_renderer.h"

namespace ridgeline {

ExportWishes ExportWishes::remembered(const MainWindow& window) {
  const QSettings settings;
  const auto value = [&settings](const char* key, const QVariant& otherwise) {
    return settings.value(QStringLiteral("picture/") + QString::fromLatin1(key), otherwise);
  };
  ExportWishes wishes;
  wishes.scale = std::clamp(value("scale", wishes.scale).toDouble(), 0.5, 8.0);
  wishes.dark = value("dark", Palette::of(window.palette()).dark).toBool();
  wishes.legend = value("legend", wishes.legend).toBool();
  wishes.caption = value("caption", wishes.caption).toBool();
  wishes.allRows = value("all_rows", wishes.allRows).toBool();
  return wishes;
}

void ExportWishes::remember() const {
  QSettings settings;
  settings.setValue(QStringLiteral("picture/scale"), scale);
  settings.setValue(QStringLiteral("picture/dark"), dark);
  settings.setValue(QStringLiteral("picture/legend"), legend);
  settings.setValue(QStringLiteral("picture/caption"), caption);
  settings.setValue(QStringLiteral("picture/all_rows"), allRows);
}

Picture pictureOfWindow(MainWindow& window, const Analyses* analyses, const ExportWishes& wishes) {
  TimelineScene scene = window.timeline().fullScene();
  scene.palette = wishes.dark ? &Palette::darkTheme() : &Palette::light();
  TimelinePictureOptions options;
  options.title = wishes.title;
  options.legend = wishes.legend;
  options.caption = wishes.caption;
  options.width = wishes.width;
  options.fitRows = wishes.allRows;
  // No empty space below the last row.
  const double rows = scene.rulerHeight + scene.layout->height() - scene.scrollY + 4;
  scene.size.setHeight(std::min(scene.size.height(), std::max(rows, 80.0)));
  return timelinePicture(std::move(scene), options, analyses);
}

void exportPicture(MainWindow& window, const Analyses* analyses) {
  if (!window.session().hasDocument()) return;
  ExportWishes wishes = ExportWishes::remembered(window);
  wishes.title = pictureTitle(window.session());
  wishes.width =
      static_cast<int>(window.timeline().fullScene().size.width() + 2 * Picture::kMargin);
  if (!askForWishes(window, wishes)) return;
  wishes.remember();

  QSettings settings;
  const QString folder =
      settings.value(QStringLiteral("picture/folder"), QDir::homePath()).toString();
  const QString filters[] = {MainWindow::tr("PNG image (*.png)"),
                             MainWindow::tr("SVG drawing (*.svg)"),
                             MainWindow::tr("PDF document (*.pdf)")};
  const QString endings[] = {QStringLiteral(".png"), QStringLiteral(".svg"),
                             QStringLiteral(".pdf")};
  QString chosen = settings.value(QStringLiteral("picture/filter"), filters[0]).toString();
  QString path = QFileDialog::getSaveFileName(
      &window, MainWindow::tr("Export picture"),
      folder + QLatin1Char('/') + pictureTitle(window.session()),
      filters[0] + QStringLiteral(";;") + filters[1] + QStringLiteral(";;") + filters[2], &chosen);
  if (path.isEmpty()) return;
  if (!isPictureName(path)) {
    // What the chosen filter says; the dialog has not asked whether that file may be replaced.
    for (int i = 0; i < 3; ++i)
      if (chosen == filters[i]) path += endings[i];
    if (!isPictureName(path)) path += endings[0];
    if (QFileInfo::exists(path)) {
      window.messages().showMessage(
          MessageBar::Kind::warning,
          MainWindow::tr("%1 exists already").arg(QDir::toNativeSeparators(path)),
          MainWindow::tr("Export again and choose it, or another name."));
      return;
    }
  }
  settings.setValue(QStringLiteral("picture/folder"), QFileInfo(path).path());
  settings.setValue(QStringLiteral("picture/filter"), chosen);
  const Status written =
      writePicture(pictureOfWindow(window, analyses, wishes), path, wishes.scale);
  if (written.ok())
    window.messages().showMessage(
        MessageBar::Kind::note,
        MainWindow::tr("Picture written: %1").arg(QDir::toNativeSeparators(path)));
  else if (written.failed())
    window.messages().showMessage(MessageBar::Kind::error,
                                  MainWindow::tr("The picture was not written: %1")
                                      .arg(QString::fromStdString(written.error().what)),
                                  QString::fromStdString(written.error().todo));
}

void addExportActions(MainWindow& window, const Analyses* analyses) {
  auto* action = new QAction(MainWindow::tr("&Export picture…"), &window);
  action->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_E));
  action->setToolTip(MainWindow::tr("What is on screen, as PNG, SVG or PDF"));
  action->setEnabled(window.session().hasDocument());
  QObject::connect(action, &QAction::triggered, &window,
                   [&window, analyses] { exportPicture(window, analyses); });
  QObject::connect(&window.session(), &Session::documentChanged, action,
                   [&window, action] { action->setEnabled(window.session().hasDocument()); });
  // Above the line before Quit.
  const QList<QAction*> present = window.fileMenu()->actions();
  window.fileMenu()->insertAction(present.size() >= 2 ? present[present.size() - 2] : nullptr,
                                  action);
}

}  // namespace ridgeline
