#pragma once

#include "widgets/common/analyses.h"
#include "widgets/timeline/overlay.h"

namespace ridgeline {

/// The steps as a lane on top, their borders as lines through the rows.
class StepsOverlay : public Overlay {
  Q_OBJECT

 public:
  StepsOverlay(Session& session, Analyses& analyses, QObject* parent = nullptr);

  [[nodiscard]] QString id() const override { return QStringLiteral("steps"); }
  [[nodiscard]] QString title() const override { return tr("Steps"); }
  [[nodiscard]] std::vector<Lane> lanes() const override;
  void paint(QPainter& painter, const TimelineGeometry& geometry) const override;
  [[nodiscard]] std::optional<OverlayHit> hitTest(const QPointF& pos,
                                                  const TimelineGeometry& geometry) const override;

 private:
  struct Place {
    std::size_t step;
    QRectF rect;
  };
  [[nodiscard]] std::vector<Place> visible(std::uint32_t rank, int lane,
                                           const TimelineGeometry& geometry) const;
  /// Ranks that have marked steps, in the order of their lanes.
  [[nodiscard]] std::vector<std::uint32_t> ranksWithSteps() const;

  Session& session_;
  Analyses& analyses_;
};

}  // namespace ridgeline
