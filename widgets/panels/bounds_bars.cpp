#include "widgets/panels/bounds_bars.h"

#include <algorithm>

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "widgets/common/palette.h"

namespace ridgeline {

namespace {

constexpr int kLanes = 3;
constexpr int kSide = 8;
constexpr int kHeadingFlags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;

int lanesHeight(const QFontMetrics& metrics) {
  return kLanes * (metrics.height() + 3);
}

}  // namespace

BoundsBars::BoundsBars(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void BoundsBars::setBars(const QString& heading, std::array<Bar, kLanes> bars, double floorShare) {
  heading_ = heading;
  bars_ = std::move(bars);
  floorShare_ = floorShare;
  setAccessibleName(heading);
  updateGeometry();
  update();
}

QRect BoundsBars::headingRect(int width) const {
  const QRect room(kSide, 2, std::max(1, width - 2 * kSide), 10'000);
  const int needed = fontMetrics().boundingRect(room, kHeadingFlags, heading_).height();
  return {room.left(), room.top(), room.width(), std::max(needed, fontMetrics().height())};
}

int BoundsBars::heightForWidth(int width) const {
  return headingRect(width).bottom() + 4 + lanesHeight(fontMetrics()) + 6;
}

QSize BoundsBars::sizeHint() const {
  return {320, heightForWidth(320)};
}
QSize BoundsBars::minimumSizeHint() const {
  return {160, fontMetrics().height() + lanesHeight(fontMetrics()) + 12};
}

QRectF BoundsBars::measuredRect() const {
  return QRectF(kSide, headingRect(width()).bottom() + 4, std::max(0, width() - 2 * kSide),
                lanesHeight(fontMetrics()));
}

QRectF BoundsBars::laneRect(int lane) const {
  const QRectF all = measuredRect();
  const double height = all.height() / kLanes;
  return QRectF(all.left(), all.top() + lane * height, all.width(), height);
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
  painter.drawText(headingRect(width()), kHeadingFlags, heading_);
  painter.fillRect(all, colours.chrome);
  for (int lane = 0; lane < kLanes; ++lane) paintBar(painter, lane);
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
  for (int lane = 0; lane < kLanes; ++lane)
    if (laneRect(lane).contains(help->pos())) {
      QToolTip::showText(help->globalPos(), bars_[static_cast<std::size_t>(lane)].hover, this);
      return true;
    }
  QToolTip::hideText();
  return true;
}

}  // namespace ridgeline
