#include "app/desktop/main_window.h"

#include <algorithm>

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QProgressBar>
#include <QSettings>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/desktop/main_window_parts.h"
#include "core/io/same_files.h"
#include "core/trace/wall_clock.h"
#include "widgets/common/format.h"
#include "widgets/common/message_bar.h"
#include "widgets/timeline/timeline_pane.h"

namespace ridgeline {

namespace {
constexpr int kLayoutVersion = 1;  // raise when docks of the same id mean something else
constexpr int kProgressDelayMs = 100;
}  // namespace

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent) {
  setWindowTitle(tr("Ridgeline"));
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks | GroupedDragging);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  resize(1440, 900);
  makeCentre();
  makeActions();
  makeStatusLine();
  connectOpening();
}

// Closed first: a window that is shown tells its widgets when it goes, and they ask the session,
// which is gone by the time that ~QWidget would close it.
MainWindow::~MainWindow() {
  hide();
}

void MainWindow::makeCentre() {
  auto* centre = new QWidget(this);
  centre_ = new QVBoxLayout(centre);
  centre_->setContentsMargins(0, 0, 0, 0);
  centre_->setSpacing(0);
  messages_ = new MessageBar(centre);
  pane_ = new TimelinePane(session_, centre);
  centre_->addWidget(messages_);
  centre_->addWidget(pane_, 1);
  setCentralWidget(centre);
  connect(&pane_->view(), &TimelineView::keysHelpRequested, this, &MainWindow::showKeys);
  connect(&pane_->view(), &TimelineView::menuRequested, this, &MainWindow::showTimelineMenu);
}

void MainWindow::makeActions() {
  fileMenu_ = menuBar()->addMenu(tr("&File"));
  viewMenu_ = menuBar()->addMenu(tr("&View"));
  overlaysMenu_ = menuBar()->addMenu(tr("&Overlays"));
  QMenu* help = menuBar()->addMenu(tr("&Help"));

  QAction* open = fileMenu_->addAction(tr("&Open…"), this, &MainWindow::askForFiles);
  open->setShortcut(QKeySequence::Open);
  open->setToolTip(tr("Open one trace or archive, or the traces of several ranks together"));
  QAction* folder = fileMenu_->addAction(tr("Open &folder…"), this, &MainWindow::askForFolder);
  folder->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O));
  folder->setToolTip(tr("Open all traces in a folder together, as the ranks of one job"));
  recentMenu_ = fileMenu_->addMenu(tr("Open &recent"));
  connect(recentMenu_, &QMenu::aboutToShow, this, &MainWindow::listRecentFiles);
  fileMenu_->addSeparator();
  QAction* quit = fileMenu_->addAction(tr("&Quit"), this, &QWidget::close);
  quit->setShortcut(QKeySequence::Quit);

  TimeView& time = session_.view();
  QAction* fit = viewMenu_->addAction(tr("Show &all") + u"\t0", &time, &TimeView::showAll);
  fit->setToolTip(tr("Show the whole recording (0)"));
  QAction* toSelection = viewMenu_->addAction(tr("Zoom to &selection") + u"\tF", &pane_->view(),
                                              &TimelineView::zoomToSelection);
  toSelection->setToolTip(tr("Zoom to what is selected (F)"));
  QAction* back =
      viewMenu_->addAction(tr("Earlier view") + u"\tAlt+Left", &time, &TimeView::goBack);
  back->setIconText(QStringLiteral("◀"));
  back->setToolTip(tr("Back to the earlier view (Alt+Left)"));
  QAction* forward =
      viewMenu_->addAction(tr("Later view") + u"\tAlt+Right", &time, &TimeView::goForward);
  forward->setIconText(QStringLiteral("▶"));
  forward->setToolTip(tr("Forward again (Alt+Right)"));
  viewMenu_->addSeparator();
  QAction* quiet = viewMenu_->addAction(tr("Show &quiet threads"));
  quiet->setCheckable(true);
  connect(quiet, &QAction::toggled, &pane_->view(), &TimelineView::setQuietShown);
  connect(&pane_->view(), &TimelineView::layoutChanged, quiet,
          [this, quiet] { quiet->setChecked(pane_->view().folds().quietShown); });
  panelsMenu_ = viewMenu_->addMenu(tr("&Panels"));
  QMenu* themeMenu = viewMenu_->addMenu(tr("&Theme"));
  themes_ = new QActionGroup(this);
  for (const Theme theme : {Theme::system, Theme::light, Theme::dark}) {
    const QString names[] = {tr("As the desktop"), tr("Light"), tr("Dark")};
    QAction* action = themeMenu->addAction(names[static_cast<int>(theme)]);
    action->setCheckable(true);
    action->setData(nameOf(theme));
    themes_->addAction(action);
    connect(action, &QAction::triggered, this, [this, theme] { setTheme(theme); });
  }
  help->addAction(tr("&Keys") + u"\t?", this, &MainWindow::showKeys)
      ->setToolTip(tr("All keys (?)"));

  const auto enable = [this, back, forward, fit, toSelection] {
    back->setEnabled(session_.view().canGoBack());
    forward->setEnabled(session_.view().canGoForward());
    fit->setEnabled(session_.hasDocument());
    toSelection->setEnabled(session_.hasDocument());
  };
  connect(&time, &TimeView::historyChanged, this, enable);
  connect(&session_, &Session::documentChanged, this, enable);
  enable();

  toolBar_ = addToolBar(tr("Main"));
  toolBar_->setObjectName(QStringLiteral("main-toolbar"));
  toolBar_->setMovable(false);
  toolBar_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  open->setIconText(tr("Open"));
  fit->setIconText(tr("Fit"));
  for (QAction* action : {open, fit, back, forward}) toolBar_->addAction(action);
  toolBar_->addSeparator();
  auto* length = new QLabel(toolBar_);
  length->setContentsMargins(8, 0, 8, 0);
  length->setToolTip(tr("How much time is in view"));
  toolBarEnd_ = toolBar_->addWidget(length);
  connect(&time, &TimeView::spanChanged, length, [this, length] {
    length->setText(session_.hasDocument()
                        ? tr("in view %1").arg(formatDuration(session_.view().span().length()))
                        : QString());
  });
  auto* overlays = new QToolButton(toolBar_);
  overlays->setText(tr("Overlays"));
  overlays->setMenu(overlaysMenu_);
  overlays->setPopupMode(QToolButton::InstantPopup);
  toolBar_->addWidget(overlays);
}

void MainWindow::makeStatusLine() {
  status_ = new QLabel(this);
  progressText_ = new QLabel(this);
  progress_ = new QProgressBar(this);
  cancel_ = new QToolButton(this);
  cancel_->setText(tr("Cancel"));
  progress_->setFixedWidth(220);
  progress_->setTextVisible(false);
  progress_->setMaximumHeight(12);
  statusBar()->addWidget(status_, 1);
  for (QWidget* part : {static_cast<QWidget*>(progressText_), static_cast<QWidget*>(progress_),
                        static_cast<QWidget*>(cancel_)}) {
    statusBar()->addPermanentWidget(part);
    part->hide();
  }
  connect(cancel_, &QToolButton::clicked, &open_, &OpenJob::cancel);
  connect(&session_, &Session::activeChanged, this, &MainWindow::updateStatus);
  connect(&session_, &Session::selectionChanged, this, &MainWindow::updateStatus);
  connect(&session_, &Session::markedChanged, this, &MainWindow::updateStatus);
  connect(&session_, &Session::documentChanged, this, &MainWindow::updateStatus);
}

void MainWindow::connectOpening() {
  const auto showProgress = [this](bool on) {
    progressText_->setVisible(on);
    progress_->setVisible(on);
    cancel_->setVisible(on);
  };
  progressDelay_.setSingleShot(true);
  progressDelay_.setInterval(kProgressDelayMs);
  connect(&progressDelay_, &QTimer::timeout, this, [showProgress] { showProgress(true); });
  connect(&open_, &OpenJob::started, this, [this] {
    progress_->setRange(0, 0);
    progressText_->setText(
        tr("Opening %1").arg(QFileInfo(QDir::cleanPath(open_.paths().value(0))).fileName()));
    progressDelay_.start();
  });
  connect(&open_, &OpenJob::progressed, this, [this](double share, const QString& text) {
    progress_->setRange(0, share < 0 ? 0 : 1000);
    if (share >= 0) progress_->setValue(static_cast<int>(share * 1000));
    if (!text.isEmpty()) progressText_->setText(text);
  });
  const auto ended = [this, showProgress] {
    progressDelay_.stop();
    showProgress(false);
  };
  connect(&open_, &OpenJob::finished, this,
          [this, ended](const std::vector<LoadedTrace>& ranks, TimeSpan firstView) {
            ended();
            opened(ranks, firstView);
            Q_EMIT openEnded(true);
          });
  connect(&open_, &OpenJob::failed, this, [this, ended](const Error& error) {
    ended();
    messages_->showMessage(
        MessageBar::Kind::error,
        tr("Not opened: %1: %2")
            .arg(QString::fromStdString(error.where), QString::fromStdString(error.what)),
        QString::fromStdString(error.todo));
    Q_EMIT openEnded(false);
  });
  connect(&open_, &OpenJob::cancelled, this, [this, ended] {
    ended();
    statusBar()->showMessage(session_.hasDocument()
                                 ? tr("Opening was cancelled; the trace shown before stays.")
                                 : tr("Opening was cancelled."),
                             5000);
    Q_EMIT openEnded(false);
  });
}

void MainWindow::openFiles(const QStringList& paths) {
  if (paths.isEmpty()) return;
  messages_->hide();
  std::vector<std::string> names;
  for (const QString& path : paths) names.push_back(QFile::encodeName(path).toStdString());
  const NamedOnce named = namedOnce(names);
  QStringList once;
  left_.clear();
  for (const std::string& path : named.paths) once << QFile::decodeName(path.c_str());
  for (const std::string& sentence : named.sentences())
    left_ << QString::fromStdString(sentence) + u'.';
  tellWhatWasLeft();
  open_.start(once);
}

void MainWindow::tellWhatWasLeft() {
  if (!left_.isEmpty()) messages_->showMessage(MessageBar::Kind::note, left_.join(u' '));
}

void MainWindow::opened(const std::vector<LoadedTrace>& ranks, TimeSpan first) {
  const QStringList paths = open_.paths();
  const QString name = QFileInfo(QDir::cleanPath(paths.value(0))).fileName();
  const QString title =
      paths.size() > 1 ? tr("%1 and %n more", nullptr, static_cast<int>(paths.size()) - 1).arg(name)
                       : name;
  std::optional<TimeSpan> firstView;
  if (!ranks.empty()) {
    // Session time begins at the earliest origin of all ranks.
    std::vector<std::shared_ptr<const Trace>> traces;
    for (const LoadedTrace& rank : ranks) traces.push_back(rank.trace);
    const std::vector<TimeNs> origins = originsOnOneClock(traces);
    const TimeNs shift = origins.front() - *std::min_element(origins.begin(), origins.end());
    firstView = TimeSpan{first.begin + shift, first.end + shift};
  }
  session_.open(ranks, title, firstView);
  left_ << open_.copies();
  tellWhatWasLeft();
  setWindowTitle(tr("%1 — Ridgeline").arg(title));
  rememberFile(paths);
  pane_->view().setFocus();
}

void MainWindow::updateStatus() {
  if (!session_.hasDocument()) return status_->setText({});
  if (session_.active().valid()) {
    const SliceRef active = session_.active();
    const TimeSpan span = session_.spanOf(active);
    status_->setText(tr("%1 · %2 · from %3")
                         .arg(labelText(session_.trace(active.rank), active.id).left(80),
                              formatDuration(span.length()), formatDuration(span.begin)));
  } else if (!session_.selection().empty()) {
    status_->setText(tr("%1 · %n slice(s) selected", nullptr,
                        static_cast<int>(session_.selection().slices.size()))
                         .arg(session_.selection().reason));
  } else if (session_.marked()) {
    status_->setText(tr("marked %1").arg(formatDuration(session_.marked()->length())));
  } else {
    std::size_t slices = 0;
    for (const LoadedTrace& rank : session_.ranks()) slices += rank.trace->slices().size();
    status_->setText((slices == 1 ? tr("%1 slice · %2 · press ? for all keys")
                                  : tr("%1 slices · %2 · press ? for all keys"))
                         .arg(formatCount(static_cast<qint64>(slices)),
                              formatDuration(session_.span().length())));
  }
}

QDockWidget* MainWindow::addPanel(const QString& id, const QString& title, QWidget* panel,
                                  Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(id);
  dock->setWidget(panel);
  QDockWidget* neighbour = nullptr;
  for (QDockWidget* other : findChildren<QDockWidget*>(Qt::FindDirectChildrenOnly))
    if (other != dock && dockWidgetArea(other) == area) neighbour = other;
  addDockWidget(area, dock);
  if (neighbour != nullptr && area == Qt::BottomDockWidgetArea) tabifyDockWidget(neighbour, dock);
  panelsMenu_->addAction(dock->toggleViewAction());
  return dock;
}

bool MainWindow::showPanel(const QString& id) {
  auto* dock = findChild<QDockWidget*>(id, Qt::FindDirectChildrenOnly);
  if (dock == nullptr) return false;
  dock->show();
  dock->raise();
  return true;
}

QStringList MainWindow::panelNames() const {
  QStringList names;
  for (const QDockWidget* dock : findChildren<QDockWidget*>(Qt::FindDirectChildrenOnly))
    names << dock->objectName();
  names.sort();
  return names;
}

void MainWindow::setHeadline(QWidget* headline) {
  centre_->insertWidget(0, headline);
}

void MainWindow::addToToolBar(QWidget* widget) {
  toolBar_->insertWidget(toolBarEnd_, widget);
}

void MainWindow::listOverlays() {
  overlaysMenu_->clear();
  for (const Overlay* overlay : pane_->view().overlays()) {
    if (!overlay->switchable()) continue;
    QAction* action = overlaysMenu_->addAction(overlay->title());
    action->setCheckable(true);
    action->setChecked(session_.isOverlayOn(overlay->id()));
    connect(action, &QAction::toggled, &session_,
            [this, id = overlay->id()](bool on) { session_.setOverlayOn(id, on); });
    connect(&session_, &Session::overlaySwitched, action,
            [action, id = overlay->id()](const QString& which, bool on) {
              if (which == id) action->setChecked(on);
            });
  }
}

void MainWindow::setTheme(Theme theme) {
  applyTheme(*qApp, theme);
  for (QAction* action : themes_->actions())
    action->setChecked(action->data().toString() == nameOf(theme));
  QSettings().setValue(QStringLiteral("theme"), nameOf(theme));
}

void MainWindow::restoreLayout() {
  const QSettings settings;
  restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
  restoreState(settings.value(QStringLiteral("window/docks")).toByteArray(), kLayoutVersion);
}

/// Docks that share a place get a bar of tabs from Qt, which cuts their names; ours are whole, and
/// the bar scrolls where it is too narrow for all.
void MainWindow::childEvent(QChildEvent* event) {
  QMainWindow::childEvent(event);
  if (!event->polished()) return;
  if (auto* tabs = qobject_cast<QTabBar*>(event->child())) {
    tabs->setElideMode(Qt::ElideNone);
    tabs->setUsesScrollButtons(true);
  }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  QSettings settings;
  settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
  settings.setValue(QStringLiteral("window/docks"), saveState(kLayoutVersion));
  open_.cancel();
  QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  QStringList paths;
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) paths << url.toLocalFile();
  openFiles(paths);
}

void MainWindow::showTimelineMenu(const QPoint& globalPos) {
  QMenu menu(this);
  for (const auto& add : contextActions_) add(menu);
  addSliceActions(menu, *this);
  if (!menu.isEmpty()) menu.exec(globalPos);
}

void MainWindow::showKeys() {
  showKeyList(*this);
}

}  // namespace ridgeline
