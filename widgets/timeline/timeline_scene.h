#pragma once

#include <vector>

#include <QFont>
#include <QSizeF>

#include "widgets/timeline/overlay.h"
#include "widgets/timeline/row_layout.h"
#include "widgets/timeline/timeline_geometry.h"

namespace ridgeline {

/// All that one drawing of the timeline depends on; the same for the screen and for a picture.
struct TimelineScene {
  const Session* session = nullptr;
  TimeSpan span{0, 1};  ///< visible, session time
  std::shared_ptr<const RowLayout> layout = std::make_shared<const RowLayout>();
  double scrollY = 0;      ///< first visible y of the layout
  QSizeF size;             ///< of everything: header column, ruler and rows
  double headerWidth = 0;  ///< 0: no header column
  double rulerHeight = 0;  ///< 0: no ruler
  const Palette* palette = nullptr;
  QFont font;
  TimeNs zero = 0;                       ///< session time that the ruler calls 0
  std::vector<const Overlay*> overlays;  ///< bottom to top; those that are switched off left out

  [[nodiscard]] QRectF rowsArea() const {
    return {headerWidth, rulerHeight, size.width() - headerWidth, size.height() - rulerHeight};
  }
  [[nodiscard]] TimelineGeometry geometry() const {
    const QRectF area = rowsArea();
    return {*session, *layout, TimeAxis(span, area.left(), area.width()), area, scrollY, *palette};
  }
};

}  // namespace ridgeline
