#pragma once

#include <map>

#include <QObject>
#include <QUndoStack>

#include "core/documents/notes.h"
#include "widgets/common/session.h"

namespace ridgeline {

/// The notes of what a Session shows, and every change to them as an undoable step. Knows no files:
/// who owns it loads and saves (`changed` says when).
/// Invariant: `eventOf` is resolved against the Session's present recordings.
class NotesModel : public QObject {
  Q_OBJECT

 public:
  explicit NotesModel(Session& session, QObject* parent = nullptr);

  [[nodiscard]] const NotesDocument& document() const { return document_; }
  /// Replaces everything and forgets the steps before; does not emit `changed`, but `reset`.
  void setDocument(NotesDocument document);
  [[nodiscard]] QUndoStack& undoStack() { return undo_; }

  /// Returns the new note's id.
  std::uint64_t addNote(Note note);
  /// A callout at a slice, a bracket or a band over a span (session time) of a rank.
  std::uint64_t addCallout(SliceRef slice, const QString& text);
  std::uint64_t addBracket(std::uint32_t rank, TimeSpan span, TrackId track, const QString& text);
  std::uint64_t addBand(std::uint32_t rank, TimeSpan span, const QString& text);
  void setText(std::uint64_t id, const QString& text);
  /// Several moves of one note in a row are one step.
  void setOffset(std::uint64_t id, double x, double y);
  void remove(std::uint64_t id);

  /// The slice that a callout points at; invalid when it is not in what is open.
  [[nodiscard]] SliceRef eventOf(const Note& note) const;
  /// Index of the recording that a note belongs to; nothing when that rank is not open.
  [[nodiscard]] std::optional<std::uint32_t> rankOf(const Note& note) const;
  /// The note's span in session time; nothing when its rank is not open.
  [[nodiscard]] std::optional<TimeSpan> spanOf(const Note& note) const;

 Q_SIGNALS:
  void changed();  ///< the user changed something: save it
  void reset();    ///< other notes, or other recordings below them

 private:
  class Change;
  void apply(const NotesDocument& document);
  void push(const QString& what, NotesDocument after, int mergeId = -1);
  void resolveEvents();

  Session& session_;
  NotesDocument document_;
  QUndoStack undo_;
  std::map<std::uint64_t, SliceRef> events_;
};

}  // namespace ridgeline
