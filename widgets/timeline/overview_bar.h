#pragma once

#include <QImage>
#include <QWidget>

#include "widgets/common/session.h"

namespace ridgeline {

/// The whole recording in a strip: how busy host and device are over time, steps as ticks, the view
/// as a frame that can be dragged; a click outside the frame moves it there, dragging its borders
/// zooms.
class OverviewBar : public QWidget {
  Q_OBJECT

 public:
  explicit OverviewBar(Session& session, QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override;
  /// Where the view's frame stands, logical pixels.
  [[nodiscard]] QRectF frame() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  enum class Grip { none, whole, left, right };

  void invalidate();
  void drawDensity();
  [[nodiscard]] Grip gripAt(double x) const;
  [[nodiscard]] double xOf(TimeNs t) const;
  [[nodiscard]] TimeNs timeAt(double x) const;

  Session& session_;
  QImage density_;
  bool dirty_ = true;
  Grip grip_ = Grip::none;
  double grabX_ = 0;
  TimeSpan grabSpan_;
};

}  // namespace ridgeline
