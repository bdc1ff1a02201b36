#include "widgets/timeline/margin_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>

#include "widgets/timeline/time_ticks.h"

namespace ridgeline {

namespace {

constexpr double kArrow = 8;
constexpr double kIndent = 8;

void paintArrow(QPainter& painter, QPointF centre, bool folded, const QColor& colour) {
  const double r = kArrow / 2;
  QPolygonF arrow;
  if (folded) {
    arrow << centre + QPointF(-r * 0.6, -r) << centre + QPointF(r * 0.8, 0)
          << centre + QPointF(-r * 0.6, r);
  } else {
    arrow << centre + QPointF(-r, -r * 0.6) << centre + QPointF(r, -r * 0.6)
          << centre + QPointF(0, r * 0.8);
  }
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawPolygon(arrow);
  painter.restore();
}

double baselineIn(const QRectF& rect, const QFontMetricsF& metrics) {
  return rect.top() + (rect.height() - metrics.height()) / 2 + metrics.ascent();
}

/// Where a name may be written: tracks of several low rows use the room of all of them.
QRectF nameRect(const TimelineScene& scene, std::size_t index, const QRectF& line) {
  const auto& lines = scene.layout->lines();
  QRectF rect = line;
  for (std::size_t i = index + 1; i < lines.size() && rect.height() < 16; ++i) {
    if (lines[i].kind != LayoutLine::Kind::row || lines[i].firstOfTrack) break;
    rect.setHeight(rect.height() + lines[i].height);
  }
  return rect;
}

}  // namespace

void paintRuler(QPainter& painter, const QRectF& rect, const TimelineScene& scene) {
  const Palette& palette = *scene.palette;
  painter.fillRect(rect, palette.chrome);
  painter.setFont(scene.font);
  const QFontMetricsF metrics(scene.font);
  const TimeAxis axis(scene.span, rect.left(), rect.width());
  const TimeTicks ticks = timeTicks(scene.span, rect.width(), 90, scene.zero);
  const double baseline = rect.top() + metrics.ascent() + 2;
  double free = rect.left();
  if (!ticks.baseLabel.isEmpty()) {
    painter.setPen(palette.text);
    const QString base = ticks.baseLabel + QStringLiteral(" ");
    painter.drawText(QPointF(rect.left() + 6, baseline), base);
    free = rect.left() + 12 + metrics.horizontalAdvance(base);
  }
  for (const TimeTicks::Tick& tick : ticks.ticks) {
    const double x = std::floor(axis.xOf(tick.time)) + 0.5;
    painter.setPen(palette.line);
    const double length = tick.labelled ? 7 : 4;
    painter.drawLine(QPointF(x, rect.bottom() - length), QPointF(x, rect.bottom()));
    if (!tick.labelled) continue;
    const double width = metrics.horizontalAdvance(tick.label);
    if (x + 3 < free || x + 3 + width > rect.right()) continue;
    painter.setPen(palette.mutedText);
    painter.drawText(QPointF(x + 3, baseline), tick.label);
  }
  painter.setPen(palette.line);
  painter.drawLine(QPointF(rect.left(), rect.bottom() - 0.5),
                   QPointF(rect.right(), rect.bottom() - 0.5));
}

void paintHeader(QPainter& painter, const QRectF& rect, const TimelineScene& scene, int hovered) {
  const Palette& palette = *scene.palette;
  painter.fillRect(rect, palette.chrome);
  const auto& lines = scene.layout->lines();
  QFont bold = scene.font;
  bold.setWeight(QFont::DemiBold);
  const QFontMetricsF metrics(scene.font);
  const QFontMetricsF boldMetrics(bold);
  for (std::size_t i = static_cast<std::size_t>(std::max(scene.layout->lineAt(scene.scrollY), 0));
       i < lines.size(); ++i) {
    const LayoutLine& line = lines[i];
    const QRectF box(rect.left(), rect.top() + line.y - scene.scrollY, rect.width(), line.height);
    if (box.top() >= rect.bottom()) break;
    const bool heading =
        line.kind == LayoutLine::Kind::group || line.kind == LayoutLine::Kind::rank;
    if (heading) {
      painter.setPen(palette.line);
      painter.drawLine(QPointF(rect.left(), std::floor(box.top()) + 0.5),
                       QPointF(rect.right(), std::floor(box.top()) + 0.5));
      painter.setFont(bold);
      painter.setPen(palette.text);
      double x = rect.left() + kIndent;
      if (line.kind == LayoutLine::Kind::group) {
        paintArrow(painter, {x + kArrow / 2, box.center().y()},
                   scene.layout->groups()[line.group].folded, palette.mutedText);
        x += kArrow + 6;
      }
      painter.drawText(QPointF(x, baselineIn(box, boldMetrics)),
                       boldMetrics.elidedText(line.title, Qt::ElideRight, rect.right() - x - 4));
      continue;
    }
    if (static_cast<int>(i) == hovered)
      painter.fillRect(box, mix(palette.text, palette.chrome, 0.07));
    if (!line.firstOfTrack) continue;
    const QRectF name = nameRect(scene, i, box);
    const bool muted =
        line.kind == LayoutLine::Kind::quiet || line.kind == LayoutLine::Kind::deeper || line.slim;
    painter.setFont(scene.font);
    painter.setPen(muted ? palette.mutedText : palette.text);
    const double x = rect.left() + kIndent + kArrow + 6;
    painter.drawText(QPointF(x, baselineIn(name, metrics)),
                     metrics.elidedText(line.title, Qt::ElideMiddle, rect.right() - x - 4));
  }
  painter.setPen(palette.line);
  painter.drawLine(QPointF(rect.right() - 0.5, rect.top()),
                   QPointF(rect.right() - 0.5, rect.bottom()));
}

}  // namespace ridgeline
