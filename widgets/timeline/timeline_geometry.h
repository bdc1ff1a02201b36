#pragma once

#include <optional>
#include <vector>

#include <QRectF>
#include <QString>

#include "widgets/common/session.h"
#include "widgets/timeline/row_layout.h"
#include "widgets/timeline/time_axis.h"

namespace ridgeline {

/// Where things are in one drawing of the timeline: on screen or in an exported picture. Made anew
/// for each frame, cheap to copy, valid only while the frame is drawn. All x and y are logical
/// pixels of the painter that the overlay is given.
class TimelineGeometry {
 public:
  TimelineGeometry(const Session& session, const RowLayout& layout, const TimeAxis& axis,
                   QRectF area, double scrollY, const Palette& palette)
      : session_(&session),
        layout_(&layout),
        axis_(axis),
        area_(area),
        scrollY_(scrollY),
        palette_(&palette) {}

  [[nodiscard]] const Session& session() const { return *session_; }
  [[nodiscard]] const Palette& palette() const { return *palette_; }
  [[nodiscard]] const RowLayout& layout() const { return *layout_; }
  /// The part of the picture that shows rows; overlays are clipped to it.
  [[nodiscard]] QRectF area() const { return area_; }
  /// First visible y of the layout.
  [[nodiscard]] double scrollY() const { return scrollY_; }
  /// The visible span, session time.
  [[nodiscard]] TimeSpan span() const { return axis_.span(); }
  [[nodiscard]] const TimeAxis& axis() const { return axis_; }

  /// Session time to x, clamped a little outside the area: safe to draw with at any zoom.
  [[nodiscard]] double xOf(TimeNs sessionTime) const { return axis_.xOf(sessionTime); }
  [[nodiscard]] double xOf(std::uint32_t rank, TimeNs traceTime) const {
    return axis_.xOf(session_->toSession(rank, traceTime));
  }
  [[nodiscard]] TimeNs timeAt(double x) const { return axis_.timeAt(x); }

  /// A line of the layout; nothing when it is folded away or scrolled out of sight.
  [[nodiscard]] std::optional<QRectF> lineRect(const LayoutLine& line) const;
  /// The full-width rectangle of a row (one depth of a track).
  [[nodiscard]] std::optional<QRectF> rowRect(std::uint32_t rank, RowId row) const;
  /// All rows of a track together.
  [[nodiscard]] std::optional<QRectF> trackRect(std::uint32_t rank, TrackId track) const;
  /// The rows of each of a device's streams that is in sight: what lies between them (lanes of
  /// overlays, counters) is not theirs.
  [[nodiscard]] std::vector<QRectF> streamRects(std::uint32_t rank, DeviceId device) const;
  /// All rows of a device's streams together, with what lies between.
  [[nodiscard]] std::optional<QRectF> deviceRect(std::uint32_t rank, DeviceId device) const;
  /// A lane that the overlay asked for (Overlay::lanes).
  [[nodiscard]] std::optional<QRectF> laneRect(const QString& overlay, int lane) const;
  /// A slice, clipped a little outside the area; nothing when its row is not visible. May lie left
  /// or right of the area (then its width is 0).
  [[nodiscard]] std::optional<QRectF> sliceRect(SliceRef slice) const;
  /// As sliceRect, but also where the row is scrolled out of sight (for arrows that leave it).
  [[nodiscard]] std::optional<QRectF> sliceRectAnywhere(SliceRef slice) const;
  /// From one session time to another over the height of `rows`.
  [[nodiscard]] QRectF spanRect(TimeSpan span, const QRectF& rows) const;

 private:
  const Session* session_;
  const RowLayout* layout_;
  TimeAxis axis_;
  QRectF area_;
  double scrollY_;
  const Palette* palette_;
};

}  // namespace ridgeline
