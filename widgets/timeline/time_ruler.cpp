#include "widgets/timeline/time_ruler.h"

#include <algorithm>

#include <QApplication>
#include <QCoreApplication>
#include <QMouseEvent>
#include <QPainter>

#include "widgets/common/format.h"
#include "widgets/timeline/margin_painter.h"
#include "widgets/timeline/timeline_renderer.h"
#include "widgets/timeline/timeline_view.h"

namespace ridgeline {

TimeRuler::TimeRuler(TimelineView& view, QWidget* parent) : QWidget(parent), view_(view) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setCursor(Qt::SizeHorCursor);
  setToolTip(tr("Drag to zoom to a span, with Shift to mark it; double-click shows all."));
  connect(&view.session().view(), &TimeView::spanChanged, this, qOverload<>(&QWidget::update));
  connect(&view.session(), &Session::documentChanged, this, qOverload<>(&QWidget::update));
  connect(&view, &TimelineView::cursorMoved, this, [this](double x) {
    cursorX_ = x;
    update();
  });
}

QSize TimeRuler::sizeHint() const {
  return {200, static_cast<int>(TimelineRenderer::rulerHeightFor(font()))};
}

void TimeRuler::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const TimelineScene scene = view_.scene();
  // The rows end where their scroll bar begins.
  const QRectF rect(0, 0, view_.viewport()->width(), height());
  painter.fillRect(this->rect(), scene.palette->chrome);
  if (!view_.session().hasDocument()) return;
  paintRuler(painter, rect, scene);
  if (cursorX_ >= 0) {
    painter.setPen(scene.palette->text);
    painter.drawLine(QPointF(cursorX_ + 0.5, height() - 9), QPointF(cursorX_ + 0.5, height()));
  }
  if (!dragFrom_) return;
  const QRectF span(std::min(*dragFrom_, dragTo_), 0, std::abs(dragTo_ - *dragFrom_), height());
  QColor fill = scene.palette->mark;
  fill.setAlpha(70);
  painter.fillRect(span, fill);
  const TimeAxis axis(scene.span, 0, rect.width());
  const QString text = formatDuration(axis.timeAt(span.right()) - axis.timeAt(span.left()));
  painter.setPen(scene.palette->text);
  painter.drawText(span.adjusted(-100, 0, 100, 0), Qt::AlignCenter, text);
}

void TimeRuler::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !view_.session().hasDocument()) return;
  dragFrom_ = dragTo_ = event->position().x();
}

void TimeRuler::mouseMoveEvent(QMouseEvent* event) {
  if (!dragFrom_) return;
  dragTo_ = std::clamp(event->position().x(), 0.0, static_cast<double>(view_.viewport()->width()));
  update();
}

void TimeRuler::mouseReleaseEvent(QMouseEvent* event) {
  if (!dragFrom_) return;
  const double from = std::min(*dragFrom_, dragTo_), to = std::max(*dragFrom_, dragTo_);
  dragFrom_.reset();
  update();
  if (to - from < QApplication::startDragDistance() / 2.0) return;
  const TimelineGeometry geometry = view_.geometry();
  const TimeSpan span{geometry.timeAt(from), geometry.timeAt(to)};
  if (event->modifiers().testFlag(Qt::ShiftModifier))
    view_.session().setMarked(span);
  else
    view_.session().view().show(span);
}

void TimeRuler::mouseDoubleClickEvent(QMouseEvent*) {
  view_.session().view().showAll();
}

void TimeRuler::wheelEvent(QWheelEvent* event) {
  QCoreApplication::sendEvent(view_.viewport(), event);
}

}  // namespace ridgeline
