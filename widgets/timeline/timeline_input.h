#pragma once

#include <optional>

#include <QPoint>
#include <QPointF>

#include "core/base/time.h"

class QEvent;
class QKeyEvent;
class QMouseEvent;
class QNativeGestureEvent;
class QGestureEvent;
class QPainter;
class QWheelEvent;

namespace ridgeline {

class TimelineView;

/// Mouse, wheel, gestures and keys of a TimelineView, turned into calls of the view and of the
/// session's TimeView. Each of them changes state only; painting follows once per frame.
class TimelineInput {
 public:
  explicit TimelineInput(TimelineView& view) : view_(view) {}

  /// An event of the viewport; true when it was used up.
  bool handle(QEvent* event);
  bool key(QKeyEvent* event);
  /// The span that is being marked.
  void paint(QPainter& painter) const;

 private:
  enum class Drag { none, undecided, pan, mark };

  bool wheel(QWheelEvent* event);
  bool press(QMouseEvent* event);
  bool move(QMouseEvent* event);
  bool release(QMouseEvent* event);
  bool nativeGesture(QNativeGestureEvent* event);
  bool gesture(QGestureEvent* event);
  void pan(const QPointF& to);
  bool sliceKey(QKeyEvent* event);
  bool viewKey(QKeyEvent* event);

  TimelineView& view_;
  Drag drag_ = Drag::none;
  QPointF pressed_;
  QPointF last_;
  TimeSpan spanAtPress_;
  double scrollAtPress_ = 0;
  bool ignoreRelease_ = false;
};

}  // namespace ridgeline
