#include "widgets/timeline/legend_bar.h"

#include <cmath>

#include <QEvent>
#include <QPainter>

#include "widgets/timeline/timeline_view.h"

namespace ridgeline {

namespace {
constexpr double kSwatch = 10;
constexpr double kTextGap = 5;
constexpr double kSpace = 14;
constexpr double kMargin = 10;

void paintSwatch(QPainter& painter, const QRectF& box, const LegendEntry& entry) {
  const QRectF edge = box.adjusted(0.5, 0.5, -0.5, -0.5);
  switch (entry.look) {
    case LegendEntry::Look::fill:
      painter.fillRect(box, entry.colour);
      break;
    case LegendEntry::Look::outline:
      painter.setPen(entry.colour);
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(edge);
      break;
    case LegendEntry::Look::hatch:
      painter.fillRect(box, QBrush(entry.colour, Qt::BDiagPattern));
      painter.setPen(entry.colour);
      painter.drawRect(edge);
      break;
    case LegendEntry::Look::line:
      painter.fillRect(QRectF(box.left(), box.center().y() - 1, kSwatch, 2), entry.colour);
      break;
  }
}

}  // namespace

std::vector<LegendPlace> layOutLegend(const std::vector<LegendEntry>& entries,
                                      const QFontMetricsF& metrics, double width) {
  std::vector<LegendPlace> places;
  double x = 0;
  int line = 0;
  for (const LegendEntry& entry : entries) {
    const double own = kSwatch + kTextGap + metrics.horizontalAdvance(entry.text);
    if (x > 0 && x + own > width) {
      x = 0;
      ++line;
    }
    places.push_back({x, line});
    x += own + kSpace;
  }
  return places;
}

LegendBar::LegendBar(TimelineView& view, QWidget* parent) : QWidget(parent), view_(view) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  hide();
  // Overlays say changed() when their data is other; then the view's layout or content is, too.
  connect(&view, &TimelineView::legendChanged, this, &LegendBar::collect);
}

double LegendBar::lineHeight() const {
  return std::round(QFontMetricsF(font()).height()) + 2;
}

QSize LegendBar::sizeHint() const {
  return {200, static_cast<int>(lineHeight()) + 6};
}

void LegendBar::fitHeight() {
  const auto places = layOutLegend(entries_, QFontMetricsF(font()), width() - 2 * kMargin);
  const int lines = places.empty() ? 1 : places.back().line + 1;
  setFixedHeight(static_cast<int>(lines * lineHeight()) + 6);
}

void LegendBar::collect() {
  entries_.clear();
  if (view_.session().hasDocument()) {
    const TimelineGeometry geometry = view_.geometry();
    for (const Overlay* overlay : view_.shownOverlays())
      for (LegendEntry& entry : overlay->legend(geometry)) entries_.push_back(std::move(entry));
  }
  setVisible(!entries_.empty());
  fitHeight();
  update();
}

void LegendBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitHeight();
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
  const QFontMetricsF metrics(font());
  const auto places = layOutLegend(entries_, metrics, width() - 2 * kMargin);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const double x = std::round(kMargin + places[i].x);
    const double middle = 4 + (places[i].line + 0.5) * lineHeight();
    paintSwatch(painter, QRectF(x, std::round(middle - kSwatch / 2), kSwatch, kSwatch),
                entries_[i]);
    painter.setPen(palette.mutedText);
    painter.drawText(
        QPointF(x + kSwatch + kTextGap, middle + (metrics.ascent() - metrics.descent()) / 2),
        entries_[i].text);
  }
}

}  // namespace ridgeline
