#include "widgets/timeline/track_header.h"

#include <QCoreApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "widgets/common/format.h"
#include "widgets/timeline/margin_painter.h"
#include "widgets/timeline/timeline_renderer.h"
#include "widgets/timeline/timeline_view.h"

namespace ridgeline {

TrackHeader::TrackHeader(TimelineView& view, QWidget* parent) : QWidget(parent), view_(view) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
  connect(&view, &TimelineView::layoutChanged, this, [this] {
    updateGeometry();
    update();
  });
}

QSize TrackHeader::sizeHint() const {
  return {static_cast<int>(TimelineRenderer::headerWidthFor(view_.layout(), font())), 100};
}

int TrackHeader::lineAt(double y) const {
  return view_.layout().lineExactlyAt(y + view_.scrollY());
}

void TrackHeader::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintHeader(painter, rect(), view_.scene(), hovered_);
}

QString TrackHeader::toolTipOf(int index) const {
  const LayoutLine& line = view_.layout().lines()[static_cast<std::size_t>(index)];
  if (line.kind != LayoutLine::Kind::row) return line.title;
  const Trace& trace = view_.session().trace(line.rank);
  const Track& track = trace.track(line.track);
  QString text = QString::fromStdString(track.displayName);
  std::uint32_t slices = 0;
  for (const Row& row : trace.rowsOf(line.track)) slices += row.last - row.first;
  text +=
      QLatin1Char('\n') + tr("%1 slices in %n row(s)", nullptr, static_cast<int>(track.rowCount))
                              .arg(formatCount(slices));
  if (trace.rows()[line.row.index()].spill)
    text += QLatin1Char('\n') + tr("This row holds what overlaps without nesting.");
  return text;
}

bool TrackHeader::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int line = lineAt(help->pos().y());
    if (line >= 0)
      QToolTip::showText(help->globalPos(), toolTipOf(line), this);
    else
      QToolTip::hideText();
    return true;
  }
  return QWidget::event(event);
}

void TrackHeader::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const int index = lineAt(event->position().y());
  if (index < 0) return;
  const LayoutLine line = view_.layout().lines()[static_cast<std::size_t>(index)];
  switch (line.kind) {
    case LayoutLine::Kind::group:
      view_.toggleGroup(view_.layout().groups()[line.group].key);
      break;
    case LayoutLine::Kind::quiet:
      view_.setQuietShown(true);
      break;
    case LayoutLine::Kind::deeper:
      view_.showAllDepths(line.rank, line.track);
      break;
    case LayoutLine::Kind::row:
      view_.toggleTrack(line.rank, line.track);
      break;
    default:
      break;
  }
}

void TrackHeader::mouseMoveEvent(QMouseEvent* event) {
  const int line = lineAt(event->position().y());
  if (line == hovered_) return;
  hovered_ = line;
  update();
}

void TrackHeader::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

void TrackHeader::wheelEvent(QWheelEvent* event) {
  QCoreApplication::sendEvent(view_.viewport(), event);
}

}  // namespace ridgeline
