#pragma once

#include "widgets/common/what_if_model.h"
#include "widgets/timeline/overlay.h"

namespace ridgeline {

/// The ghost of the step that the "What if" panel asks about: outlines where its device work would
/// run then, and a line where the step would end. Off until somebody asks for it.
class WhatIfOverlay : public Overlay {
  Q_OBJECT

 public:
  WhatIfOverlay(Session& session, WhatIfModel& model, QObject* parent = nullptr);

  [[nodiscard]] QString id() const override { return QStringLiteral("what_if"); }
  [[nodiscard]] QString title() const override { return tr("What if (ghost)"); }
  void paint(QPainter& painter, const TimelineGeometry& geometry) const override;
  [[nodiscard]] std::vector<LegendEntry> legend(const TimelineGeometry& geometry) const override;

 private:
  void paintRow(QPainter& painter, const TimelineGeometry& geometry,
                std::span<const WhatIfModel::Ghost> ghosts) const;
  Session& session_;
  WhatIfModel& model_;
};

}  // namespace ridgeline
