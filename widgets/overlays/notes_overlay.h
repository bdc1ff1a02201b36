#pragma once

#include <QFont>

#include "widgets/overlays/notes_model.h"
#include "widgets/timeline/overlay.h"

namespace ridgeline {

/// Notes drawn over the timeline: callouts with a leader line to their event, brackets with their
/// measured length, coloured bands. A label never stands on the slice that it speaks of.
class NotesOverlay : public Overlay {
  Q_OBJECT

 public:
  NotesOverlay(Session& session, NotesModel& notes, QObject* parent = nullptr);

  [[nodiscard]] QString id() const override { return QStringLiteral("notes"); }
  [[nodiscard]] QString title() const override { return tr("Notes"); }
  void paint(QPainter& painter, const TimelineGeometry& geometry) const override;
  [[nodiscard]] std::optional<OverlayHit> hitTest(const QPointF& pos,
                                                  const TimelineGeometry& geometry) const override;

  /// Where a note's label stands; nothing when the note is out of sight.
  [[nodiscard]] std::optional<QRectF> labelRect(const Note& note,
                                                const TimelineGeometry& geometry) const;
  /// The font of labels: 9 point of the given font's family.
  [[nodiscard]] static QFont labelFont(const QFont& base);
  void setFont(const QFont& base) { font_ = labelFont(base); }

 private:
  [[nodiscard]] QString labelText(const Note& note) const;
  /// What the label belongs to: the slice, the bracket's line, the band.
  [[nodiscard]] std::optional<QRectF> anchor(const Note& note,
                                             const TimelineGeometry& geometry) const;
  void paintNote(QPainter& painter, const TimelineGeometry& geometry, const Note& note) const;

  Session& session_;
  NotesModel& notes_;
  QFont font_;
};

}  // namespace ridgeline
