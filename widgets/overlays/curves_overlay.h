#pragma once

#include <map>
#include <memory>

#include "widgets/common/analyses.h"
#include "widgets/overlays/step_curve.h"
#include "widgets/timeline/overlay.h"

namespace ridgeline {

/// Step functions of analyses as lanes below devices or streams, on the time axis of the rows. For
/// every pixel column the whole range of values that occur in it is drawn, never samples.
class CurvesOverlay : public Overlay {
  Q_OBJECT

 public:
  CurvesOverlay(Session& session, Analyses& analyses, QObject* parent = nullptr);

  [[nodiscard]] std::vector<Lane> lanes() const override;
  void paint(QPainter& painter, const TimelineGeometry& geometry) const override;
  [[nodiscard]] std::optional<OverlayHit> hitTest(const QPointF& pos,
                                                  const TimelineGeometry& geometry) const override;
  /// A lane is looked at, not selected.
  bool clicked(const OverlayHit& hit) override;

 protected:
  /// One lane.
  struct Curve {
    Lane lane;
    StepCurve line;                                   ///< drawn filled
    StepCurve limit;                                  ///< drawn as a line above it; may be empty
    std::vector<std::pair<TimeSpan, QString>> marks;  ///< short upright strokes, by time
    double top = 0;                                   ///< value at the upper edge
  };
  /// The curves of one rank, without lane.rank. Called when its results are there.
  [[nodiscard]] virtual std::vector<Curve> curvesOf(const AnalysisResults& results) const = 0;
  /// "412 waiting"
  [[nodiscard]] virtual QString textOf(double value) const = 0;
  /// What the lane shows and where it comes from.
  [[nodiscard]] virtual QString explanation() const = 0;
  /// The same for the limit.
  [[nodiscard]] virtual QString limitTextOf(double value) const {
    Q_UNUSED(value)
    return {};
  }

 private:
  void rebuild(std::uint32_t rank);
  void paintCurve(QPainter& painter, const TimelineGeometry& geometry, const Curve& curve,
                  const QRectF& rect) const;

  Session& session_;
  Analyses& analyses_;
  std::map<std::uint32_t, std::vector<Curve>> curves_;
};

/// Launched work that waits in each stream, below the stream.
class QueueDepthOverlay : public CurvesOverlay {
  Q_OBJECT

 public:
  using CurvesOverlay::CurvesOverlay;
  [[nodiscard]] QString id() const override { return QStringLiteral("queue_depth"); }
  [[nodiscard]] QString title() const override { return tr("Queue depth"); }

 protected:
  [[nodiscard]] std::vector<Curve> curvesOf(const AnalysisResults& results) const override;
  [[nodiscard]] QString textOf(double value) const override;
  [[nodiscard]] QString explanation() const override;
};

/// Allocated and reserved memory of each device, with the calls of its allocator, below the device.
class MemoryOverlay : public CurvesOverlay {
  Q_OBJECT

 public:
  using CurvesOverlay::CurvesOverlay;
  [[nodiscard]] QString id() const override { return QStringLiteral("memory"); }
  [[nodiscard]] QString title() const override { return tr("Memory"); }

 protected:
  [[nodiscard]] std::vector<Curve> curvesOf(const AnalysisResults& results) const override;
  [[nodiscard]] QString textOf(double value) const override;
  [[nodiscard]] QString limitTextOf(double value) const override;
  [[nodiscard]] QString explanation() const override;
};

}  // namespace ridgeline
