#include "widgets/timeline/row_painter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <QPainter>

#include "widgets/timeline/counter_painter.h"
#include "widgets/timeline/row_raster.h"

namespace ridgeline {

namespace {

constexpr double kLowestLabelled = 11;  // logical pixels of row height

}  // namespace

void selectedRuns(const Session& session, std::uint32_t rank, RowId rowId, TimeSpan span, int width,
                  std::vector<VisibleRun>& runs) {
  runs.clear();
  const Trace& trace = session.trace(rank);
  const SliceTable& s = trace.slices();
  const Row& row = trace.rows()[rowId.index()];
  const auto& selected = session.selection().slices;
  const auto from =
      std::lower_bound(selected.begin(), selected.end(), SliceRef{rank, SliceId(row.first)});
  const auto to = std::lower_bound(from, selected.end(), SliceRef{rank, SliceId(row.last)});
  const double nsPerPixel = static_cast<double>(span.length()) / width;
  // Ids of one row ascend in time, so the selection is searched by time just as a row is.
  auto at = std::lower_bound(from, to, span.begin, [&s](const SliceRef& ref, TimeNs t) {
    return s.end[ref.id.index()] < t;
  });
  int next = 0;
  while (at != to && s.start[at->id.index()] < span.end) {
    const std::size_t i = at->id.index();
    const double x0 = static_cast<double>(s.start[i] - span.begin) / nsPerPixel;
    const double x1 = static_cast<double>(s.end[i] - span.begin) / nsPerPixel;
    const int left =
        std::max(static_cast<int>(std::lround(std::clamp(x0, 0.0, width - 1.0))), next);
    const int right = std::max(
        static_cast<int>(std::lround(std::clamp(x1, 0.0, static_cast<double>(width)))), left + 1);
    if (left < width) runs.push_back({left, std::min(right, width), at->id, false, 255});
    next = right;
    const auto free = span.begin + static_cast<TimeNs>(std::floor(right * nsPerPixel));
    at = std::lower_bound(at + 1, to, free, [&s](const SliceRef& ref, TimeNs t) {
      return s.end[ref.id.index()] < t;
    });
  }
}

void RowPainter::prepare(const QImage& image, const TimelineScene& scene) {
  if (palette_ != scene.palette) {
    palette_ = scene.palette;
    colours_[0].emplace(*palette_, palette_->background);
    colours_[1].emplace(*palette_, palette_->alternate);
  }
  labels_.setStyle(scene.font, image.devicePixelRatio());
  labels_.startFrame();
  const auto width = static_cast<std::size_t>(image.width());
  const TimeTicks ticks = timeTicks(scene.span, scene.rowsArea().width(), 90, scene.zero);
  for (int k = 0; k < 2; ++k) {
    background_[k].assign(width, (k == 0 ? palette_->background : palette_->alternate).rgb());
    const TimeAxis axis(scene.span, 0, image.width());
    for (const TimeTicks::Tick& tick : ticks.ticks) {
      const double x = axis.xOf(tick.time);
      if (tick.labelled && x >= 0 && x < image.width())
        background_[k][static_cast<std::size_t>(x)] = palette_->grid.rgb();
    }
  }
  placed_.clear();
}

void RowPainter::paintBackground(QImage& image, const TimelineScene& scene) const {
  const double ratio = image.devicePixelRatio();
  const auto bytes = static_cast<std::size_t>(image.width()) * sizeof(QRgb);
  for (int y = 0; y < image.height(); ++y)
    std::memcpy(image.scanLine(y), background_[0].data(), bytes);
  const auto& lines = scene.layout->lines();
  const auto toPixel = [&](double y) {
    return std::clamp(static_cast<int>(std::lround((y - scene.scrollY) * ratio)), 0,
                      image.height());
  };
  for (int i = std::max(scene.layout->lineAt(scene.scrollY), 0); i < static_cast<int>(lines.size());
       ++i) {
    const LayoutLine& line = lines[static_cast<std::size_t>(i)];
    const int top = toPixel(line.y);
    if (top >= image.height()) break;
    // A track's colour reaches to the next line, over the gap.
    const bool last = i + 1 == static_cast<int>(lines.size());
    const int bottom =
        toPixel(last ? line.y + line.height : lines[static_cast<std::size_t>(i) + 1].y);
    const bool heading =
        line.kind == LayoutLine::Kind::group || line.kind == LayoutLine::Kind::rank;
    if (heading) {
      for (int y = top; y < bottom; ++y) {
        auto* pixels = reinterpret_cast<QRgb*>(image.scanLine(y));
        std::fill(pixels, pixels + image.width(),
                  (y == top ? palette_->line : palette_->chrome).rgb());
      }
    } else if (isAlternate(line)) {
      for (int y = top; y < bottom; ++y)
        std::memcpy(image.scanLine(y), background_[1].data(), bytes);
    }
  }
}

void RowPainter::paint(QImage& image, const TimelineScene& scene) {
  prepare(image, scene);
  paintBackground(image, scene);
  const double bottom = scene.scrollY + scene.rowsArea().height();
  const auto& lines = scene.layout->lines();
  for (int i = std::max(scene.layout->lineAt(scene.scrollY), 0); i < static_cast<int>(lines.size());
       ++i) {
    const LayoutLine& line = lines[static_cast<std::size_t>(i)];
    if (line.y >= bottom) break;
    if (line.kind == LayoutLine::Kind::row) paintRow(image, scene, line, isAlternate(line));
  }
  paintLabels(image, scene);
  QPainter painter(&image);
  TimelineScene moved = scene;
  moved.headerWidth = moved.rulerHeight = 0;
  moved.size = scene.rowsArea().size();
  paintCounters(painter, moved);
}

void RowPainter::paintRow(QImage& image, const TimelineScene& scene, const LayoutLine& line,
                          bool alternate) {
  const double ratio = image.devicePixelRatio();
  const int top = static_cast<int>(std::lround((line.y - scene.scrollY) * ratio));
  const int bottom = static_cast<int>(std::lround((line.y + line.height - scene.scrollY) * ratio));
  if (bottom <= 0 || top >= image.height()) return;
  const Session& session = *scene.session;
  const std::size_t k = alternate ? 1 : 0;
  const auto& keys = session.colourKeys(line.rank);
  const bool dimmed = !session.selection().empty();
  const TimeSpan span = session.toTrace(line.rank, scene.span);
  visibleRuns(session.index(line.rank), line.row, span, image.width(), runs_);
  if (runs_.empty()) return;
  middle_ = background_[k];
  edge_ = background_[k];
  bool outlined = rasterRow(runs_, keys, *colours_[k], dimmed, middle_, edge_);
  if (dimmed) {
    selectedRuns(session, line.rank, line.row, span, image.width(), selectedRuns_);
    outlined |= rasterRow(selectedRuns_, keys, *colours_[k], false, middle_, edge_);
  }
  const auto bytes = middle_.size() * sizeof(QRgb);
  for (int y = std::max(top, 0); y < std::min(bottom, image.height()); ++y) {
    const bool atEdge = outlined && (y == top || y == bottom - 1);
    std::memcpy(image.scanLine(y), atEdge ? edge_.data() : middle_.data(), bytes);
  }
  if (line.height < kLowestLabelled) return;
  const auto place = [&](const VisibleRun& run, bool dim) {
    const int width = run.x1 - run.x0;
    if (run.folded || width < 24 * ratio) return;
    const RunColours::Look& look = colours_[k]->of(keys[run.slice.index()], dim);
    placed_.push_back({run.x0, top, width, bottom - top, line.rank, run.slice, look.text});
  };
  if (!dimmed)
    for (const VisibleRun& run : runs_) place(run, false);
  else
    for (const VisibleRun& run : selectedRuns_) place(run, false);
}

void RowPainter::paintLabels(QImage& image, const TimelineScene& scene) {
  const double ratio = image.devicePixelRatio();
  // The images hold device pixels: draw them as such.
  image.setDevicePixelRatio(1);
  QPainter painter(&image);
  for (const PlacedLabel& place : placed_) {
    const QImage* label = labels_.label(place.rank, scene.session->trace(place.rank), place.slice,
                                        place.width, place.height, place.colour);
    if (label != nullptr) painter.drawImage(place.x, place.y, *label);
  }
  painter.end();
  image.setDevicePixelRatio(ratio);
}

}  // namespace ridgeline
