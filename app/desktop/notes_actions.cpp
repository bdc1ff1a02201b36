#include "app/desktop/notes_actions.h"

#include <QMenu>
#include <QMenuBar>

#include "app/desktop/main_window.h"
#include "app/desktop/notes_controller.h"
#include "widgets/overlays/notes_tool.h"
#include "widgets/timeline/timeline_pane.h"

namespace ridgeline {

namespace {

void addActions(MainWindow& window, NotesTool& tool, QUndoStack& undo) {
  auto* edit = new QMenu(MainWindow::tr("&Edit"), &window);
  window.menuBar()->insertMenu(window.viewMenu()->menuAction(), edit);
  QAction* back = undo.createUndoAction(&window, MainWindow::tr("&Undo"));
  back->setShortcut(QKeySequence::Undo);
  QAction* again = undo.createRedoAction(&window, MainWindow::tr("&Redo"));
  again->setShortcut(QKeySequence::Redo);
  edit->addActions({back, again});
  edit->addSeparator();

  TimelineView& view = window.timeline().view();
  const auto add = [&](const QString& text, const QKeySequence& key, void (NotesTool::*make)()) {
    QAction* action = edit->addAction(text, &tool, make);
    action->setShortcut(key);
    // Letters are typed elsewhere.
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    view.addAction(action);
    return action;
  };
  QAction* callout = add(MainWindow::tr("&Note at the selection"), QKeySequence(Qt::Key_N),
                         &NotesTool::addNoteHere);
  QAction* bracket = add(MainWindow::tr("&Bracket over the selection"), QKeySequence(Qt::Key_B),
                         &NotesTool::addBracketHere);
  QAction* band =
      add(MainWindow::tr("&Colour the selection's time"), QKeySequence(), &NotesTool::addBandHere);
  Session& session = window.session();
  const auto enable = [&session, callout, bracket, band] {
    const bool slice = session.active().valid();
    const bool span = slice || session.activeItem().valid() || session.marked().has_value();
    callout->setEnabled(span);
    bracket->setEnabled(span);
    band->setEnabled(span);
  };
  QObject::connect(&session, &Session::activeChanged, callout, enable);
  QObject::connect(&session, &Session::markedChanged, callout, enable);
  enable();
  window.addContextActions([&tool](QMenu& menu) {
    tool.addContextActions(menu);
    menu.addSeparator();
  });
}

}  // namespace

NotesModel* addNotes(MainWindow& window) {
  auto* notes = new NotesModel(window.session(), &window);
  TimelineView& view = window.timeline().view();
  auto* overlay = new NotesOverlay(window.session(), *notes);
  view.addOverlay(overlay);
  auto* tool = new NotesTool(view, *notes, *overlay);
  new NotesController(window, *notes);
  addActions(window, *tool, notes->undoStack());
  return notes;
}

}  // namespace ridgeline
