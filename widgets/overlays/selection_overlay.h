#pragma once

#include "widgets/timeline/overlay.h"

namespace ridgeline {

/// The thick outline of the active slice.
class SelectionOverlay : public Overlay {
  Q_OBJECT

 public:
  using Overlay::Overlay;
  [[nodiscard]] QString id() const override { return QStringLiteral("selection"); }
  [[nodiscard]] QString title() const override { return tr("Selection"); }
  [[nodiscard]] bool switchable() const override { return false; }
  void paint(QPainter& painter, const TimelineGeometry& geometry) const override;
};

}  // namespace ridgeline
