#pragma once

#include <map>
#include <memory>

#include "core/analysis/exposure.h"
#include "widgets/common/analyses.h"
#include "widgets/timeline/overlay.h"

namespace ridgeline {

/// Kernel classes as the colours of slices: it paints nothing itself, but switches the colours,
/// names them in the legend, and says class and exposed time on hover.
class KernelGroupsOverlay : public Overlay {
  Q_OBJECT

 public:
  KernelGroupsOverlay(Session& session, Analyses& analyses, QObject* parent = nullptr);

  [[nodiscard]] QString id() const override { return QStringLiteral("kernel_groups"); }
  [[nodiscard]] QString title() const override { return tr("Kernel classes"); }
  void paint(QPainter& painter, const TimelineGeometry& geometry) const override;
  [[nodiscard]] QString sliceText(SliceRef slice) const override;
  [[nodiscard]] std::vector<LegendEntry> legend(const TimelineGeometry& geometry) const override;

 private:
  void recolour(std::uint32_t rank);

  Session& session_;
  Analyses& analyses_;
  /// Made when a rank is first asked about; belongs to the workload beside it.
  mutable std::map<std::uint32_t, std::pair<std::shared_ptr<const Workload>, Exposure>> exposure_;
};

}  // namespace ridgeline
