#include "core/index/visible_runs.h"

#include <algorithm>
#include <cmath>

#include "core/index/row_query.h"

namespace ridgeline {

namespace {

constexpr double kOwnRunPixels = 2;
constexpr std::uint32_t kMostLookedAt = 64;

/// Walks one row from left to right and appends runs.
class RunWalk {
 public:
  RunWalk(const TraceIndex& index, RowId rowId, TimeSpan span, int width,
          std::vector<VisibleRun>& runs)
      : s_(index.trace().slices()),
        row_(index.trace().rows()[rowId.index()]),
        span_(span),
        width_(width),
        nsPerPixel_(static_cast<double>(span.length()) / width),
        runs_(runs) {}

  void byBuckets(const RowPyramid::Level& level);
  void bySlices();

 private:
  [[nodiscard]] double xOf(TimeNs t) const {
    return static_cast<double>(t - span_.begin) / nsPerPixel_;
  }
  [[nodiscard]] int pixelOf(double x) const {
    return static_cast<int>(std::floor(std::clamp(x, -1.0, static_cast<double>(width_))));
  }
  [[nodiscard]] TimeNs timeOf(int pixel) const {
    return span_.begin + static_cast<TimeNs>(std::ceil(pixel * nsPerPixel_));
  }
  [[nodiscard]] bool isWide(std::uint32_t slice) const {
    return static_cast<double>(s_.end[slice] - s_.start[slice]) >= kOwnRunPixels * nsPerPixel_;
  }
  /// Appends a run of the slice's own; returns the first free pixel after it.
  int addSlice(std::uint32_t slice, int from);
  /// As addSlice; a slice of which the span shows less than half a pixel still gets that pixel.
  int addWide(std::uint32_t slice, int from);
  void addFolded(int pixel, std::uint32_t slice, std::uint8_t coverage);
  std::uint32_t foldPixel(std::uint32_t first, int pixel);

  const SliceTable& s_;
  const Row& row_;
  const TimeSpan span_;
  const int width_;
  const double nsPerPixel_;
  std::vector<VisibleRun>& runs_;
};

int RunWalk::addSlice(std::uint32_t slice, int from) {
  const auto rounded = [this](TimeNs t) {
    return static_cast<int>(std::lround(std::clamp(xOf(t), 0.0, static_cast<double>(width_))));
  };
  int x0 = rounded(s_.start[slice]);
  const int x1 = rounded(s_.end[slice]);
  if (x1 <= x0) return std::max(from, x1);
  // A folded pixel that the rounded start reaches over gives way: true borders matter more.
  while (!runs_.empty() && runs_.back().folded && runs_.back().x0 >= x0) runs_.pop_back();
  if (!runs_.empty()) {
    if (runs_.back().slice == SliceId(slice) && !runs_.back().folded) return std::max(from, x1);
    x0 = std::max(x0, runs_.back().x1);
  }
  if (x1 > x0) runs_.push_back({x0, x1, SliceId(slice), false, 255});
  return std::max(from, x1);
}

int RunWalk::addWide(std::uint32_t slice, int from) {
  const int next = addSlice(slice, from);
  const double shown = std::min(xOf(s_.end[slice]), static_cast<double>(width_)) -
                       std::max(xOf(s_.start[slice]), 0.0);
  const int pixel = std::clamp(pixelOf(xOf(s_.start[slice])), 0, width_ - 1);
  if (shown >= 1 || pixel < next) return next;
  const long share = std::lround(std::max(shown, 0.0) * 255);
  addFolded(pixel, slice, static_cast<std::uint8_t>(std::clamp<long>(share, 1, 255)));
  return pixel + 1;
}

void RunWalk::addFolded(int pixel, std::uint32_t slice, std::uint8_t coverage) {
  if (pixel < 0 || pixel >= width_) return;
  runs_.push_back({pixel, pixel + 1, SliceId(slice), true, coverage});
}

void RunWalk::byBuckets(const RowPyramid::Level& level) {
  const double bucket = static_cast<double>(level.bucketLength());
  const TimeNs offset = span_.begin - level.begin;
  auto b = static_cast<std::int64_t>(std::max<TimeNs>(offset >> level.shift, 0));
  const auto last =
      std::min<std::int64_t>(level.count, ((span_.end - level.begin) >> level.shift) + 1);
  const auto middle = [&](std::int64_t i) {
    return (static_cast<double>(i) * bucket + bucket / 2 - static_cast<double>(offset)) /
           nsPerPixel_;
  };
  int next = 0;  // first pixel that is still free
  while (b < last) {
    const int pixel = std::clamp(pixelOf(middle(b)), 0, width_ - 1);
    // All buckets whose middle lies in this pixel: one or two.
    std::uint32_t dominant = RowPyramid::kNone;
    unsigned most = 0, sum = 0, buckets = 0;
    for (; b < last && std::clamp(pixelOf(middle(b)), 0, width_ - 1) == pixel; ++b) {
      const unsigned covered = level.coverage[b];
      sum += covered;
      ++buckets;
      const std::uint32_t slice = level.dominant[b];
      if (slice == RowPyramid::kNone) continue;
      // A wide slice keeps its own run even if small ones fill the rest of its first pixel.
      if (isWide(slice)) {
        if (dominant == RowPyramid::kNone || !isWide(dominant)) {
          dominant = slice;
          most = covered;
        } else if (covered > most && s_.end[dominant] <= s_.start[slice]) {
          next = addSlice(dominant, next);
          dominant = slice;
          most = covered;
        }
      } else if (covered > most && (dominant == RowPyramid::kNone || !isWide(dominant))) {
        dominant = slice;
        most = covered;
      }
    }
    if (dominant == RowPyramid::kNone) continue;
    if (isWide(dominant)) {
      next = addWide(dominant, next);
      const std::int64_t skip = (s_.end[dominant] - level.begin) >> level.shift;
      b = std::max(b, skip);
    } else if (pixel >= next) {
      addFolded(pixel, dominant,
                static_cast<std::uint8_t>(std::clamp(sum / std::max(buckets, 1u), 1u, 255u)));
      next = pixel + 1;
    }
  }
}

std::uint32_t RunWalk::foldPixel(std::uint32_t first, int pixel) {
  const TimeNs begin = std::max(timeOf(pixel), span_.begin);
  const TimeNs end = timeOf(pixel + 1);
  // The first slice that does not begin in this pixel, or is wide.
  std::uint32_t i = first;
  std::uint32_t dominant = first;
  TimeNs longest = -1, covered = 0;
  while (i < row_.last && i - first < kMostLookedAt && s_.start[i] < end) {
    if (isWide(i)) break;
    const TimeNs length = s_.end[i] - s_.start[i];
    covered += std::max<TimeNs>(std::min(s_.end[i], end) - std::max(s_.start[i], begin), 0);
    if (length > longest) {
      longest = length;
      dominant = i;
    }
    ++i;
  }
  if (i < row_.last && s_.start[i] < end && !isWide(i)) {
    const TimeNs lookedAt = std::max<TimeNs>(s_.start[i] - begin, 1);
    const std::uint32_t next = gallopEndingAfter(s_, row_, i, end - 1);
    const std::uint32_t stride = std::max((next - i) / kMostLookedAt, 1u);
    for (std::uint32_t k = i; k < next; k += stride)
      if (s_.end[k] - s_.start[k] > longest) {
        longest = s_.end[k] - s_.start[k];
        dominant = k;
      }
    covered = static_cast<TimeNs>(static_cast<double>(covered) * static_cast<double>(end - begin) /
                                  static_cast<double>(lookedAt));
    i = std::max(next, first + 1);
    // A slice that reaches into the next pixel is met again there only if it begins there.
    if (i < row_.last && s_.start[i] < end && !isWide(i)) ++i;
  }
  const double share =
      static_cast<double>(covered) / static_cast<double>(std::max<TimeNs>(end - begin, 1));
  addFolded(pixel, dominant,
            static_cast<std::uint8_t>(std::clamp<long>(std::lround(share * 255), 1, 255)));
  return i;
}

void RunWalk::bySlices() {
  std::uint32_t i = slicesTouching(s_, row_, span_).first;
  int next = 0;
  while (i < row_.last && s_.start[i] < span_.end) {
    if (isWide(i)) {
      next = addWide(i, next);
      ++i;
      continue;
    }
    const int pixel = std::max(pixelOf(xOf(std::max(s_.start[i], span_.begin))), 0);
    if (pixel >= width_) break;
    if (pixel < next) {
      // Its pixel is taken by the rounded end of what came before: at most a pixel beside. A wide
      // slice that begins in the taken pixel ends after it and is not jumped over.
      i = std::max(i + 1, gallopEndingAfter(s_, row_, i, timeOf(next) - 1));
      continue;
    }
    i = foldPixel(i, pixel);
    next = pixel + 1;
  }
}

}  // namespace

void visibleRuns(const TraceIndex& index, RowId rowId, TimeSpan span, int width,
                 std::vector<VisibleRun>& runs) {
  runs.clear();
  const Row& row = index.trace().rows()[rowId.index()];
  if (width <= 0 || span.empty() || row.first == row.last) return;
  RunWalk walk(index, rowId, span, width, runs);
  const double nsPerPixel = static_cast<double>(span.length()) / width;
  const RowPyramid::Level level = index.pyramid().levelFor(rowId, nsPerPixel);
  if (level.count > 0) {
    walk.byBuckets(level);
  } else {
    walk.bySlices();
  }
}

}  // namespace ridgeline
