#include "widgets/panels/bounds_bars.h"

#include <algorithm>

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "widgets/common/palette.h"

namespace ridgeline {

BoundsBars::BoundsBars(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void BoundsBars::setBars(const QString& heading, std::array<Bar, 3> bars, double floorShare) {
  heading_ = heading;
  bars_ = std::move(bars);
  floorShare_ = floorShare;
  setAccessibleName(heading);
  update();
}

QSize BoundsBars::sizeHint() const {
  return {320, fontMetrics().height() * 4 + 22};
}
QSize BoundsBars::minimumSizeHint() const {
  return {160, sizeHint().height()};
}

QRectF BoundsBars::measuredRect() const {
  const int line = fontMetrics().height();
  return QRectF(8, line + 5, std::max(0, width() - 16), 3 * (line + 3));
}

QRectF BoundsBars::laneRect(int lane) const {
  const QRectF all = measuredRect();
  return QRectF(all.left(), all.top() + lane * all.height() / 3, all.width(), all.height() / 3);
}

void BoundsBars::paintBar(QPainter& painter, int lane) const {
  const Bar& bar = bars_[static_cast<std::size_t>(lane)];
  const Palette& colours = Palette::of(palette());
  const QFontMetrics metrics(font());
  const QRectF rect = laneRect(lane).adjusted(0, 1, 0, -1);
  const QString text = bar.name + QStringLiteral("  ") + bar.value;
  QRectF filled = rect;
  filled.setWidth(std::clamp(bar.share, 0.0, 1.0) * rect.width());
  if (bar.share > 0) painter.fillRect(filled, bar.colour);
  // Beside the bar where there is room, else in it.
  const double size = metrics.horizontalAdvance(text) + 12;
  const double floor = rect.left() + std::clamp(floorShare_, 0.0, 1.0) * rect.width();
  double left = filled.right();
  if (left <= floor && left + size > floor) left = floor;  // not across the mark of the largest
  if (rect.right() - left >= size || filled.width() < size) {
    painter.setPen(bar.share < 0 ? colours.mutedText : colours.text);
    const QRectF room(left + 6, rect.top(), rect.right() - left - 8, rect.height());
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(text, Qt::ElideRight, static_cast<int>(room.width())));
  } else {
    painter.setPen(textOn(bar.colour));
    painter.drawText(filled.adjusted(6, 0, -6, 0), Qt::AlignRight | Qt::AlignVCenter, text);
  }
}

void BoundsBars::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& colours = Palette::of(palette());
  const QRectF all = measuredRect();
  painter.setPen(colours.text);
  painter.drawText(QRectF(all.left(), 2, all.width(), fontMetrics().height() + 2),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(heading_, Qt::ElideRight, width() - 16));
  painter.fillRect(all, colours.chrome);
  for (int lane = 0; lane < 3; ++lane) paintBar(painter, lane);
  painter.setPen(QPen(colours.line, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(all);
  if (floorShare_ > 0) {
    const double x = all.left() + std::min(floorShare_, 1.0) * all.width();
    painter.setPen(QPen(colours.text, 1.4));
    painter.drawLine(QPointF(x, all.top()), QPointF(x, all.bottom()));
  }
}

bool BoundsBars::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  for (int lane = 0; lane < 3; ++lane)
    if (laneRect(lane).contains(help->pos())) {
      QToolTip::showText(help->globalPos(), bars_[static_cast<std::size_t>(lane)].hover, this);
      return true;
    }
  QToolTip::hideText();
  return true;
}

}  // namespace ridgeline
