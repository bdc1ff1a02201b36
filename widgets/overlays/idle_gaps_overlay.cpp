#include "widgets/overlays/idle_gaps_overlay.h"

#include <algorithm>
#include <numeric>

#include <QPainter>

#include "widgets/common/format.h"
#include "widgets/common/hatch.h"

namespace ridgeline {

namespace {

QString fromView(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Gaps that [ and ] stop at: shorter ones are between every two kernels.
constexpr TimeNs kWalked = 5000;

}  // namespace

IdleGapsOverlay::IdleGapsOverlay(Session& session, Analyses& analyses, QObject* parent)
    : Overlay(parent), session_(session), analyses_(analyses) {
  connect(&analyses_, &Analyses::resultsChanged, this, &IdleGapsOverlay::rebuild);
  connect(&session_, &Session::documentChanged, this, [this] {
    indices_.clear();
    Q_EMIT changed();
  });
}

void IdleGapsOverlay::rebuild(std::uint32_t rank) {
  Index index;
  index.results = analyses_.results(rank);
  if (!index.results) return;
  const auto& gaps = index.results->idleGaps.gaps;
  index.byLength.resize(gaps.size());
  std::iota(index.byLength.begin(), index.byLength.end(), 0u);
  std::sort(index.byLength.begin(), index.byLength.end(), [&](std::uint32_t a, std::uint32_t b) {
    return gaps[a].span.length() > gaps[b].span.length();
  });
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    auto [it, isNew] = index.ofDevice.emplace(gaps[i].device.value, std::make_pair(i, i + 1));
    it->second.second = i + 1;
  }
  indices_[rank] = std::move(index);
  Q_EMIT changed();
}

ItemRef IdleGapsOverlay::itemOf(std::uint32_t rank, std::size_t gap) const {
  const IdleGap& g = indices_.at(rank).results->idleGaps.gaps[gap];
  return {id(), rank, static_cast<std::int64_t>(gap), session_.toSession(rank, g.span)};
}

std::vector<std::uint32_t> IdleGapsOverlay::visibleGaps(std::uint32_t rank, const Index& index,
                                                        DeviceId device,
                                                        const TimelineGeometry& geometry,
                                                        double pixels) const {
  std::vector<std::uint32_t> found;
  const auto range = index.ofDevice.find(device.value);
  if (range == index.ofDevice.end()) return found;
  const auto& gaps = index.results->idleGaps.gaps;
  const TimeSpan span = session_.toTrace(rank, geometry.span());
  const auto shortest = static_cast<TimeNs>(pixels * static_cast<double>(span.length()) /
                                            std::max(1.0, geometry.area().width()));
  const auto first = gaps.begin() + static_cast<std::ptrdiff_t>(range->second.first);
  const auto last = gaps.begin() + static_cast<std::ptrdiff_t>(range->second.second);
  const auto from =
      std::partition_point(first, last, [&](const IdleGap& g) { return g.span.end <= span.begin; });
  const auto to =
      std::partition_point(from, last, [&](const IdleGap& g) { return g.span.begin < span.end; });
  // Two ways to the same set; the one that looks at fewer gaps keeps a frame bounded by pixels.
  const auto longEnough =
      std::partition_point(index.byLength.begin(), index.byLength.end(),
                           [&](std::uint32_t i) { return gaps[i].span.length() >= shortest; });
  if (to - from <= longEnough - index.byLength.begin()) {
    for (auto it = from; it != to; ++it)
      if (it->span.length() >= shortest)
        found.push_back(static_cast<std::uint32_t>(it - gaps.begin()));
  } else {
    for (auto it = index.byLength.begin(); it != longEnough; ++it)
      if (gaps[*it].device == device && gaps[*it].span.intersects(span)) found.push_back(*it);
  }
  return found;
}

void IdleGapsOverlay::paintGap(QPainter& painter, const TimelineGeometry& geometry,
                               const IdleGap& gap, const std::vector<QRectF>& rows,
                               bool active) const {
  const Palette& colours = geometry.palette();
  QColor wash = colours.idleGap;
  wash.setAlphaF(0.08F);
  QColor lines = colours.idleGap;
  lines.setAlphaF(active ? 0.95F : 0.55F);
  for (const QRectF& rect : rows) {
    painter.fillRect(rect, wash);
    paintHatch(painter, rect, lines);
    if (!active) continue;
    painter.setPen(QPen(colours.idleGap, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(1, 1, -1, -1));
  }
  // Its name stands in the first stream.
  const QRectF room = rows.front().intersected(geometry.area());
  if (room.width() < 60) return;
  QString text = fromView(ridgeline::title(gap.cause)) + u' ' + formatDuration(gap.span.length());
  text =
      painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(room.width()) - 12);
  const double width = painter.fontMetrics().horizontalAdvance(text) + 8;
  const double height = std::min<double>(painter.fontMetrics().height(), room.height());
  const QRectF label(room.center().x() - width / 2,
                     room.top() + (std::min(room.height(), 20.0) - height) / 2, width, height);
  painter.fillRect(label, colours.background);
  painter.setPen(colours.text);
  painter.drawText(label, Qt::AlignCenter, text);
}

void IdleGapsOverlay::paint(QPainter& painter, const TimelineGeometry& geometry) const {
  for (const auto& [rank, index] : indices_) {
    if (rank >= session_.ranks().size()) continue;
    const Trace& trace = session_.trace(rank);
    for (std::size_t d = 0; d < trace.devices().size(); ++d) {
      const DeviceId device(d);
      const std::vector<QRectF> streams = geometry.streamRects(rank, device);
      if (streams.empty()) continue;
      for (const std::uint32_t i : visibleGaps(rank, index, device, geometry, 3)) {
        const IdleGap& gap = index.results->idleGaps.gaps[i];
        const bool active = session_.activeItem() == itemOf(rank, i);
        std::vector<QRectF> rows;
        for (const QRectF& stream : streams)
          rows.push_back(geometry.spanRect(session_.toSession(rank, gap.span), stream));
        paintGap(painter, geometry, gap, rows, active);
      }
    }
  }
}

std::optional<OverlayHit> IdleGapsOverlay::hitTest(const QPointF& pos,
                                                   const TimelineGeometry& geometry) const {
  for (const auto& [rank, index] : indices_) {
    if (rank >= session_.ranks().size()) continue;
    const Trace& trace = session_.trace(rank);
    for (std::size_t d = 0; d < trace.devices().size(); ++d) {
      const std::vector<QRectF> streams = geometry.streamRects(rank, DeviceId(d));
      const auto rows = std::find_if(streams.begin(), streams.end(), [&](const QRectF& stream) {
        return pos.y() >= stream.top() && pos.y() <= stream.bottom();
      });
      if (rows == streams.end()) continue;
      const TimeNs at = session_.toTrace(rank, geometry.timeAt(pos.x()));
      for (const std::uint32_t i : visibleGaps(rank, index, DeviceId(d), geometry, 3)) {
        const IdleGap& gap = index.results->idleGaps.gaps[i];
        if (!gap.span.contains(at)) continue;
        OverlayHit hit;
        hit.item = itemOf(rank, i);
        hit.rect = geometry.spanRect(hit.item.span, *rows);
        hit.text =
            tr("Idle: %1").arg(fromView(ridgeline::title(gap.cause))) + u'\n' +
            tr("%1 (%2)").arg(formatDuration(gap.span.length()), formatExact(gap.span.length())) +
            u'\n' + QString::fromStdString(gap.why);
        return hit;
      }
    }
  }
  return std::nullopt;
}

std::optional<ItemRef> IdleGapsOverlay::itemAfter(TimeNs time) const {
  std::optional<ItemRef> best;
  for (const auto& [rank, index] : indices_) {
    const auto& gaps = index.results->idleGaps.gaps;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      if (gaps[i].span.length() < kWalked) continue;
      const TimeSpan span = session_.toSession(rank, gaps[i].span);
      if (span.begin > time && (!best || span.begin < best->span.begin)) best = itemOf(rank, i);
    }
  }
  return best;
}

std::optional<ItemRef> IdleGapsOverlay::itemBefore(TimeNs time) const {
  std::optional<ItemRef> best;
  for (const auto& [rank, index] : indices_) {
    const auto& gaps = index.results->idleGaps.gaps;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      if (gaps[i].span.length() < kWalked) continue;
      const TimeSpan span = session_.toSession(rank, gaps[i].span);
      if (span.begin < time && (!best || span.begin > best->span.begin)) best = itemOf(rank, i);
    }
  }
  return best;
}

std::vector<LegendEntry> IdleGapsOverlay::legend(const TimelineGeometry& geometry) const {
  for (const auto& [rank, index] : indices_) {
    if (rank >= session_.ranks().size()) continue;
    for (std::size_t d = 0; d < session_.trace(rank).devices().size(); ++d)
      if (geometry.deviceRect(rank, DeviceId(d)) &&
          !visibleGaps(rank, index, DeviceId(d), geometry, 3).empty())
        return {{geometry.palette().idleGap, LegendEntry::Look::hatch,
                 tr("device idle, with the cause")}};
  }
  return {};
}

}  // namespace ridgeline
