#pragma once

#include <optional>
#include <vector>

#include <QPointF>
#include <QString>

#include "core/index/row_query.h"
#include "widgets/timeline/overlay.h"
#include "widgets/timeline/row_layout.h"

namespace ridgeline {

/// What lies under a point of the rows.
struct HoverTarget {
  int line = -1;      ///< of the layout; -1 outside
  SliceRef slice;     ///< the slice, or the longest of those folded into the pixel
  SliceRange folded;  ///< more than one: the slices that share the pixel
  const Overlay* overlay = nullptr;
  std::optional<OverlayHit> hit;

  [[nodiscard]] bool isFolded() const { return folded.count() > 1; }
  [[nodiscard]] bool operator==(const HoverTarget& o) const {
    return line == o.line && slice == o.slice && folded.count() == o.folded.count() &&
           overlay == o.overlay && hit.has_value() == o.hit.has_value() &&
           (!hit || hit->item == o.hit->item);
  }
};

/// Finds what is under `pos`: overlays from top to bottom, then the row's slices with two pixels of
/// tolerance.
[[nodiscard]] HoverTarget hoverTargetAt(const TimelineGeometry& geometry,
                                        const std::vector<const Overlay*>& overlays,
                                        const QPointF& pos);
/// The tooltip (rich text); empty over nothing.
[[nodiscard]] QString hoverText(const TimelineGeometry& geometry,
                                const std::vector<const Overlay*>& overlays,
                                const HoverTarget& target);
/// Makes what is under `pos` the active slice or item, so that a menu there speaks of it; a marked
/// span around `pos` and a selection that holds the slice stay what they are.
void chooseUnder(Session& session, const TimelineGeometry& geometry, const HoverTarget& target,
                 const QPointF& pos);
/// The span from the first to the last slice folded into the target's pixel, session time.
[[nodiscard]] TimeSpan foldedSpan(const Session& session, const HoverTarget& target);

}  // namespace ridgeline
