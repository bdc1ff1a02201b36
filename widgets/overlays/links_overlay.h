#pragma once

#include "widgets/timeline/overlay.h"

namespace ridgeline {

/// Arrows from and to the active slice: from the launch call to the work it launched, from forward
/// to backward ops, recorded flows.
class LinksOverlay : public Overlay {
  Q_OBJECT

 public:
  using Overlay::Overlay;
  [[nodiscard]] QString id() const override { return QStringLiteral("links"); }
  [[nodiscard]] QString title() const override { return tr("Launch arrows"); }
  void paint(QPainter& painter, const TimelineGeometry& geometry) const override;
};

}  // namespace ridgeline
