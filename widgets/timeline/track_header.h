#pragma once

#include <QWidget>

namespace ridgeline {

class TimelineView;

/// The names beside the rows; a click folds a process, a device or a track, shows quiet threads or
/// deeper rows.
class TrackHeader : public QWidget {
  Q_OBJECT

 public:
  explicit TrackHeader(TimelineView& view, QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  [[nodiscard]] int lineAt(double y) const;
  [[nodiscard]] QString toolTipOf(int line) const;

  TimelineView& view_;
  int hovered_ = -1;
};

}  // namespace ridgeline
