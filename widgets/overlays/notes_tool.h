#pragma once

#include <QObject>
#include <QPointF>

#include "widgets/overlays/notes_overlay.h"

class QLineEdit;
class QMenu;

namespace ridgeline {

class TimelineView;

/// Makes and changes notes with mouse and keys in a TimelineView: drags labels, edits texts in
/// place, removes with Delete, offers the notes that fit what is under the cursor.
class NotesTool : public QObject {
  Q_OBJECT

 public:
  NotesTool(TimelineView& view, NotesModel& notes, NotesOverlay& overlay);

  /// Adds "Add callout…" and the like for what the view's cursor is over.
  void addContextActions(QMenu& menu);
  /// A callout at the active slice, or a bracket over the active gap or the marked span; then edits
  /// its text.
  void addNoteHere();
  void addBracketHere();
  void addBandHere();
  /// Opens the editor on a note's label.
  void edit(std::uint64_t id);
  void removeNote(std::uint64_t id);
  [[nodiscard]] QLineEdit* editor() const { return editor_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  [[nodiscard]] std::uint64_t noteAt(const QPointF& pos) const;
  [[nodiscard]] std::optional<TimeSpan> chosenSpan() const;
  [[nodiscard]] TrackId chosenTrack(std::uint32_t rank) const;
  void finishEditing(bool keep);
  bool pressed(const QPointF& pos);
  bool moved(const QPointF& pos);

  TimelineView& view_;
  /// Events still come while the view goes away; it is not to be asked for its viewport then.
  const QWidget* viewport_;
  NotesModel& notes_;
  NotesOverlay& overlay_;
  std::uint64_t dragged_ = 0;
  bool dragging_ = false;
  QPointF grabbedAt_;
  QPointF offsetThen_;
  QLineEdit* editor_ = nullptr;
  std::uint64_t edited_ = 0;
};

}  // namespace ridgeline
