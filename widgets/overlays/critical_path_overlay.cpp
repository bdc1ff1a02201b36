#include "widgets/overlays/critical_path_overlay.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <QPainter>

#include "widgets/common/format.h"

namespace ridgeline {

bool isWaiting(PathCause cause) {
  switch (cause) {
    case PathCause::launchLatency:
    case PathCause::queueing:
    case PathCause::hostGap:
    case PathCause::streamWait:
    case PathCause::untraced:
      return true;
    default:
      return false;
  }
}

CriticalPathOverlay::CriticalPathOverlay(Session& session, Analyses& analyses, QObject* parent)
    : Overlay(parent), session_(session), analyses_(analyses) {
  connect(&analyses_, &Analyses::resultsChanged, this, &Overlay::changed);
}

void CriticalPathOverlay::paint(QPainter& painter, const TimelineGeometry& geometry) const {
  for (std::uint32_t rank = 0; rank < session_.ranks().size(); ++rank) {
    const auto results = analyses_.results(rank);
    if (!results) continue;
    for (const CriticalPath& path : results->criticalPaths.paths)
      if (session_.toSession(rank, path.window).intersects(geometry.span()))
        paintPath(painter, geometry, rank, path);
  }
}

void CriticalPathOverlay::paintPath(QPainter& painter, const TimelineGeometry& geometry,
                                    std::uint32_t rank, const CriticalPath& path) const {
  const Palette& colours = geometry.palette();
  const Trace& trace = session_.trace(rank);
  const TimeSpan visible = session_.toTrace(rank, geometry.span());
  auto it = std::partition_point(path.segments.begin(), path.segments.end(),
                                 [&](const PathSegment& s) { return s.span.end < visible.begin; });
  // Below a pixel segments of one row fold into one mark, so that a frame's cost is bounded by what
  // can be seen: by row, where the last mark ended.
  std::map<double, double> markedTo;
  // What is too narrow to be read stays faint: thousands of marks must not hide the rows.
  const QColor faint = mix(colours.criticalPath, colours.background, 0.5);
  double previousY = -1;
  double lastConnector = geometry.area().left() - 4;
  for (; it != path.segments.end() && it->span.begin <= visible.end; ++it) {
    if (!it->event.valid()) {
      previousY = -1;
      continue;
    }
    const auto row = geometry.rowRect(rank, trace.slices().row[it->event.index()]);
    if (!row) {
      previousY = -1;
      continue;
    }
    const double y = row->bottom() - 2;
    const double x0 = geometry.xOf(rank, it->span.begin);
    const double x1 = std::max(geometry.xOf(rank, it->span.end), x0 + 1);
    if (previousY >= 0 && previousY != y && x0 >= lastConnector + 8) {
      painter.fillRect(QRectF(std::floor(x0), std::min(previousY, y), 1, std::abs(y - previousY)),
                       faint);
      lastConnector = x0;
    }
    previousY = y;
    double& marked = markedTo.try_emplace(y, geometry.area().left() - 32).first->second;
    if (x1 <= marked) continue;
    const double from = std::max(x0, marked);
    if (x1 - x0 < 3) {
      const double left = std::floor(from);
      painter.fillRect(QRectF(left, y, std::max(1.0, std::floor(x1) - left), 2), faint);
      marked = std::max(left + 1, std::floor(x1));
      continue;
    }
    if (isWaiting(it->cause) && x1 - from > 6) {
      for (double x = from; x < x1; x += 6)
        painter.fillRect(QRectF(x, y, std::min(3.0, x1 - x), 2), colours.criticalPath);
    } else {
      painter.fillRect(QRectF(from, y - 1, x1 - from, 3), colours.criticalPath);
    }
    marked = x1;
  }
}

QString CriticalPathOverlay::sliceText(SliceRef slice) const {
  const auto results = analyses_.results(slice.rank);
  if (!results) return {};
  const TimeSpan span = session_.trace(slice.rank).slices().span(slice.id);
  TimeNs onPath = 0;
  for (const CriticalPath& path : results->criticalPaths.paths) {
    if (!path.window.intersects(span)) continue;
    auto it = std::partition_point(path.segments.begin(), path.segments.end(),
                                   [&](const PathSegment& s) { return s.span.end <= span.begin; });
    for (; it != path.segments.end() && it->span.begin < span.end; ++it)
      if (it->event == slice.id && !isWaiting(it->cause)) onPath += it->span.length();
  }
  return onPath > 0 ? tr("on the critical path for %1").arg(formatDuration(onPath)) : QString();
}

std::vector<LegendEntry> CriticalPathOverlay::legend(const TimelineGeometry& geometry) const {
  for (std::uint32_t rank = 0; rank < session_.ranks().size(); ++rank) {
    const auto results = analyses_.results(rank);
    if (!results) continue;
    for (const CriticalPath& path : results->criticalPaths.paths)
      if (session_.toSession(rank, path.window).intersects(geometry.span()))
        return {{geometry.palette().criticalPath, LegendEntry::Look::line,
                 tr("critical path (dashed: waiting)")}};
  }
  return {};
}

}  // namespace ridgeline
