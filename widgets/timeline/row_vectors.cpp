#include <algorithm>
#include <cmath>
#include <map>

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include "core/index/visible_runs.h"
#include "widgets/timeline/counter_painter.h"
#include "widgets/timeline/row_painter.h"

namespace ridgeline {

namespace {

constexpr double kLowestLabelled = 11;  // as on the screen
constexpr double kNarrowestLabelled = 24;

/// Draws the runs of rows as shapes and texts. All shapes of one colour in one row are one path: an
/// SVG writes the painter's whole state at each change of colour.
class VectorRows {
 public:
  VectorRows(QPainter& painter, const TimelineScene& scene)
      : painter_(painter), scene_(scene), metrics_(scene.font), area_(scene.rowsArea()) {}

  void paintRow(const LayoutLine& line, const QRectF& rect, const RunColours& colours) {
    const Session& session = *scene_.session;
    const TimeSpan span = session.toTrace(line.rank, scene_.span);
    const int width = std::max(1, static_cast<int>(std::lround(area_.width())));
    const bool dimmed = !session.selection().empty();
    visibleRuns(session.index(line.rank), line.row, span, width, runs_);
    paintRuns(line, rect, colours, dimmed);
    if (!dimmed) return;
    selectedRuns(session, line.rank, line.row, span, width, runs_);
    paintRuns(line, rect, colours, false);
  }

 private:
  void paintRuns(const LayoutLine& line, const QRectF& rect, const RunColours& colours,
                 bool dimmed) {
    const auto& keys = scene_.session->colourKeys(line.rank);
    std::map<QRgb, QPainterPath> fills;
    std::map<QRgb, QPainterPath> outlines;
    QRectF open;  // the last box, which the next one of its colour may continue
    QRgb openColour = 0;
    const auto close = [&] {
      if (!open.isEmpty()) fills[openColour].addRect(open);
      open = {};
    };
    for (const VisibleRun& run : runs_) {
      const RunColours::Look& look = colours.of(keys[run.slice.index()], dimmed);
      const auto level = static_cast<std::size_t>(run.folded ? RunColours::levelOf(run.coverage)
                                                             : RunColours::kLevels);
      const QRectF box = boxOf(run, rect);
      if (look.fill[level] == openColour && open.right() == box.left()) {
        open.setRight(box.right());
      } else {
        close();
        open = box;
        openColour = look.fill[level];
      }
      if (look.outlined && !run.folded)
        outlines[look.outline].addRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    close();
    painter_.setPen(Qt::NoPen);
    for (const auto& [colour, path] : fills) {
      painter_.setBrush(QColor::fromRgb(colour));
      painter_.drawPath(path);
    }
    painter_.setBrush(Qt::NoBrush);
    for (const auto& [colour, path] : outlines) {
      painter_.setPen(QPen(QColor::fromRgb(colour), 1));
      painter_.drawPath(path);
    }
    if (line.height >= kLowestLabelled && !dimmed) paintLabels(line, rect, colours);
  }

  [[nodiscard]] QRectF boxOf(const VisibleRun& run, const QRectF& rect) const {
    const int width = run.x1 - run.x0;
    return {area_.left() + run.x0, rect.top(), static_cast<double>(width >= 4 ? width - 1 : width),
            rect.height()};
  }

  void paintLabels(const LayoutLine& line, const QRectF& rect, const RunColours& colours) {
    const auto& keys = scene_.session->colourKeys(line.rank);
    const double baseline =
        std::round(rect.top() + (rect.height() - metrics_.height()) / 2 + metrics_.ascent());
    for (const VisibleRun& run : runs_) {
      const QRectF box = boxOf(run, rect);
      if (run.folded || box.width() < kNarrowestLabelled) continue;
      const QString text = metrics_.elidedText(
          labelText(scene_.session->trace(line.rank), run.slice), Qt::ElideMiddle, box.width() - 6);
      if (text.size() < 6 && text.contains(QChar(0x2026))) continue;
      painter_.setPen(QColor::fromRgb(colours.of(keys[run.slice.index()], false).text));
      painter_.drawText(QPointF(box.left() + 3, baseline), text);
    }
  }

  QPainter& painter_;
  const TimelineScene& scene_;
  const QFontMetricsF metrics_;
  const QRectF area_;
  std::vector<VisibleRun> runs_;
};

void paintRowBackgrounds(QPainter& painter, const TimelineScene& scene) {
  const QRectF area = scene.rowsArea();
  const TimelineGeometry geometry = scene.geometry();
  const auto& lines = scene.layout->lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto rect = geometry.lineRect(lines[i]);
    if (!rect) continue;
    // A track's colour reaches to the next line, over the gap.
    if (i + 1 < lines.size()) rect->setHeight(lines[i + 1].y - lines[i].y);
    const bool heading =
        lines[i].kind == LayoutLine::Kind::group || lines[i].kind == LayoutLine::Kind::rank;
    if (heading) {
      painter.fillRect(*rect, scene.palette->chrome);
      painter.fillRect(QRectF(rect->left(), rect->top(), rect->width(), 1), scene.palette->line);
    } else if (RowPainter::isAlternate(lines[i])) {
      painter.fillRect(*rect, scene.palette->alternate);
    }
  }
  const TimeAxis axis(scene.span, area.left(), area.width());
  for (const TimeTicks::Tick& tick : timeTicks(scene.span, area.width(), 90, scene.zero).ticks) {
    const double x = std::floor(axis.xOf(tick.time));
    if (!tick.labelled || x < area.left() || x >= area.right()) continue;
    painter.fillRect(QRectF(x, area.top(), 1, area.height()), scene.palette->grid);
  }
}

}  // namespace

void RowPainter::paintVector(QPainter& painter, const TimelineScene& scene) {
  const TimelineGeometry geometry = scene.geometry();
  const RunColours colours[2] = {{*scene.palette, scene.palette->background},
                                 {*scene.palette, scene.palette->alternate}};
  painter.setFont(scene.font);
  paintRowBackgrounds(painter, scene);
  VectorRows rows(painter, scene);
  for (const LayoutLine& line : scene.layout->lines()) {
    if (line.kind != LayoutLine::Kind::row) continue;
    if (const auto rect = geometry.lineRect(line))
      rows.paintRow(line, *rect, colours[isAlternate(line) ? 1 : 0]);
  }
  paintCounters(painter, scene);
}

}  // namespace ridgeline
