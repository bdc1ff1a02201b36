#pragma once

#include "widgets/common/analyses.h"
#include "widgets/timeline/overlay.h"

namespace ridgeline {

/// The critical paths of the window's steps: a magenta line along the rows of their events, dashed
/// where the path waits, with connectors where it changes the row.
class CriticalPathOverlay : public Overlay {
  Q_OBJECT

 public:
  CriticalPathOverlay(Session& session, Analyses& analyses, QObject* parent = nullptr);

  [[nodiscard]] QString id() const override { return QStringLiteral("critical_path"); }
  [[nodiscard]] QString title() const override { return tr("Critical path"); }
  void paint(QPainter& painter, const TimelineGeometry& geometry) const override;
  [[nodiscard]] QString sliceText(SliceRef slice) const override;
  [[nodiscard]] std::vector<LegendEntry> legend(const TimelineGeometry& geometry) const override;

 private:
  void paintPath(QPainter& painter, const TimelineGeometry& geometry, std::uint32_t rank,
                 const CriticalPath& path) const;
  Session& session_;
  Analyses& analyses_;
};

/// Whether nothing runs on the path then: it waits.
[[nodiscard]] bool isWaiting(PathCause cause);

}  // namespace ridgeline
