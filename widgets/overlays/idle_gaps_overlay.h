#pragma once

#include <map>

#include "widgets/common/analyses.h"
#include "widgets/timeline/overlay.h"

namespace ridgeline {

/// Idle gaps of devices, red-hatched over the stream rows, labelled with cause and length where
/// there is room. Gaps can be hovered, selected and walked with [ and ].
class IdleGapsOverlay : public Overlay {
  Q_OBJECT

 public:
  IdleGapsOverlay(Session& session, Analyses& analyses, QObject* parent = nullptr);

  [[nodiscard]] QString id() const override { return QStringLiteral("idle_gaps"); }
  [[nodiscard]] QString title() const override { return tr("Idle gaps"); }
  [[nodiscard]] bool aboveSlices() const override { return false; }
  void paint(QPainter& painter, const TimelineGeometry& geometry) const override;
  [[nodiscard]] std::optional<OverlayHit> hitTest(const QPointF& pos,
                                                  const TimelineGeometry& geometry) const override;
  [[nodiscard]] std::optional<ItemRef> itemAfter(TimeNs time) const override;
  [[nodiscard]] std::optional<ItemRef> itemBefore(TimeNs time) const override;
  [[nodiscard]] std::vector<LegendEntry> legend(const TimelineGeometry& geometry) const override;

 private:
  /// One rank's gaps prepared for drawing: indices by length and by device and time.
  struct Index {
    std::shared_ptr<const AnalysisResults> results;
    std::vector<std::uint32_t> byLength;                                    ///< longest first
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> ofDevice;  ///< range in gaps
  };
  void rebuild(std::uint32_t rank);
  [[nodiscard]] ItemRef itemOf(std::uint32_t rank, std::size_t gap) const;
  /// Gaps of a device that show at least `pixels` wide.
  [[nodiscard]] std::vector<std::uint32_t> visibleGaps(std::uint32_t rank, const Index& index,
                                                       DeviceId device,
                                                       const TimelineGeometry& geometry,
                                                       double pixels) const;
  void paintGap(QPainter& painter, const TimelineGeometry& geometry, const IdleGap& gap,
                const std::vector<QRectF>& rows, bool active) const;

  Session& session_;
  Analyses& analyses_;
  std::map<std::uint32_t, Index> indices_;
};

}  // namespace ridgeline
