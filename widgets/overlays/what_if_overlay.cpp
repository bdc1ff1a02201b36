#include "widgets/overlays/what_if_overlay.h"

#include <algorithm>
#include <cmath>

#include <QPainter>

namespace ridgeline {

WhatIfOverlay::WhatIfOverlay(Session& session, WhatIfModel& model, QObject* parent)
    : Overlay(parent), session_(session), model_(model) {
  connect(&model_, &WhatIfModel::answerChanged, this, &Overlay::changed);
}

void WhatIfOverlay::paint(QPainter& painter, const TimelineGeometry& geometry) const {
  const auto answer = model_.answer();
  if (!answer || answer->rank >= session_.ranks().size()) return;
  const std::span<const WhatIfModel::Ghost> all(answer->ghosts);
  for (std::size_t first = 0; first < all.size();) {
    const RowId row = all[first].row;
    const auto end =
        std::partition_point(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                             [row](const WhatIfModel::Ghost& g) { return g.row == row; });
    const auto last = static_cast<std::size_t>(end - all.begin());
    paintRow(painter, geometry, all.subspan(first, last - first));
    first = last;
  }
  const double x = std::floor(geometry.xOf(answer->rank, answer->newEnd));
  if (x < geometry.area().left() || x > geometry.area().right()) return;
  painter.fillRect(QRectF(x, geometry.area().top(), 2, geometry.area().height()),
                   geometry.palette().accent);
}

/// Outlines; what is narrower than a few pixels folds into a line below the row's top, so that the
/// cost is that of the pixels.
void WhatIfOverlay::paintRow(QPainter& painter, const TimelineGeometry& geometry,
                             std::span<const WhatIfModel::Ghost> ghosts) const {
  const std::uint32_t rank = model_.answer()->rank;
  const auto row = geometry.rowRect(rank, ghosts.front().row);
  if (!row) return;
  const TimeSpan visible = session_.toTrace(rank, geometry.span());
  auto it = std::partition_point(ghosts.begin(), ghosts.end(), [&](const WhatIfModel::Ghost& g) {
    return g.span.begin < visible.begin;
  });
  if (it != ghosts.begin()) --it;
  const QColor colour = geometry.palette().accent;
  double drawnTo = geometry.area().left() - 1;
  while (it != ghosts.end() && it->span.begin <= visible.end) {
    const double x0 = std::max(geometry.xOf(rank, it->span.begin), geometry.area().left() - 2);
    const double x1 = std::min(geometry.xOf(rank, it->span.end), geometry.area().right() + 2);
    if (x1 - x0 >= 4) {
      painter.setPen(QPen(colour, 1));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(
          QRectF(std::floor(x0), row->top(), std::floor(x1 - x0) - 1, row->height() - 2));
      drawnTo = x1;
      ++it;
      continue;
    }
    const double pixel = std::floor(std::max(x0, drawnTo));
    if (x1 > drawnTo) {
      painter.fillRect(QRectF(pixel, row->top(), std::max(1.0, x1 - pixel), 2), colour);
      drawnTo = pixel + 1;
    }
    // On to what begins behind the pixel that is drawn: searched, not walked.
    const TimeNs next =
        session_.toTrace(rank, {geometry.timeAt(drawnTo), geometry.span().end}).begin;
    const auto after = std::partition_point(
        it + 1, ghosts.end(), [&](const WhatIfModel::Ghost& g) { return g.span.end <= next; });
    it = after;
  }
}

std::vector<LegendEntry> WhatIfOverlay::legend(const TimelineGeometry& geometry) const {
  const auto answer = model_.answer();
  if (!answer || answer->rank >= session_.ranks().size()) return {};
  const TimeSpan step{answer->begin, std::max(answer->newEnd, answer->results->whatIfs.window.end)};
  if (!session_.toSession(answer->rank, step).intersects(geometry.span())) return {};
  return {{geometry.palette().accent, LegendEntry::Look::outline,
           tr("where device work would be: %1")
               .arg(QString::fromStdString(titleOf(answer->whatIf.change)))}};
}

}  // namespace ridgeline
