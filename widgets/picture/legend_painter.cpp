#include "widgets/picture/legend_painter.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QPainter>

#include "widgets/common/hatch.h"

namespace ridgeline {

namespace {

constexpr double kSwatchWidth = 18;
constexpr double kSwatchGap = 6;
constexpr double kEntryGap = 18;

/// Calls place(entry, top left) for each entry as it flows; returns the number of lines.
template <class Place>
int flow(const std::vector<LegendEntry>& entries, const QFontMetricsF& metrics, double width,
         Place place) {
  double x = 0;
  int line = 0;
  for (const LegendEntry& entry : entries) {
    const double needed =
        kSwatchWidth + kSwatchGap + std::ceil(metrics.horizontalAdvance(entry.text));
    if (x > 0 && x + needed > width) {
      x = 0;
      ++line;
    }
    place(entry, x, line);
    x += needed + kEntryGap;
  }
  return entries.empty() ? 0 : line + 1;
}

double lineHeight(const QFontMetricsF& metrics) {
  return std::ceil(metrics.height()) + 5;
}

void paintSwatch(QPainter& painter, const QRectF& box, const LegendEntry& entry,
                 const Palette& palette) {
  switch (entry.look) {
    case LegendEntry::Look::fill:
      painter.fillRect(box, entry.colour);
      break;
    case LegendEntry::Look::outline:
      painter.fillRect(box, mix(entry.colour, palette.background, 0.16));
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(entry.colour, 1));
      painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
      break;
    case LegendEntry::Look::hatch: {
      QColor wash = entry.colour;
      wash.setAlphaF(0.08F);
      painter.fillRect(box, wash);
      paintHatch(painter, box, entry.colour);
      break;
    }
    case LegendEntry::Look::line:
      painter.fillRect(QRectF(box.left(), box.center().y() - 1.5, box.width(), 3), entry.colour);
      break;
  }
}

}  // namespace

double legendHeight(const std::vector<LegendEntry>& entries, const QFont& font, double width) {
  const QFontMetricsF metrics(font);
  return flow(entries, metrics, width, [](const LegendEntry&, double, int) {}) *
         lineHeight(metrics);
}

void paintFlowingLegend(QPainter& painter, const QRectF& rect,
                        const std::vector<LegendEntry>& entries, const QFont& font,
                        const Palette& palette) {
  const QFontMetricsF metrics(font);
  painter.setFont(font);
  flow(entries, metrics, rect.width(), [&](const LegendEntry& entry, double x, int line) {
    const double top = rect.top() + line * lineHeight(metrics);
    const double baseline = std::round(top + metrics.ascent());
    // As high as capital letters and digits, and standing on their line.
    const double height = std::round(metrics.capHeight()) + 2;
    paintSwatch(painter, {rect.left() + x, baseline - height + 1, kSwatchWidth, height}, entry,
                palette);
    painter.setPen(palette.text);
    painter.drawText(QPointF(rect.left() + x + kSwatchWidth + kSwatchGap, baseline), entry.text);
  });
}

std::vector<LegendEntry> withoutRepetitions(std::vector<LegendEntry> entries) {
  std::vector<LegendEntry> kept;
  for (LegendEntry& entry : entries) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const LegendEntry& k) {
      return k.text == entry.text && k.colour == entry.colour && k.look == entry.look;
    });
    if (!known) kept.push_back(std::move(entry));
  }
  return kept;
}

}  // namespace ridgeline
