#include "widgets/timeline/timeline_pane.h"

#include <QGridLayout>
#include <QScrollBar>

#include "widgets/timeline/legend_bar.h"
#include "widgets/timeline/overview_bar.h"
#include "widgets/timeline/time_ruler.h"
#include "widgets/timeline/track_header.h"

namespace ridgeline {

TimelinePane::TimelinePane(Session& session, QWidget* parent)
    : QWidget(parent),
      overview_(new OverviewBar(session, this)),
      view_(new TimelineView(session, this)),
      ruler_(new TimeRuler(*view_, this)),
      header_(new TrackHeader(*view_, this)),
      legend_(new LegendBar(*view_, this)) {
  auto* corner = new QWidget(this);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(0);
  grid->addWidget(overview_, 0, 0, 1, 2);
  grid->addWidget(corner, 1, 0);
  grid->addWidget(ruler_, 1, 1);
  grid->addWidget(header_, 2, 0);
  grid->addWidget(view_, 2, 1);
  grid->addWidget(legend_, 3, 0, 1, 2);
  grid->setColumnStretch(1, 1);
  grid->setRowStretch(2, 1);
  const auto setWidth = [this] { header_->setFixedWidth(header_->sizeHint().width()); };
  connect(view_, &TimelineView::layoutChanged, this, setWidth);
  setWidth();
}

TimelineScene TimelinePane::fullScene() const {
  TimelineScene scene = view_->scene();
  scene.headerWidth = header_->width();
  scene.rulerHeight = ruler_->height();
  scene.size = QSizeF(scene.headerWidth + view_->viewport()->width(),
                      scene.rulerHeight + view_->viewport()->height());
  return scene;
}

}  // namespace ridgeline
