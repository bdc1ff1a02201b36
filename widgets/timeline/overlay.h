#pragma once

#include <optional>
#include <vector>

#include <QColor>
#include <QObject>
#include <QString>

#include "widgets/timeline/timeline_geometry.h"

class QPainter;

namespace ridgeline {

/// One line of a legend: what a look in the timeline means.
struct LegendEntry {
  enum class Look { fill, outline, hatch, line };
  QColor colour;
  Look look = Look::fill;
  QString text;
};

/// A row that an overlay wants between the rows of the trace ("exposed time", "queue depth").
/// The overlay draws it in paint() at TimelineGeometry::laneRect(id(), index in lanes()).
struct Lane {
  using Place = LaneRequest::Place;  // top, belowDevice, belowTrack, bottom
  Place place = Place::bottom;
  std::uint32_t rank = 0;
  DeviceId device;  ///< belowDevice
  TrackId track;    ///< belowTrack
  QString title;
  double height = 20;  ///< logical pixels at the default font
};

/// What is under the cursor in an overlay.
struct OverlayHit {
  ItemRef item;
  QRectF rect;   ///< drawn with the hover outline
  QString text;  ///< hover text: plain lines, the first one bold
};

/// Something painted over the rows: steps, idle gaps, the critical path, notes. The timeline knows
/// overlays only by this contract. An overlay takes its data from the Session and from analysis
/// results; it must paint in time proportional to pixels, not to events, and must not block.
class Overlay : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  /// The word of the analysis: "idle_gaps". Used for the switch and for ItemRef::kind.
  [[nodiscard]] virtual QString id() const = 0;
  /// For the Overlays menu: "Idle gaps".
  [[nodiscard]] virtual QString title() const = 0;
  /// Selection and links are always on and not in the menu.
  [[nodiscard]] virtual bool switchable() const { return true; }

  /// Rows of its own. Emit lanesChanged() when they become others.
  [[nodiscard]] virtual std::vector<Lane> lanes() const { return {}; }

  /// Paints over the rows; the painter is clipped to geometry.area(), without antialiasing.
  virtual void paint(QPainter& painter, const TimelineGeometry& geometry) const = 0;

  /// The thing at `pos`, if this overlay has one there.
  [[nodiscard]] virtual std::optional<OverlayHit> hitTest(const QPointF& pos,
                                                          const TimelineGeometry& geometry) const {
    Q_UNUSED(pos)
    Q_UNUSED(geometry)
    return std::nullopt;
  }
  /// Whether its things lie above the slices: then a hit wins over a slice at the same place.
  /// Gaps lie between slices and leave those that reach into them their clicks.
  [[nodiscard]] virtual bool aboveSlices() const { return true; }
  /// A click on a hit; the timeline then makes it the session's active item. Return true when the
  /// overlay has dealt with the click itself.
  virtual bool clicked(const OverlayHit& hit) {
    Q_UNUSED(hit)
    return false;
  }
  /// For `[` and `]`: the next item that begins after (or the last that begins before) `time`.
  [[nodiscard]] virtual std::optional<ItemRef> itemAfter(TimeNs time) const {
    Q_UNUSED(time)
    return std::nullopt;
  }
  [[nodiscard]] virtual std::optional<ItemRef> itemBefore(TimeNs time) const {
    Q_UNUSED(time)
    return std::nullopt;
  }
  /// More lines for a slice's tooltip ("exposed 12.4 µs"); may be empty.
  [[nodiscard]] virtual QString sliceText(SliceRef slice) const {
    Q_UNUSED(slice)
    return {};
  }
  [[nodiscard]] virtual std::vector<LegendEntry> legend(const TimelineGeometry& geometry) const {
    Q_UNUSED(geometry)
    return {};
  }

 Q_SIGNALS:
  /// Paint again (data or look changed).
  void changed();
  void lanesChanged();
};

}  // namespace ridgeline
