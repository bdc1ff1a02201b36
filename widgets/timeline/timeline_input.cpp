#include "widgets/timeline/timeline_input.h"

#include <algorithm>
#include <cmath>

#include <QApplication>
#include <QGestureEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include "widgets/common/format.h"
#include "widgets/timeline/timeline_navigation.h"
#include "widgets/timeline/timeline_view.h"

namespace ridgeline {

namespace {
constexpr double kZoomPerNotch = 1.25;
constexpr double kZoomPerKey = 1.4;
constexpr double kPanPerKey = 0.15;
constexpr double kPanPerNotch = 0.1;
constexpr double kNotch = 120;  // QWheelEvent: eighths of a degree, 15° a notch
}  // namespace

bool TimelineInput::handle(QEvent* event) {
  if (!view_.session().hasDocument()) return false;
  switch (event->type()) {
    case QEvent::Wheel:
      return wheel(static_cast<QWheelEvent*>(event));
    case QEvent::MouseButtonPress:
      return press(static_cast<QMouseEvent*>(event));
    case QEvent::MouseMove:
      return move(static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonRelease:
      return release(static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonDblClick:
      if (static_cast<QMouseEvent*>(event)->button() != Qt::LeftButton) return false;
      ignoreRelease_ = true;
      view_.zoomAt(static_cast<QMouseEvent*>(event)->position());
      return true;
    case QEvent::Leave:
      view_.clearHover();
      return false;
    case QEvent::NativeGesture:
      return nativeGesture(static_cast<QNativeGestureEvent*>(event));
    case QEvent::Gesture:
      return gesture(static_cast<QGestureEvent*>(event));
    default:
      return false;
  }
}

bool TimelineInput::wheel(QWheelEvent* event) {
  const QPoint angle = event->angleDelta();
  const double vertical = angle.y() / kNotch;
  TimeView& time = view_.session().view();
  if (event->modifiers().testFlag(Qt::ControlModifier)) {
    time.zoomAbout(view_.geometry().timeAt(event->position().x()),
                   std::pow(kZoomPerNotch, -vertical));
  } else if (event->modifiers().testFlag(Qt::ShiftModifier)) {
    time.panBy(-(vertical + angle.x() / kNotch) * kPanPerNotch);
  } else {
    // A touchpad scrolls both ways at once.
    if (angle.x() != 0) {
      const double pixels = event->pixelDelta().isNull() ? angle.x() : event->pixelDelta().x();
      time.panBy(-pixels / std::max(1, view_.viewport()->width()));
    }
    if (angle.y() != 0) {
      QScrollBar* bar = view_.verticalScrollBar();
      const int pixels = event->pixelDelta().isNull()
                             ? static_cast<int>(vertical * 3 * bar->singleStep())
                             : event->pixelDelta().y();
      bar->setValue(bar->value() - pixels);
    }
  }
  event->accept();
  return true;
}

bool TimelineInput::press(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return false;
  view_.setFocus(Qt::MouseFocusReason);
  pressed_ = last_ = event->position();
  spanAtPress_ = view_.session().view().span();
  scrollAtPress_ = view_.scrollY();
  drag_ = event->modifiers().testFlag(Qt::ShiftModifier) ? Drag::mark : Drag::undecided;
  ignoreRelease_ = false;
  return true;
}

bool TimelineInput::move(QMouseEvent* event) {
  last_ = event->position();
  if (drag_ == Drag::undecided &&
      (last_ - pressed_).manhattanLength() >= QApplication::startDragDistance()) {
    drag_ = Drag::pan;
    view_.viewport()->setCursor(Qt::ClosedHandCursor);
  }
  switch (drag_) {
    case Drag::pan:
      pan(last_);
      break;
    case Drag::mark: {
      const TimeNs a = view_.geometry().timeAt(pressed_.x());
      const TimeNs b = view_.geometry().timeAt(last_.x());
      view_.session().setMarked(TimeSpan{std::min(a, b), std::max(a, b)});
      break;
    }
    default:
      view_.hoverAt(last_, event->globalPosition().toPoint());
  }
  return true;
}

void TimelineInput::pan(const QPointF& to) {
  const int width = std::max(1, view_.viewport()->width());
  const auto shift = static_cast<TimeNs>(
      std::llround((pressed_.x() - to.x()) * static_cast<double>(spanAtPress_.length()) / width));
  view_.session().view().nudge({spanAtPress_.begin + shift, spanAtPress_.end + shift});
  view_.verticalScrollBar()->setValue(
      static_cast<int>(std::lround(scrollAtPress_ + pressed_.y() - to.y())));
}

bool TimelineInput::release(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return false;
  const Drag was = std::exchange(drag_, Drag::none);
  view_.viewport()->unsetCursor();
  if (ignoreRelease_) {
    ignoreRelease_ = false;
    return true;
  }
  if (was == Drag::undecided && event->button() == Qt::LeftButton)
    view_.activateAt(event->position());
  if (was == Drag::mark && last_ == pressed_) view_.session().setMarked(std::nullopt);
  view_.viewport()->update();
  return true;
}

bool TimelineInput::nativeGesture(QNativeGestureEvent* event) {
  if (event->gestureType() != Qt::ZoomNativeGesture) return false;
  const double factor = 1.0 / std::max(0.2, 1.0 + event->value());
  view_.session().view().zoomAbout(view_.geometry().timeAt(event->position().x()), factor);
  return true;
}

bool TimelineInput::gesture(QGestureEvent* event) {
  const auto* pinch = static_cast<QPinchGesture*>(event->gesture(Qt::PinchGesture));
  if (pinch == nullptr) return false;
  const QPointF centre = view_.viewport()->mapFromGlobal(pinch->centerPoint());
  if (pinch->changeFlags().testFlag(QPinchGesture::ScaleFactorChanged) && pinch->scaleFactor() > 0)
    view_.session().view().zoomAbout(view_.geometry().timeAt(centre.x()),
                                     1.0 / pinch->scaleFactor());
  event->accept();
  return true;
}

bool TimelineInput::key(QKeyEvent* event) {
  if (!view_.session().hasDocument()) return false;
  return sliceKey(event) || viewKey(event);
}

bool TimelineInput::sliceKey(QKeyEvent* event) {
  if (event->modifiers() & (Qt::AltModifier | Qt::ControlModifier)) return false;
  const auto step = [this](SliceStep s) {
    view_.step(static_cast<int>(s));
    return true;
  };
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Backtab:
      return step(SliceStep::previous);
    case Qt::Key_Tab:  // with Shift most keyboards send Backtab, but not all
      return step(event->modifiers().testFlag(Qt::ShiftModifier) ? SliceStep::previous
                                                                 : SliceStep::next);
    case Qt::Key_Right:
      return step(SliceStep::next);
    case Qt::Key_Up:
      return step(SliceStep::out);
    case Qt::Key_Down:
      return step(SliceStep::in);
    case Qt::Key_BracketLeft:
      view_.stepItem(-1);
      return true;
    case Qt::Key_BracketRight:
      view_.stepItem(1);
      return true;
    case Qt::Key_F:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      view_.zoomToSelection();
      return true;
    case Qt::Key_M:
      view_.markSpan();
      return true;
    case Qt::Key_Escape:
      view_.session().clearSelection();
      view_.session().setMarked(std::nullopt);
      return true;
    default:
      return false;
  }
}

bool TimelineInput::viewKey(QKeyEvent* event) {
  TimeView& time = view_.session().view();
  const TimeNs middle = time.span().begin + time.span().length() / 2;
  if (event->modifiers().testFlag(Qt::AltModifier)) {
    if (event->key() == Qt::Key_Left) return time.goBack(), true;
    if (event->key() == Qt::Key_Right) return time.goForward(), true;
    return false;
  }
  if (event->modifiers().testFlag(Qt::ControlModifier)) return false;
  switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
      return time.zoomAbout(middle, 1 / kZoomPerKey), true;
    case Qt::Key_S:
    case Qt::Key_Minus:
      return time.zoomAbout(middle, kZoomPerKey), true;
    case Qt::Key_A:
      return time.panBy(-kPanPerKey), true;
    case Qt::Key_D:
      return time.panBy(kPanPerKey), true;
    case Qt::Key_0:
      return time.showAll(), true;
    case Qt::Key_Home: {
      const TimeNs length = time.span().length();
      return time.show({time.bounds().begin, time.bounds().begin + length}), true;
    }
    case Qt::Key_End: {
      const TimeNs length = time.span().length();
      return time.show({time.bounds().end - length, time.bounds().end}), true;
    }
    case Qt::Key_Question:
      Q_EMIT view_.keysHelpRequested();
      return true;
    default:
      return false;
  }
}

void TimelineInput::paint(QPainter& painter) const {
  const auto marked = view_.session().marked();
  if (!marked) return;
  const TimelineGeometry geometry = view_.geometry();
  const QRectF rect = geometry.spanRect(*marked, geometry.area());
  QColor fill = geometry.palette().mark;
  fill.setAlpha(28);
  painter.fillRect(rect, fill);
  painter.setPen(QPen(geometry.palette().mark, 1));
  painter.drawLine(rect.topLeft(), rect.bottomLeft());
  painter.drawLine(rect.topRight(), rect.bottomRight());
  const QString text = formatDuration(marked->length());
  const QFontMetricsF metrics(painter.font());
  const double width = metrics.horizontalAdvance(text) + 10;
  const double x = std::clamp(rect.center().x() - width / 2, 2.0,
                              std::max(2.0, geometry.area().width() - width - 2));
  const QRectF box(x, 4, width, metrics.height() + 4);
  painter.fillRect(box, geometry.palette().mark);
  painter.setPen(textOn(geometry.palette().mark));
  painter.drawText(box, Qt::AlignCenter, text);
}

}  // namespace ridgeline
