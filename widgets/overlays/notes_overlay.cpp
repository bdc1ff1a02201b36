#include "widgets/overlays/notes_overlay.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QGuiApplication>
#include <QPainter>

#include "widgets/common/format.h"

namespace ridgeline {

namespace {

constexpr double kPad = 4;
constexpr double kLeader = 18;  ///< from the event to its label

QColor colourOf(const Note& note, const Palette& palette) {
  const QColor own(QString::fromStdString(note.colour));
  return own.isValid() ? own : palette.accent;
}

}  // namespace

NotesOverlay::NotesOverlay(Session& session, NotesModel& notes, QObject* parent)
    : Overlay(parent), session_(session), notes_(notes), font_(labelFont(QGuiApplication::font())) {
  connect(&notes_, &NotesModel::changed, this, &Overlay::changed);
  connect(&notes_, &NotesModel::reset, this, &Overlay::changed);
}

QFont NotesOverlay::labelFont(const QFont& base) {
  QFont font = base;
  font.setPointSizeF(9);
  return font;
}

QString NotesOverlay::labelText(const Note& note) const {
  QString text = QString::fromStdString(note.text);
  if (note.kind != NoteKind::bracket) return text;
  const QString length = formatDuration(note.span.length());
  return text.isEmpty() ? length : text + QStringLiteral(" · ") + length;
}

std::optional<QRectF> NotesOverlay::anchor(const Note& note,
                                           const TimelineGeometry& geometry) const {
  const auto span = notes_.spanOf(note);
  if (!span || !(span->intersects(geometry.span()) || geometry.span().contains(span->begin)))
    return std::nullopt;
  if (note.kind == NoteKind::callout) {
    const SliceRef slice = notes_.eventOf(note);
    if (!slice.valid()) return std::nullopt;
    auto rect = geometry.sliceRect(slice);
    if (!rect) return std::nullopt;
    return rect->width() < 1 ? QRectF(rect->left(), rect->top(), 1, rect->height())
                             : rect->intersected(geometry.area());
  }
  if (note.kind == NoteKind::band) return geometry.spanRect(*span, geometry.area());
  double top = geometry.area().top() + 22;
  if (!note.track.empty()) {
    const auto rank = notes_.rankOf(note);
    const TrackId track = rank ? findTrack(session_.trace(*rank), note.track) : TrackId();
    const auto rect = track.valid() ? geometry.trackRect(*rank, track) : std::nullopt;
    if (!rect) return std::nullopt;
    top = rect->top();
  }
  return geometry.spanRect(*span, QRectF(geometry.area().left(), top - 6 + note.offsetY, 1, 6));
}

std::optional<QRectF> NotesOverlay::labelRect(const Note& note,
                                              const TimelineGeometry& geometry) const {
  const auto at = anchor(note, geometry);
  if (!at) return std::nullopt;
  const QFontMetricsF metrics(font_);
  const QString text = labelText(note);
  const QSizeF size(std::min(360.0, metrics.horizontalAdvance(text)) + 2 * kPad + 1,
                    metrics.height() + kPad);
  const QRectF area = geometry.area();
  const QRectF seen = at->intersected(area);
  const double middle = seen.isEmpty() ? at->center().x() : seen.center().x();
  QRectF label;
  if (note.kind == NoteKind::band) {
    label = QRectF(QPointF(std::max(at->left(), area.left()) + 2, area.top() + 2), size);
    label.translate(note.offsetX, note.offsetY);
  } else if (note.kind == NoteKind::bracket) {
    label = QRectF(QPointF(middle - size.width() / 2 + note.offsetX, at->top() - size.height() - 1),
                   size);
    if (label.top() < area.top()) label.moveTop(at->bottom() + 2);
  } else {
    label = QRectF(QPointF(middle + kLeader + note.offsetX,
                           at->top() - kLeader - size.height() + note.offsetY),
                   size);
  }
  // In sight as long as there is room, but never over the slice that it speaks of.
  label.moveLeft(std::clamp(label.left(), area.left() + 2,
                            std::max(area.left() + 2, area.right() - size.width() - 2)));
  label.moveTop(std::clamp(label.top(), area.top() + 2,
                           std::max(area.top() + 2, area.bottom() - size.height() - 2)));
  if (note.kind == NoteKind::callout && label.intersects(*at)) {
    const double above = at->top() - area.top() - size.height() - 2;
    const double below = area.bottom() - at->bottom() - size.height() - 2;
    if (below >= std::min(above, kLeader))
      label.moveTop(at->bottom() + std::clamp(below, 2.0, kLeader));
    else
      label.moveBottom(at->top() - std::clamp(above, 2.0, kLeader));
  }
  return label;
}

void NotesOverlay::paintNote(QPainter& painter, const TimelineGeometry& geometry,
                             const Note& note) const {
  const auto at = anchor(note, geometry);
  const auto label = labelRect(note, geometry);
  if (!at || !label) return;
  const Palette& colours = geometry.palette();
  const QColor colour = colourOf(note, colours);
  const bool active = session_.activeItem().kind == id() &&
                      session_.activeItem().index == static_cast<std::int64_t>(note.id);
  const QPen pen(colour, active ? 2 : 1.5);
  if (note.kind == NoteKind::band) {
    QColor wash = colour;
    wash.setAlphaF(0.14F);
    painter.fillRect(*at, wash);
    painter.fillRect(QRectF(at->left(), at->top(), 1, at->height()), colour);
    painter.fillRect(QRectF(at->right() - 1, at->top(), 1, at->height()), colour);
  } else if (note.kind == NoteKind::bracket) {
    painter.setPen(pen);
    const double y = at->top() + 1;
    painter.drawLine(QPointF(at->left(), y), QPointF(at->right(), y));
    painter.drawLine(QPointF(at->left(), y), QPointF(at->left(), at->bottom()));
    painter.drawLine(QPointF(at->right(), y), QPointF(at->right(), at->bottom()));
  } else {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(pen);
    const bool above = label->center().y() < at->center().y();
    const QPointF tip(std::clamp(label->center().x(), at->left(), at->right()),
                      above ? at->top() : at->bottom());
    const QPointF from(std::clamp(tip.x(), label->left(), label->right()),
                       above ? label->bottom() : label->top());
    painter.drawLine(from, tip);
    painter.setBrush(colour);
    painter.drawEllipse(tip, 2.5, 2.5);
    painter.setRenderHint(QPainter::Antialiasing, false);
  }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(pen);
  painter.setBrush(colours.background);
  painter.drawRoundedRect(*label, 3, 3);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setFont(font_);
  painter.setPen(colours.text);
  const QFontMetricsF metrics(font_);
  painter.drawText(
      label->adjusted(kPad, 0, -kPad, 0), Qt::AlignVCenter | Qt::AlignLeft,
      metrics.elidedText(labelText(note), Qt::ElideRight, label->width() - 2 * kPad + 1));
}

void NotesOverlay::paint(QPainter& painter, const TimelineGeometry& geometry) const {
  painter.save();
  for (const NoteKind kind : {NoteKind::band, NoteKind::bracket, NoteKind::callout})
    for (const Note& note : notes_.document().notes)
      if (note.kind == kind) paintNote(painter, geometry, note);
  painter.restore();
}

std::optional<OverlayHit> NotesOverlay::hitTest(const QPointF& pos,
                                                const TimelineGeometry& geometry) const {
  const auto& notes = notes_.document().notes;
  for (auto note = notes.rbegin(); note != notes.rend(); ++note) {
    const auto label = labelRect(*note, geometry);
    if (!label || !label->contains(pos)) continue;
    OverlayHit hit;
    hit.item = {id(), notes_.rankOf(*note).value_or(0), static_cast<std::int64_t>(note->id),
                notes_.spanOf(*note).value_or(TimeSpan())};
    hit.rect = *label;
    hit.text =
        labelText(*note) + u'\n' + tr("Drag to move, double-click to edit, Delete to remove");
    return hit;
  }
  return std::nullopt;
}

}  // namespace ridgeline
