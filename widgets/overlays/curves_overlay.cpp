#include "widgets/overlays/curves_overlay.h"

#include <algorithm>

#include <QPainter>

#include "core/base/bytes_text.h"
#include "widgets/common/format.h"

namespace ridgeline {

namespace {

constexpr double kLaneHeight = 32;
constexpr double kMarkHeight = 6;
/// A device with more streams than that shows the busiest of them.
constexpr std::size_t kMostLanes = 6;

QString bytes(double value) {
  return QString::fromStdString(bytesText(static_cast<std::int64_t>(value)));
}

}  // namespace

CurvesOverlay::CurvesOverlay(Session& session, Analyses& analyses, QObject* parent)
    : Overlay(parent), session_(session), analyses_(analyses) {
  connect(&analyses_, &Analyses::resultsChanged, this, &CurvesOverlay::rebuild);
  connect(&session_, &Session::documentChanged, this, [this] {
    curves_.clear();
    Q_EMIT lanesChanged();
    Q_EMIT changed();
  });
}

void CurvesOverlay::rebuild(std::uint32_t rank) {
  const auto results = analyses_.results(rank);
  if (!results) return;
  std::vector<Curve> curves = curvesOf(*results);
  for (Curve& curve : curves) {
    curve.lane.rank = rank;
    curve.lane.height = kLaneHeight;
  }
  const bool same = curves_[rank].size() == curves.size();
  curves_[rank] = std::move(curves);
  if (!same) Q_EMIT lanesChanged();
  Q_EMIT changed();
}

std::vector<Lane> CurvesOverlay::lanes() const {
  std::vector<Lane> lanes;
  for (const auto& [rank, curves] : curves_)
    for (const Curve& curve : curves) lanes.push_back(curve.lane);
  return lanes;
}

void CurvesOverlay::paintCurve(QPainter& painter, const TimelineGeometry& geometry,
                               const Curve& curve, const QRectF& rect) const {
  const Palette& colours = geometry.palette();
  const QColor edge = colours.of(ColourKey::op);
  const QColor fill = mix(edge, colours.background, 0.45);
  const QRectF area = rect.adjusted(0, 2, 0, 0);
  const double top = std::max(curve.top, 1.0);
  const auto yOf = [&](double v) {
    return area.bottom() - std::clamp(v / top, 0.0, 1.0) * (area.height() - 1);
  };
  const std::uint32_t rank = curve.lane.rank;
  const int width = static_cast<int>(geometry.area().width());
  for (int x = 0; x < width; ++x) {
    const double left = geometry.area().left() + x;
    const TimeSpan pixel = session_.toTrace(
        rank, TimeSpan{geometry.timeAt(left),
                       std::max(geometry.timeAt(left + 1), geometry.timeAt(left) + 1)});
    if (const auto range = curve.line.in(pixel)) {
      const double high = yOf(range->high);
      painter.fillRect(QRectF(left, high, 1, area.bottom() - high), fill);
      painter.fillRect(QRectF(left, high, 1, std::max(1.0, yOf(range->low) - high)), edge);
    }
    if (const auto range = curve.limit.in(pixel)) {
      const double high = yOf(range->high);
      painter.fillRect(QRectF(left, high, 1, std::max(1.0, yOf(range->low) - high)), colours.text);
    }
  }
  double painted = -1;
  for (const auto& [span, text] : curve.marks) {
    const double x = std::floor(geometry.xOf(rank, span.begin));
    if (x <= painted || x < geometry.area().left() || x > geometry.area().right()) continue;
    painted = x + 1;
    painter.fillRect(QRectF(x, rect.top(), 2, kMarkHeight), colours.accent);
  }
}

void CurvesOverlay::paint(QPainter& painter, const TimelineGeometry& geometry) const {
  int lane = 0;
  for (const auto& [rank, curves] : curves_)
    for (const Curve& curve : curves)
      if (const auto rect = geometry.laneRect(id(), lane++))
        paintCurve(painter, geometry, curve, *rect);
}

std::optional<OverlayHit> CurvesOverlay::hitTest(const QPointF& pos,
                                                 const TimelineGeometry& geometry) const {
  int lane = 0;
  for (const auto& [rank, curves] : curves_)
    for (const Curve& curve : curves) {
      const auto rect = geometry.laneRect(id(), lane++);
      if (!rect || !rect->contains(pos)) continue;
      const auto toTrace = [&, of = curve.lane.rank](double x) {
        const TimeNs t = geometry.timeAt(x);
        return session_.toTrace(of, TimeSpan{t, t + 1}).begin;
      };
      const TimeNs t = toTrace(pos.x());
      OverlayHit hit;
      const auto value = curve.line.at(t);
      hit.text = value ? textOf(*value) : tr("not known before the first record");
      if (const auto limit = curve.limit.at(t)) hit.text += u'\n' + limitTextOf(*limit);
      const TimeNs near = toTrace(pos.x() + 4) - t;
      for (const auto& [span, text] : curve.marks)
        if (span.begin - near <= t && t <= std::max(span.end, span.begin + near)) {
          hit.text += u'\n' + text;
          break;
        }
      hit.text += u'\n' + explanation();
      hit.rect = QRectF(pos.x(), rect->top(), 1, rect->height());
      return hit;
    }
  return std::nullopt;
}

bool CurvesOverlay::clicked(const OverlayHit& /*hit*/) {
  return true;
}

std::vector<CurvesOverlay::Curve> QueueDepthOverlay::curvesOf(
    const AnalysisResults& results) const {
  std::vector<const QueueDepth*> queues;
  for (const QueueDepth& queue : *results.launches.queues)
    if (queue.counted > 0) queues.push_back(&queue);
  std::stable_sort(queues.begin(), queues.end(), [](const QueueDepth* a, const QueueDepth* b) {
    return a->counted > b->counted;
  });
  if (queues.size() > kMostLanes) queues.resize(kMostLanes);
  std::vector<Curve> curves;
  for (const QueueDepth* queue : queues) {
    Curve curve;
    curve.lane.place = Lane::Place::belowTrack;
    curve.lane.track = queue->track;
    curve.lane.title = tr("queue depth · to %1").arg(formatCount(queue->most));
    curve.line =
        StepCurve(queue->time, std::vector<double>(queue->depth.begin(), queue->depth.end()));
    curve.top = queue->most;
    curves.push_back(std::move(curve));
  }
  return curves;
}

QString QueueDepthOverlay::textOf(double value) const {
  return tr("%1 launched, not started").arg(formatCount(static_cast<qint64>(value)));
}

QString QueueDepthOverlay::explanation() const {
  return tr(
      "Queue depth: work whose launching call has begun and that has not started in this "
      "stream; 0 means that the stream waits for the host");
}

std::vector<CurvesOverlay::Curve> MemoryOverlay::curvesOf(const AnalysisResults& results) const {
  const Trace& trace = *results.workload->trace;
  std::vector<Curve> curves;
  for (const MemoryPool& pool : results.memory.pools) {
    if (!pool.device.valid()) continue;
    Curve curve;
    curve.lane.place = Lane::Place::belowDevice;
    curve.lane.device = pool.device;
    curve.top = static_cast<double>(std::max(
        pool.peakOfRecording,
        pool.reserved.empty() ? 0 : *std::max_element(pool.reserved.begin(), pool.reserved.end())));
    // Without totals only the height above the lowest is known.
    const std::int64_t low =
        pool.relative ? *std::min_element(pool.allocated.begin(), pool.allocated.end()) : 0;
    curve.top -= static_cast<double>(low);
    curve.lane.title = pool.relative ? tr("memory gained · to %1").arg(bytes(curve.top))
                                     : tr("memory · to %1").arg(bytes(curve.top));
    std::vector<double> allocated;
    for (const std::int64_t value : pool.allocated)
      allocated.push_back(static_cast<double>(value - low));
    curve.line = StepCurve(pool.time, std::move(allocated));
    if (!pool.reserved.empty())
      curve.limit = StepCurve(pool.time, {pool.reserved.begin(), pool.reserved.end()});
    for (const AllocatorCall& call : results.memory.calls) {
      const std::string_view text = trace.name(call.call);
      curve.marks.emplace_back(trace.slices().span(call.call),
                               QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())) +
                                   u' ' + formatDuration(trace.slices().duration(call.call)));
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

QString MemoryOverlay::textOf(double value) const {
  return tr("%1 allocated").arg(bytes(value));
}

QString MemoryOverlay::limitTextOf(double value) const {
  return tr("%1 reserved (the line)").arg(bytes(value));
}

QString MemoryOverlay::explanation() const {
  return tr(
      "As the framework's allocator recorded it; strokes above are calls to the driver for "
      "memory");
}

}  // namespace ridgeline
