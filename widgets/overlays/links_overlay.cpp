#include "widgets/overlays/links_overlay.h"

#include <cmath>

#include <QPainter>
#include <QPainterPath>

namespace ridgeline {

namespace {

constexpr int kMostArrows = 64;  // a graph launch leads to thousands

struct Arrow {
  SliceId from, to;
  LinkKind kind = LinkKind::launch;
};

std::vector<Arrow> arrowsOf(const Trace& trace, SliceId active) {
  std::vector<Arrow> arrows;
  const auto add = [&arrows](SliceId from, SliceId to, LinkKind kind) {
    if (arrows.size() >= kMostArrows) return;
    for (const Arrow& known : arrows)
      if (known.from == from && known.to == to) return;
    arrows.push_back({from, to, kind});
  };
  if (const SliceId launch = trace.launchOf(active); launch.valid())
    add(launch, active, LinkKind::launch);
  for (const Link& link : trace.links().outgoing(active)) add(link.from, link.to, link.kind);
  trace.links().incoming(active, [&](const Link& link) { add(link.from, link.to, link.kind); });
  return arrows;
}

void paintArrow(QPainter& painter, QPointF from, QPointF to, const QColor& colour,
                const QColor& halo) {
  QPainterPath path(from);
  const double bend = std::max(18.0, std::abs(to.y() - from.y()) * 0.4);
  const double side = to.y() >= from.y() ? 1 : -1;
  path.cubicTo(from + QPointF(0, side * bend), to - QPointF(0, side * bend), to);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(halo, 4));
  painter.drawPath(path);
  painter.setPen(QPen(colour, 1.5));
  painter.drawPath(path);
  QPolygonF head;
  head << to << to + QPointF(-4, -side * 7) << to + QPointF(4, -side * 7);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawPolygon(head);
}

}  // namespace

void LinksOverlay::paint(QPainter& painter, const TimelineGeometry& geometry) const {
  const SliceRef active = geometry.session().active();
  if (!active.valid() || active.rank >= geometry.session().ranks().size()) return;
  painter.setRenderHint(QPainter::Antialiasing);
  for (const Arrow& arrow : arrowsOf(geometry.session().trace(active.rank), active.id)) {
    const auto from = geometry.sliceRectAnywhere({active.rank, arrow.from});
    const auto to = geometry.sliceRectAnywhere({active.rank, arrow.to});
    if (!from || !to) continue;
    const bool down = to->center().y() >= from->center().y();
    // From within the call to where the work begins.
    const double fromX = from->left() + std::min(from->width() / 2, 8.0);
    const QPointF a(fromX, down ? from->bottom() : from->top());
    const QPointF b(to->left() + std::min(to->width() / 2, 3.0), down ? to->top() : to->bottom());
    const QColor colour =
        arrow.kind == LinkKind::launch ? geometry.palette().accent : geometry.palette().mutedText;
    // Lines over busy rows need a halo.
    QColor halo = geometry.palette().background;
    halo.setAlpha(180);
    paintArrow(painter, a, b, colour, halo);
  }
}

}  // namespace ridgeline
