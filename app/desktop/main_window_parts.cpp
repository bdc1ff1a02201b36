#include "app/desktop/main_window_parts.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QSettings>

#include "app/desktop/main_window.h"
#include "widgets/common/format.h"
#include "widgets/timeline/timeline_keys.h"
#include "widgets/timeline/timeline_pane.h"

namespace ridgeline {

namespace {
constexpr int kRecentFiles = 12;
}

void showKeyList(MainWindow& window) {
  auto* list = new QFrame(&window, Qt::Popup);
  list->setFrameShape(QFrame::StyledPanel);
  list->setWindowTitle(MainWindow::tr("Keys"));
  list->setAttribute(Qt::WA_DeleteOnClose);
  auto* grid = new QGridLayout(list);
  grid->setContentsMargins(22, 18, 22, 18);
  grid->setHorizontalSpacing(24);
  int row = 0;
  for (const KeyHelp& help : timelineKeys()) {
    auto* keys = new QLabel(help.keys, list);
    QFont bold = keys->font();
    bold.setWeight(QFont::DemiBold);
    keys->setFont(bold);
    grid->addWidget(keys, row, 0);
    grid->addWidget(new QLabel(help.what, list), row++, 1);
  }
  list->adjustSize();
  list->move(window.mapToGlobal(window.rect().center()) - list->rect().center());
  list->show();
}

void addSliceActions(QMenu& menu, MainWindow& window) {
  const SliceRef slice = window.timeline().view().hover().slice;
  if (!slice.valid()) return;
  Session& session = window.session();
  const Trace& trace = session.trace(slice.rank);
  const std::string_view name = trace.name(slice.id);
  const QString text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
  menu.addAction(MainWindow::tr("Zoom to it"), &session,
                 [&session, slice] { session.requestZoomTo(slice); });
  menu.addAction(MainWindow::tr("Select all of this name"), &session, [&session, slice, text] {
    const Trace& t = session.trace(slice.rank);
    std::vector<SliceRef> same;
    const StringId id = t.slices().name[slice.id.index()];
    for (std::size_t i = 0; i < t.slices().size(); ++i)
      if (t.slices().name[i] == id) same.push_back({slice.rank, SliceId(i)});
    const auto count = static_cast<qint64>(same.size());
    session.setSelected(
        std::move(same),
        MainWindow::tr("%1 · %2 calls").arg(shortKernelName(text), formatCount(count)));
  });
  menu.addAction(MainWindow::tr("Copy name"), &session,
                 [text] { QApplication::clipboard()->setText(text); });
}

void MainWindow::askForFiles() {
  const QSettings settings;
  const QString folder =
      QFileInfo(settings.value(QStringLiteral("recent")).toStringList().value(0)).path();
  openFiles(QFileDialog::getOpenFileNames(
      this, tr("Open traces"), folder,
      tr("Traces (*.json *.json.gz *.gz *.json.zst *.zst *.trace *.sqlite *.tar *.tgz)"
         ";;All files (*)")));
}

void MainWindow::askForFolder() {
  const QSettings settings;
  const QString last =
      QFileInfo(settings.value(QStringLiteral("recent")).toStringList().value(0)).path();
  const QString folder =
      QFileDialog::getExistingDirectory(this, tr("Open a folder of traces"), last);
  if (!folder.isEmpty()) openFiles({folder});
}

void MainWindow::listRecentFiles() {
  recentMenu_->clear();
  for (const QString& path : QSettings().value(QStringLiteral("recent")).toStringList()) {
    QAction* action = recentMenu_->addAction(QFileInfo(path).fileName(), this,
                                             [this, path] { openFiles({path}); });
    action->setToolTip(path);
    action->setEnabled(QFileInfo::exists(path));
  }
  recentMenu_->setToolTipsVisible(true);
  if (recentMenu_->isEmpty()) recentMenu_->addAction(tr("(none yet)"))->setEnabled(false);
}

void MainWindow::rememberFile(const QStringList& paths) {
  QSettings settings;
  QStringList recent = settings.value(QStringLiteral("recent")).toStringList();
  for (const QString& path : paths) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    recent.removeAll(absolute);
    recent.prepend(absolute);
  }
  settings.setValue(QStringLiteral("recent"), recent.mid(0, kRecentFiles));
}

}  // namespace ridgeline
