#include "widgets/overlays/notes_tool.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>

#include "widgets/timeline/timeline_view.h"

namespace ridgeline {

NotesTool::NotesTool(TimelineView& view, NotesModel& notes, NotesOverlay& overlay)
    : QObject(&view), view_(view), viewport_(view.viewport()), notes_(notes), overlay_(overlay) {
  view.viewport()->installEventFilter(this);
  view_.installEventFilter(this);
}

std::uint64_t NotesTool::noteAt(const QPointF& pos) const {
  if (!view_.session().isOverlayOn(overlay_.id())) return 0;
  const auto hit = overlay_.hitTest(pos, view_.geometry());
  return hit ? static_cast<std::uint64_t>(hit->item.index) : 0;
}

std::optional<TimeSpan> NotesTool::chosenSpan() const {
  const Session& session = view_.session();
  if (session.marked()) return session.marked();
  if (session.activeItem().valid() && session.activeItem().kind != overlay_.id())
    return session.activeItem().span;
  if (session.active().valid()) return session.spanOf(session.active());
  return std::nullopt;
}

TrackId NotesTool::chosenTrack(std::uint32_t rank) const {
  const Session& session = view_.session();
  const Trace& trace = session.trace(rank);
  if (session.active().valid() && session.active().rank == rank && !session.marked())
    return trace.trackOf(session.active().id);
  if (session.activeItem().kind == QStringLiteral("idle_gaps"))
    for (const Device& device : trace.devices())
      if (!device.streams.empty()) return device.streams.front();
  return {};
}

void NotesTool::addContextActions(QMenu& menu) {
  const Session& session = view_.session();
  if (!session.hasDocument()) return;
  const ItemRef item = session.activeItem();
  if (item.kind == overlay_.id() && item.index > 0) {
    const auto id = static_cast<std::uint64_t>(item.index);
    menu.addAction(tr("Edit the note"), this, [this, id] { edit(id); });
    menu.addAction(tr("Delete the note"), this, [this, id] { removeNote(id); });
    return;
  }
  menu.addAction(tr("Add callout"), this, &NotesTool::addNoteHere)
      ->setEnabled(session.active().valid());
  menu.addAction(tr("Bracket the selection"), this, &NotesTool::addBracketHere)
      ->setEnabled(chosenSpan().has_value());
  menu.addAction(tr("Colour the selection's time"), this, &NotesTool::addBandHere)
      ->setEnabled(chosenSpan().has_value());
}

void NotesTool::addNoteHere() {
  const SliceRef slice = view_.session().active();
  if (!slice.valid()) {
    addBracketHere();
    return;
  }
  edit(notes_.addCallout(slice, tr("Note")));
}

void NotesTool::addBracketHere() {
  const auto span = chosenSpan();
  if (!span) return;
  const Session& session = view_.session();
  const std::uint32_t rank = session.active().valid()       ? session.active().rank
                             : session.activeItem().valid() ? session.activeItem().rank
                                                            : 0;
  edit(notes_.addBracket(rank, *span, chosenTrack(rank), QString()));
}

void NotesTool::addBandHere() {
  const auto span = chosenSpan();
  if (!span) return;
  const Session& session = view_.session();
  const std::uint32_t rank = session.active().valid() ? session.active().rank : 0;
  edit(notes_.addBand(rank, *span, tr("Note")));
}

void NotesTool::removeNote(std::uint64_t id) {
  notes_.remove(id);
  view_.session().setActiveItem({});
}

void NotesTool::edit(std::uint64_t id) {
  finishEditing(true);
  NotesDocument document = notes_.document();
  const Note* note = document.find(id);
  if (note == nullptr) return;
  const auto label = overlay_.labelRect(*note, view_.geometry());
  if (!label) return;
  edited_ = id;
  editor_ = new QLineEdit(view_.viewport());
  editor_->setFont(NotesOverlay::labelFont(view_.font()));
  editor_->setText(QString::fromStdString(note->text));
  editor_->setPlaceholderText(tr("Text of the note"));
  QRect box = label->toAlignedRect().adjusted(-2, -3, 2, 3);
  box.setWidth(std::max(box.width(), 180));
  box.moveRight(std::min(box.right(), view_.viewport()->width() - 2));
  editor_->setGeometry(box);
  editor_->selectAll();
  editor_->show();
  editor_->setFocus();
  editor_->installEventFilter(this);
  connect(editor_, &QLineEdit::editingFinished, this, [this] { finishEditing(true); });
}

void NotesTool::finishEditing(bool keep) {
  if (editor_ == nullptr) return;
  QLineEdit* editor = editor_;
  editor_ = nullptr;
  if (keep) notes_.setText(edited_, editor->text());
  editor->removeEventFilter(this);
  editor->hide();
  editor->deleteLater();
  view_.setFocus();
}

bool NotesTool::pressed(const QPointF& pos) {
  const std::uint64_t id = noteAt(pos);
  if (id == 0) return false;
  NotesDocument document = notes_.document();
  const Note* note = document.find(id);
  dragged_ = id;
  dragging_ = false;
  grabbedAt_ = pos;
  offsetThen_ = {note->offsetX, note->offsetY};
  view_.session().setActiveItem({overlay_.id(), notes_.rankOf(*note).value_or(0),
                                 static_cast<std::int64_t>(id),
                                 notes_.spanOf(*note).value_or(TimeSpan())});
  return true;
}

bool NotesTool::moved(const QPointF& pos) {
  if (dragged_ == 0) return false;
  const QPointF by = pos - grabbedAt_;
  if (!dragging_ && by.manhattanLength() < QApplication::startDragDistance()) return true;
  dragging_ = true;
  notes_.setOffset(dragged_, offsetThen_.x() + by.x(), offsetThen_.y() + by.y());
  return true;
}

bool NotesTool::eventFilter(QObject* watched, QEvent* event) {
  if (watched == editor_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool done = key == Qt::Key_Return || key == Qt::Key_Enter;
    if (done || key == Qt::Key_Escape) {
      // Ends here: in the timeline below, Enter would zoom to the selection.
      finishEditing(done);
      return true;
    }
    if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp ||
        key == Qt::Key_PageDown)
      return true;  // these have no meaning here, but the timeline below would take them
  }
  if (watched == &view_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const ItemRef& item = view_.session().activeItem();
    if (item.kind != overlay_.id() || item.index <= 0) return false;
    if (key == Qt::Key_Delete || key == Qt::Key_Backspace) {
      removeNote(static_cast<std::uint64_t>(item.index));
      return true;
    }
    return false;
  }
  if (watched != viewport_) return false;
  auto* mouse = dynamic_cast<QMouseEvent*>(event);
  if (mouse == nullptr) return false;
  switch (event->type()) {
    case QEvent::MouseButtonPress:
      return mouse->button() == Qt::LeftButton && pressed(mouse->position());
    case QEvent::MouseMove:
      return moved(mouse->position());
    case QEvent::MouseButtonRelease: {
      const bool mine = dragged_ != 0;
      dragged_ = 0;
      return mine;
    }
    case QEvent::MouseButtonDblClick: {
      const std::uint64_t id = noteAt(mouse->position());
      if (id == 0) return false;
      edit(id);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace ridgeline
