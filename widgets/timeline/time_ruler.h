#pragma once

#include <optional>

#include <QPointF>
#include <QWidget>

namespace ridgeline {

class TimelineView;

/// The time axis above the rows. Dragging zooms to the dragged span (with Shift: marks it),
/// double-click shows all.
class TimeRuler : public QWidget {
  Q_OBJECT

 public:
  explicit TimeRuler(TimelineView& view, QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  TimelineView& view_;
  double cursorX_ = -1;
  std::optional<double> dragFrom_;
  double dragTo_ = 0;
};

}  // namespace ridgeline
