#pragma once

#include <functional>

#include <QMainWindow>

#include "app/desktop/open_job.h"
#include "app/desktop/theme.h"
#include "widgets/common/session.h"

class QActionGroup;
class QBoxLayout;
class QLabel;
class QMenu;
class QProgressBar;
class QToolButton;

namespace ridgeline {

class MessageBar;
class TimelinePane;

/// The window: it only wires. One Session, the timeline in the middle, panels in docks around it,
/// and the opening of files beside what is on screen.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(QWidget* parent = nullptr);
  ~MainWindow() override;

  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] TimelinePane& timeline() { return *pane_; }
  [[nodiscard]] MessageBar& messages() { return *messages_; }
  [[nodiscard]] bool isOpening() const { return open_.running(); }

  /// Docks a panel; panels of one area share it as tabs. `id` is what the dock's place is
  /// remembered by. Call before restoreLayout().
  QDockWidget* addPanel(const QString& id, const QString& title, QWidget* panel,
                        Qt::DockWidgetArea area);
  /// Brings a panel to the front; false when there is none of that id.
  bool showPanel(const QString& id);
  /// The ids of all panels, sorted.
  [[nodiscard]] QStringList panelNames() const;
  /// What stands between toolbar and overview (the headline).
  void setHeadline(QWidget* headline);
  /// What stands in the toolbar after the history buttons (step picker, window length).
  void addToToolBar(QWidget* widget);
  [[nodiscard]] QMenu* fileMenu() const { return fileMenu_; }
  [[nodiscard]] QMenu* viewMenu() const { return viewMenu_; }
  [[nodiscard]] QMenu* overlaysMenu() const { return overlaysMenu_; }
  /// Adds to the context menu of the timeline, called each time it opens.
  void addContextActions(std::function<void(QMenu&)> add) {
    contextActions_.push_back(std::move(add));
  }

  /// Opens files beside what is on screen; several become the ranks of one job.
  void openFiles(const QStringList& paths);
  void setTheme(Theme theme);
  /// Window size and docks as they were left; call once, when all panels are there.
  void restoreLayout();
  /// Switches in the overlays menu for what the timeline has; call when overlays were added.
  void listOverlays();

 Q_SIGNALS:
  /// An open ended, whichever way.
  void openEnded(bool ok);

 protected:
  void childEvent(QChildEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void makeCentre();
  void makeActions();
  void makeStatusLine();
  void connectOpening();
  void askForFiles();
  void askForFolder();
  void opened(const std::vector<LoadedTrace>& ranks, TimeSpan firstView);
  void listRecentFiles();
  void rememberFile(const QStringList& paths);
  /// Says which files that were named are not opened as ranks of their own.
  void tellWhatWasLeft();
  void showKeys();
  void showTimelineMenu(const QPoint& globalPos);
  void updateStatus();

  Session session_;
  OpenJob open_;
  QStringList left_;  ///< sentences on what was named last and left out
  TimelinePane* pane_ = nullptr;
  MessageBar* messages_ = nullptr;
  QBoxLayout* centre_ = nullptr;
  QToolBar* toolBar_ = nullptr;
  QAction* toolBarEnd_ = nullptr;
  QMenu* fileMenu_ = nullptr;
  QMenu* recentMenu_ = nullptr;
  QMenu* viewMenu_ = nullptr;
  QMenu* panelsMenu_ = nullptr;
  QMenu* overlaysMenu_ = nullptr;
  QActionGroup* themes_ = nullptr;
  QLabel* status_ = nullptr;
  QLabel* progressText_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QToolButton* cancel_ = nullptr;
  QTimer progressDelay_;
  std::vector<std::function<void(QMenu&)>> contextActions_;
};

}  // namespace ridgeline
