#include "widgets/timeline/counter_painter.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

namespace ridgeline {

namespace {

struct Range {
  double low = 0, high = 0;
};

Range rangeOf(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

void paintSeries(QPainter& painter, const TimelineScene& scene, const LayoutLine& line,
                 const QRectF& rect) {
  const CounterSeries& series = scene.session->trace(line.rank).counters()[line.item];
  if (series.time.empty()) return;
  Range all = rangeOf(series.value);
  all.low = std::min(all.low, 0.0);
  if (all.high <= all.low) all.high = all.low + 1;
  const TimeSpan span = scene.session->toTrace(line.rank, scene.span);
  const int width = static_cast<int>(rect.width());
  const auto yOf = [&](double v) {
    return rect.bottom() - (v - all.low) / (all.high - all.low) * (rect.height() - 2);
  };
  const TimeAxis axis(span, 0, width);
  const QColor fill = mix(scene.palette->of(ColourKey::op), scene.palette->background, 0.45);
  const QColor edge = scene.palette->of(ColourKey::op);
  auto at = std::upper_bound(series.time.begin(), series.time.end(), span.begin);
  bool known = at != series.time.begin();
  double value = known ? series.value[static_cast<std::size_t>(at - series.time.begin()) - 1] : 0;
  for (int x = 0; x < width; ++x) {
    const auto end = std::upper_bound(at, series.time.end(), axis.timeAt(x + 1) - 1);
    Range range{value, value};
    if (end != at) {
      const auto first = static_cast<std::size_t>(at - series.time.begin());
      const auto count = static_cast<std::size_t>(end - at);
      const Range seen = rangeOf(std::span(series.value).subspan(first, count));
      range = known ? Range{std::min(value, seen.low), std::max(value, seen.high)} : seen;
      value = series.value[first + count - 1];
      known = true;
      at = end;
    }
    if (!known) continue;
    const double top = yOf(range.high);
    painter.fillRect(QRectF(rect.left() + x, top, 1, rect.bottom() - top), fill);
    painter.fillRect(QRectF(rect.left() + x, top, 1, std::max(1.0, yOf(range.low) - top)), edge);
  }
}

}  // namespace

void paintCounters(QPainter& painter, const TimelineScene& scene) {
  const TimelineGeometry geometry = scene.geometry();
  for (const LayoutLine& line : scene.layout->lines())
    if (line.kind == LayoutLine::Kind::counter)
      if (const auto rect = geometry.lineRect(line)) paintSeries(painter, scene, line, *rect);
}

}  // namespace ridgeline
