#include "widgets/overlays/notes_model.h"

#include <QUndoCommand>

namespace ridgeline {

/// Holds the notes before and after: they are few and small, and no step can then go wrong.
class NotesModel::Change : public QUndoCommand {
 public:
  Change(NotesModel& model, const QString& what, NotesDocument before, NotesDocument after,
         int mergeId)
      : QUndoCommand(what),
        model_(model),
        before_(std::move(before)),
        after_(std::move(after)),
        mergeId_(mergeId) {}
  void undo() override { model_.apply(before_); }
  void redo() override { model_.apply(after_); }
  int id() const override { return mergeId_; }
  bool mergeWith(const QUndoCommand* later) override {
    after_ = static_cast<const Change*>(later)->after_;
    return true;
  }

 private:
  NotesModel& model_;
  NotesDocument before_;
  NotesDocument after_;
  int mergeId_;
};

NotesModel::NotesModel(Session& session, QObject* parent) : QObject(parent), session_(session) {
  connect(&session_, &Session::documentChanged, this, [this] { setDocument({}); });
}

void NotesModel::setDocument(NotesDocument document) {
  document_ = std::move(document);
  undo_.clear();
  resolveEvents();
  Q_EMIT reset();
}

void NotesModel::apply(const NotesDocument& document) {
  document_ = document;
  resolveEvents();
  Q_EMIT changed();
}

void NotesModel::push(const QString& what, NotesDocument after, int mergeId) {
  undo_.push(new Change(*this, what, document_, std::move(after), mergeId));
}

std::uint64_t NotesModel::addNote(Note note) {
  NotesDocument after = document_;
  const std::uint64_t id = after.add(std::move(note));
  push(tr("Add note"), std::move(after));
  return id;
}

std::uint64_t NotesModel::addCallout(SliceRef slice, const QString& text) {
  const Trace& trace = session_.trace(slice.rank);
  Note note;
  note.kind = NoteKind::callout;
  note.rank = session_.job()->rankNumber(slice.rank);
  note.event = eventKey(trace, slice.id);
  note.span = trace.slices().span(slice.id);
  note.track = trackKey(trace, trace.trackOf(slice.id));
  note.text = text.toStdString();
  return addNote(std::move(note));
}

std::uint64_t NotesModel::addBracket(std::uint32_t rank, TimeSpan span, TrackId track,
                                     const QString& text) {
  Note note;
  note.kind = NoteKind::bracket;
  note.rank = session_.job()->rankNumber(rank);
  note.span = session_.toTrace(rank, span);
  if (track.valid()) note.track = trackKey(session_.trace(rank), track);
  note.text = text.toStdString();
  return addNote(std::move(note));
}

std::uint64_t NotesModel::addBand(std::uint32_t rank, TimeSpan span, const QString& text) {
  Note note;
  note.kind = NoteKind::band;
  note.rank = session_.job()->rankNumber(rank);
  note.span = session_.toTrace(rank, span);
  note.text = text.toStdString();
  return addNote(std::move(note));
}

void NotesModel::setText(std::uint64_t id, const QString& text) {
  NotesDocument after = document_;
  Note* note = after.find(id);
  if (note == nullptr || note->text == text.toStdString()) return;
  note->text = text.toStdString();
  push(tr("Edit note"), std::move(after));
}

void NotesModel::setOffset(std::uint64_t id, double x, double y) {
  NotesDocument after = document_;
  Note* note = after.find(id);
  if (note == nullptr || (note->offsetX == x && note->offsetY == y)) return;
  note->offsetX = x;
  note->offsetY = y;
  push(tr("Move note"), std::move(after), static_cast<int>(id & 0x3FFFFFFF) + 1);
}

void NotesModel::remove(std::uint64_t id) {
  NotesDocument after = document_;
  if (after.remove(id)) push(tr("Delete note"), std::move(after));
}

void NotesModel::resolveEvents() {
  events_.clear();
  for (const Note& note : document_.notes) {
    if (note.kind != NoteKind::callout) continue;
    if (const auto rank = rankOf(note))
      events_[note.id] = {*rank, findEvent(session_.trace(*rank), note.event)};
  }
}

SliceRef NotesModel::eventOf(const Note& note) const {
  const auto it = events_.find(note.id);
  return it == events_.end() ? SliceRef() : it->second;
}

std::optional<std::uint32_t> NotesModel::rankOf(const Note& note) const {
  for (std::uint32_t rank = 0; rank < session_.ranks().size(); ++rank)
    if (session_.job()->rankNumber(rank) == note.rank) return rank;
  return std::nullopt;
}

std::optional<TimeSpan> NotesModel::spanOf(const Note& note) const {
  const auto rank = rankOf(note);
  if (!rank) return std::nullopt;
  return session_.toSession(*rank, note.span);
}

}  // namespace ridgeline
