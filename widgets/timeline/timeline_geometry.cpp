#include "widgets/timeline/timeline_geometry.h"

namespace ridgeline {

std::optional<QRectF> TimelineGeometry::lineRect(const LayoutLine& line) const {
  const QRectF rect(area_.left(), area_.top() + line.y - scrollY_, area_.width(), line.height);
  if (rect.bottom() <= area_.top() || rect.top() >= area_.bottom()) return std::nullopt;
  return rect;
}

std::optional<QRectF> TimelineGeometry::rowRect(std::uint32_t rank, RowId row) const {
  const int line = layout_->lineOf(rank, row);
  if (line < 0) return std::nullopt;
  return lineRect(layout_->lines()[static_cast<std::size_t>(line)]);
}

std::optional<QRectF> TimelineGeometry::trackRect(std::uint32_t rank, TrackId track) const {
  std::optional<QRectF> all;
  const Track& t = session_->trace(rank).track(track);
  for (std::uint32_t r = 0; r < t.rowCount; ++r)
    if (const auto rect = rowRect(rank, RowId(t.firstRow.index() + r)))
      all = all ? all->united(*rect) : *rect;
  return all;
}

std::vector<QRectF> TimelineGeometry::streamRects(std::uint32_t rank, DeviceId device) const {
  std::vector<QRectF> all;
  for (const TrackId track : session_->trace(rank).devices()[device.index()].streams)
    if (const auto rect = trackRect(rank, track)) all.push_back(*rect);
  return all;
}

std::optional<QRectF> TimelineGeometry::deviceRect(std::uint32_t rank, DeviceId device) const {
  std::optional<QRectF> all;
  for (const QRectF& rect : streamRects(rank, device)) all = all ? all->united(rect) : rect;
  return all;
}

std::optional<QRectF> TimelineGeometry::laneRect(const QString& overlay, int lane) const {
  const int line = layout_->laneLine(overlay, static_cast<std::uint32_t>(lane));
  if (line < 0) return std::nullopt;
  return lineRect(layout_->lines()[static_cast<std::size_t>(line)]);
}

std::optional<QRectF> TimelineGeometry::sliceRect(SliceRef slice) const {
  const auto rect = sliceRectAnywhere(slice);
  if (!rect || rect->bottom() <= area_.top() || rect->top() >= area_.bottom()) return std::nullopt;
  return rect;
}

std::optional<QRectF> TimelineGeometry::sliceRectAnywhere(SliceRef slice) const {
  if (!slice.valid() || slice.rank >= session_->ranks().size()) return std::nullopt;
  const SliceTable& slices = session_->trace(slice.rank).slices();
  if (slice.id.index() >= slices.size()) return std::nullopt;
  const int index = layout_->lineOf(slice.rank, slices.row[slice.id.index()]);
  if (index < 0) return std::nullopt;
  const LayoutLine& line = layout_->lines()[static_cast<std::size_t>(index)];
  return spanRect(session_->spanOf(slice), QRectF(area_.left(), area_.top() + line.y - scrollY_,
                                                  area_.width(), line.height));
}

QRectF TimelineGeometry::spanRect(TimeSpan span, const QRectF& rows) const {
  const double left = xOf(span.begin);
  return {left, rows.top(), xOf(span.end) - left, rows.height()};
}

}  // namespace ridgeline
