#include "widgets/panels/share_bar.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "widgets/common/palette.h"

namespace ridgeline {

ShareBar::ShareBar(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ShareBar::setParts(std::vector<Part> parts) {
  parts_ = std::move(parts);
  update();
}

QSize ShareBar::sizeHint() const {
  return {320, fontMetrics().height() * 2 + 14};
}
QSize ShareBar::minimumSizeHint() const {
  return {120, sizeHint().height()};
}

QRectF ShareBar::barRect() const {
  return QRectF(8, 4, std::max(0, width() - 16), fontMetrics().height() + 2);
}

void ShareBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QRectF bar = barRect();
  const QFontMetrics metrics(font());
  const Palette& colours = Palette::of(palette());
  double x = bar.left();
  double labelEnd = bar.left();
  for (const Part& part : parts_) {
    const double width = part.share * bar.width();
    const QRectF rect(x, bar.top(), width, bar.height());
    painter.fillRect(rect, part.colour);
    if (part.hatched) painter.fillRect(rect, QBrush(colours.background, Qt::BDiagPattern));
    if (metrics.horizontalAdvance(part.value) + 6 < width) {
      painter.setPen(part.hatched ? colours.text : textOn(part.colour));
      if (part.hatched) {
        const double w = metrics.horizontalAdvance(part.value) + 8;
        painter.fillRect(QRectF(rect.center().x() - w / 2, rect.top() + 1, w, rect.height() - 2),
                         colours.background);
      }
      painter.drawText(rect, Qt::AlignCenter, part.value);
    }
    // Names stand under their part as long as they do not run into each other.
    if (width >= 2) {
      const double at = std::max(x, labelEnd + 10);
      const double room = bar.right() - at;
      if (room > 30 && at < x + width + 24) {
        const QString name = metrics.elidedText(part.name, Qt::ElideRight, static_cast<int>(room));
        painter.setPen(colours.mutedText);
        painter.drawText(QPointF(at, bar.bottom() + 3 + metrics.ascent()), name);
        labelEnd = at + metrics.horizontalAdvance(name);
      }
    }
    x += width;
  }
}

int ShareBar::partAt(double x) const {
  double at = barRect().left();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    at += parts_[i].share * barRect().width();
    if (x < at) return static_cast<int>(i);
  }
  return -1;
}

bool ShareBar::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int i = partAt(help->pos().x());
    if (i >= 0) {
      const Part& part = parts_[static_cast<std::size_t>(i)];
      QString text = part.name + QStringLiteral(": ") + part.value;
      if (!part.tooltip.isEmpty()) text += u'\n' + part.tooltip;
      QToolTip::showText(help->globalPos(), text, this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QWidget::event(event);
}

void ShareBar::mousePressEvent(QMouseEvent* event) {
  const int i = partAt(event->position().x());
  if (i >= 0) Q_EMIT partClicked(i);
}

}  // namespace ridgeline
