#include "widgets/timeline/legend_bar.h"

#include <cmath>

#include <QEvent>
#include <QPainter>

#include "widgets/timeline/timeline_view.h"

namespace ridgeline {

namespace {
constexpr double kSwatch = 10;
constexpr double kSpace = 14;
}  // namespace

double paintLegend(QPainter& painter, const QRectF& rect, const std::vector<LegendEntry>& entries,
                   const Palette& palette) {
  const QFontMetricsF metrics(painter.font());
  double x = rect.left();
  for (const LegendEntry& entry : entries) {
    const double width = kSwatch + 5 + metrics.horizontalAdvance(entry.text);
    if (x + width > rect.right()) break;
    const QRectF box(std::round(x), std::round(rect.center().y() - kSwatch / 2), kSwatch, kSwatch);
    switch (entry.look) {
      case LegendEntry::Look::fill:
        painter.fillRect(box, entry.colour);
        break;
      case LegendEntry::Look::outline:
        painter.setPen(entry.colour);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
        break;
      case LegendEntry::Look::hatch:
        painter.fillRect(box, QBrush(entry.colour, Qt::BDiagPattern));
        painter.setPen(entry.colour);
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
        break;
      case LegendEntry::Look::line:
        painter.fillRect(QRectF(box.left(), box.center().y() - 1, kSwatch, 2), entry.colour);
        break;
    }
    painter.setPen(palette.mutedText);
    painter.drawText(
        QPointF(box.right() + 5, rect.center().y() + (metrics.ascent() - metrics.descent()) / 2),
        entry.text);
    x += width + kSpace;
  }
  return x - rect.left();
}

LegendBar::LegendBar(TimelineView& view, QWidget* parent) : QWidget(parent), view_(view) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  hide();
  // Overlays say changed() when their data is other; then the view's layout or content is, too.
  connect(&view, &TimelineView::legendChanged, this, &LegendBar::collect);
}

QSize LegendBar::sizeHint() const {
  return {200, static_cast<int>(std::round(QFontMetricsF(font()).height())) + 8};
}

void LegendBar::collect() {
  entries_.clear();
  if (view_.session().hasDocument()) {
    const TimelineGeometry geometry = view_.geometry();
    for (const Overlay* overlay : view_.shownOverlays())
      for (LegendEntry& entry : overlay->legend(geometry)) entries_.push_back(std::move(entry));
  }
  setVisible(!entries_.empty());
  update();
}

void LegendBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) collect();
}

void LegendBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& palette = view_.colours();
  painter.fillRect(rect(), palette.chrome);
  painter.setPen(palette.line);
  painter.drawLine(QPointF(0, 0.5), QPointF(width(), 0.5));
  painter.setFont(font());
  paintLegend(painter, QRectF(rect()).adjusted(10, 1, -10, 0), entries_, palette);
}

}  // namespace ridgeline
