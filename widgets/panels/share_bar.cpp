#include "widgets/panels/share_bar.h"

#include <cmath>

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

void ShareBar::setOneLine(bool oneLine) {
  oneLine_ = oneLine;
  updateGeometry();
  update();
}

QSize ShareBar::sizeHint() const {
  return {320, oneLine_ ? fontMetrics().height() + 8 : fontMetrics().height() * 2 + 14};
}
QSize ShareBar::minimumSizeHint() const {
  return {120, sizeHint().height()};
}

QPoint ShareBar::middleOf(int part) const {
  double x = barRect().left();
  for (int i = 0; i < part; ++i) x += parts_[static_cast<std::size_t>(i)].share * barRect().width();
  x += parts_[static_cast<std::size_t>(part)].share * barRect().width() / 2;
  return QPointF(x, barRect().center().y()).toPoint();
}

/// What fits: name and value, the value alone, or nothing.
QString ShareBar::labelOf(const Part& part, double width) const {
  const QFontMetrics metrics(font());
  const QString both = part.name + u' ' + part.value;
  if (oneLine_ && metrics.horizontalAdvance(both) + 12 < width) return both;
  return metrics.horizontalAdvance(part.value) + 6 < width ? part.value : QString();
}

QRectF ShareBar::barRect() const {
  if (oneLine_) return QRectF(0, 3, width(), fontMetrics().height() + 2);
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
    if (oneLine_ && x > bar.left())  // neighbours may be hatched alike
      painter.fillRect(QRectF(std::floor(x), bar.top(), 1, bar.height()), colours.background);
    if (const QString label = labelOf(part, width); !label.isEmpty()) {
      painter.setPen(part.hatched ? colours.text : textOn(part.colour));
      if (part.hatched) {
        const double w = metrics.horizontalAdvance(label) + 8;
        painter.fillRect(QRectF(rect.center().x() - w / 2, rect.top() + 1, w, rect.height() - 2),
                         colours.background);
      }
      painter.drawText(rect, Qt::AlignCenter, label);
    }
    // Names stand under their part as long as they do not run into each other.
    if (width >= 2 && !oneLine_) {
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
