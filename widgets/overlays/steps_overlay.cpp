#include "widgets/overlays/steps_overlay.h"

#include <algorithm>

#include <QPainter>

#include "widgets/common/format.h"
#include "widgets/common/hatch.h"

namespace ridgeline {

StepsOverlay::StepsOverlay(Session& session, Analyses& analyses, QObject* parent)
    : Overlay(parent), session_(session), analyses_(analyses) {
  connect(&analyses_, &Analyses::workloadChanged, this, [this] {
    Q_EMIT lanesChanged();
    Q_EMIT changed();
  });
}

std::vector<std::uint32_t> StepsOverlay::ranksWithSteps() const {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < session_.ranks().size(); ++rank) {
    const auto workload = analyses_.workload(rank);
    if (workload && workload->steps.extent != StepExtent::trace) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<Lane> StepsOverlay::lanes() const {
  std::vector<Lane> lanes;
  for (const std::uint32_t rank : ranksWithSteps()) {
    Lane lane;
    lane.place = Lane::Place::top;
    lane.rank = rank;
    lane.title = session_.ranks().size() > 1 ? tr("steps · rank %1").arg(session_.rankNumber(rank))
                                             : tr("steps");
    lane.height = 18;
    lanes.push_back(lane);
  }
  return lanes;
}

std::vector<StepsOverlay::Place> StepsOverlay::visible(std::uint32_t rank, int lane,
                                                       const TimelineGeometry& geometry) const {
  std::vector<Place> places;
  const auto workload = analyses_.workload(rank);
  const auto rect = geometry.laneRect(id(), lane);
  if (!workload || !rect) return places;
  const auto& steps = workload->steps.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const TimeSpan span = session_.toSession(rank, steps[i].window);
    if (!span.intersects(geometry.span())) continue;
    places.push_back({i, geometry.spanRect(span, *rect)});
  }
  return places;
}

void StepsOverlay::paint(QPainter& painter, const TimelineGeometry& geometry) const {
  const Palette& colours = geometry.palette();
  int lane = 0;
  for (const std::uint32_t rank : ranksWithSteps()) {
    const auto& steps = analyses_.workload(rank)->steps.steps;
    double labelsEnd = geometry.area().left() - 1;
    for (const Place& place : visible(rank, lane++, geometry)) {
      const Step& step = steps[place.step];
      const QRectF box = place.rect.adjusted(0, 1, 0, -1);
      painter.fillRect(box, step.steady ? mix(colours.accent, colours.background,
                                              place.step % 2 == 0 ? 0.22 : 0.12)
                                        : colours.alternate);
      if (!step.steady) paintHatch(painter, box, colours.line);
      const QColor edge = mix(colours.accent, colours.background, 0.55);
      if (rank == ranksWithSteps().front() && box.width() > 6) {
        painter.fillRect(QRectF(box.left(), geometry.area().top(), 1, geometry.area().height()),
                         edge);
        painter.fillRect(QRectF(box.right(), geometry.area().top(), 1, geometry.area().height()),
                         edge);
      }
      const QRectF room = box.intersected(geometry.area()).adjusted(4, 0, -4, 0);
      if (room.width() < 24 || room.left() < labelsEnd) continue;
      QString text = QString::fromStdString(step.name) + QStringLiteral(" · ") +
                     formatDuration(step.window.length());
      if (!step.steady)
        text += tr(" · left out");
      else if (step.slow)
        text += tr(" · slow");
      text = painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(room.width()));
      painter.setPen(step.steady ? colours.text : colours.mutedText);
      painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, text);
      labelsEnd = room.left();
    }
  }
}

std::optional<OverlayHit> StepsOverlay::hitTest(const QPointF& pos,
                                                const TimelineGeometry& geometry) const {
  int lane = 0;
  for (const std::uint32_t rank : ranksWithSteps()) {
    for (const Place& place : visible(rank, lane++, geometry)) {
      if (!place.rect.contains(pos)) continue;
      const Step& step = analyses_.workload(rank)->steps.steps[place.step];
      OverlayHit hit;
      hit.item = {id(), rank, static_cast<std::int64_t>(place.step),
                  session_.toSession(rank, step.window)};
      hit.rect = place.rect;
      hit.text = QString::fromStdString(step.name) + u'\n' +
                 tr("%1 (%2)").arg(formatDuration(step.window.length()),
                                   formatExact(step.window.length()));
      if (!step.steady)
        hit.text += u'\n' + tr("Left out: %1").arg(QString::fromStdString(step.why));
      else if (step.slow)
        hit.text += u'\n' + QString::fromStdString(step.why);
      return hit;
    }
  }
  return std::nullopt;
}

}  // namespace ridgeline
