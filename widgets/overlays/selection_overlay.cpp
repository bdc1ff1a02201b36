#include "widgets/overlays/selection_overlay.h"

#include <QPainter>

namespace ridgeline {

void SelectionOverlay::paint(QPainter& painter, const TimelineGeometry& geometry) const {
  auto rect = geometry.sliceRect(geometry.session().active());
  if (!rect) return;
  // Thinner than the outline: widened, or it would vanish.
  if (rect->width() < 4) rect->adjust(-(4 - rect->width()) / 2, 0, (4 - rect->width()) / 2, 0);
  painter.setBrush(Qt::NoBrush);
  // A halo in the background's colour sets the outline off from any fill.
  painter.setPen(QPen(geometry.palette().background, 4));
  painter.drawRect(*rect);
  painter.setPen(QPen(geometry.palette().accent, 2));
  painter.drawRect(*rect);
}

}  // namespace ridgeline
