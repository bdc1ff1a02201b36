#include "widgets/timeline/timeline_renderer.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QPainter>

#include "core/index/row_query.h"
#include "widgets/timeline/margin_painter.h"
#include "widgets/timeline/row_painter.h"

namespace ridgeline {

void TimelineRenderer::render(QPainter& painter, const TimelineScene& scene, Output output,
                              double pixelRatio) {
  const QRectF area = scene.rowsArea();
  painter.fillRect(QRectF(QPointF(0, 0), scene.size), scene.palette->background);
  painter.save();
  painter.setClipRect(area);
  if (output == Output::pixels) {
    QImage image((area.size() * pixelRatio).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(pixelRatio);
    RowPainter rows;
    do {
      rows.paint(image, scene);
    } while (rows.wantsAnotherFrame());
    painter.drawImage(area.topLeft(), image);
  } else {
    RowPainter::paintVector(painter, scene);
  }
  const TimelineGeometry geometry = scene.geometry();
  for (const Overlay* overlay : scene.overlays) {
    painter.save();
    painter.setFont(scene.font);
    overlay->paint(painter, geometry);
    painter.restore();
  }
  painter.restore();
  if (scene.rulerHeight > 0)
    paintRuler(painter, {area.left(), 0, area.width(), scene.rulerHeight}, scene);
  if (scene.headerWidth > 0) {
    painter.save();
    painter.setClipRect(QRectF(0, area.top(), scene.headerWidth, area.height()));
    paintHeader(painter, {0, area.top(), scene.headerWidth, area.height()}, scene);
    painter.restore();
    if (scene.rulerHeight > 0)
      painter.fillRect(QRectF(0, 0, scene.headerWidth, scene.rulerHeight), scene.palette->chrome);
  }
}

TimelineScene TimelineRenderer::sceneOf(const Session& session, const QSizeF& size,
                                        const QFont& font, const Palette& palette,
                                        std::vector<const Overlay*> overlays,
                                        const FoldState& folds) {
  TimelineScene scene;
  scene.session = &session;
  scene.span = session.view().span();
  scene.layout = layoutOf(session, font, overlays, folds, scene.span);
  scene.size = size;
  scene.headerWidth = headerWidthFor(*scene.layout, font);
  scene.rulerHeight = rulerHeightFor(font);
  scene.palette = &palette;
  scene.font = font;
  scene.overlays = std::move(overlays);
  return scene;
}

std::vector<LaneRequest> TimelineRenderer::laneRequests(
    const std::vector<const Overlay*>& overlays) {
  std::vector<LaneRequest> requests;
  for (const Overlay* overlay : overlays) {
    std::uint32_t index = 0;
    for (const Lane& lane : overlay->lanes())
      requests.push_back({overlay->id(), index++, lane.place, lane.rank, lane.device, lane.track,
                          lane.title, lane.height});
  }
  return requests;
}

bool TimelineRenderer::isQuiet(const Session& session, std::uint32_t rank, TrackId track,
                               TimeSpan span) {
  const Trace& trace = session.trace(rank);
  const TimeSpan local = session.toTrace(rank, span);
  for (const Row& row : trace.rowsOf(track)) {
    // Deeper nested rows lie inside the first.
    if (row.depth > 0 && !row.spill) continue;
    if (slicesTouching(trace.slices(), row, local).count() > 0) return false;
  }
  return true;
}

std::shared_ptr<const RowLayout> TimelineRenderer::layoutOf(
    const Session& session, const QFont& font, const std::vector<const Overlay*>& overlays,
    const FoldState& folds, TimeSpan span, const RowLayout::TrackPredicate& wanted) {
  std::vector<const Trace*> traces;
  for (const LoadedTrace& rank : session.ranks()) traces.push_back(rank.trace.get());
  const auto lanes = laneRequests(overlays);
  return std::make_shared<const RowLayout>(RowLayout::build(
      traces, RowMetrics::forFontHeight(QFontMetricsF(font).height()), folds, lanes,
      [&](std::uint32_t rank, TrackId track) { return isQuiet(session, rank, track, span); },
      wanted));
}

double TimelineRenderer::headerWidthFor(const RowLayout& layout, const QFont& font) {
  QFont bold = font;
  bold.setWeight(QFont::DemiBold);
  const QFontMetricsF metrics(font), boldMetrics(bold);
  constexpr double kMargin = 34;
  constexpr double kWidest = 240;
  // Measuring a text takes microseconds. Of a million lines the first ones tell, and longer texts.
  constexpr std::size_t kMeasured = 4096;
  std::size_t measured = 0;
  qsizetype longest = 0;
  double widest = 90;
  for (const LayoutLine& line : layout.lines()) {
    if (line.title.isEmpty() || (measured >= kMeasured && line.title.size() <= longest)) continue;
    ++measured;
    longest = std::max(longest, line.title.size());
    const bool heading = line.kind == LayoutLine::Kind::group;
    widest = std::max(widest, (heading ? boldMetrics : metrics).horizontalAdvance(line.title));
    if (widest + kMargin >= kWidest) break;
  }
  return std::round(std::min(widest + kMargin, kWidest));
}

double TimelineRenderer::rulerHeightFor(const QFont& font) {
  return std::round(QFontMetricsF(font).height()) + 11;
}

}  // namespace ridgeline
