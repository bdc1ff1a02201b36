#include "core/analysis/device_fill.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <queue>

namespace ridgeline {

namespace {

struct Running {
  TimeNs end;
  double blocks;
  bool operator>(const Running& other) const { return end > other.end; }
};

/// Sums time × share of filled multiprocessors over kernels that come in order of their start.
class Filled {
 public:
  void startAt(TimeNs begin) { now_ = begin; }
  void add(TimeSpan span, double blocks) {
    advance(span.begin);
    running_.push({span.end, blocks});
    blocks_ += blocks;
  }
  /// To the end of everything that runs.
  void finish() {
    while (!running_.empty()) advance(running_.top().end);
  }
  [[nodiscard]] double sum() const { return sum_; }

 private:
  void advance(TimeNs to) {
    while (!running_.empty() && running_.top().end <= to) {
      runTo(running_.top().end);
      blocks_ -= running_.top().blocks;
      running_.pop();
      if (running_.empty()) blocks_ = 0;  // no rounding is carried along
    }
    runTo(to);
  }
  void runTo(TimeNs to) {
    if (to <= now_) return;
    sum_ += static_cast<double>(to - now_) * std::clamp(blocks_, 0.0, 1.0);
    now_ = to;
  }

  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  double blocks_ = 0, sum_ = 0;
  TimeNs now_ = 0;
};

}  // namespace

DeviceFill deviceFill(const Workload& w, const WorkInTime& work, std::span<const TimeSpan> window) {
  DeviceFill result;
  const SliceTable& s = w.trace->slices();
  if (s.fill.empty()) return result;
  Filled filled;
  double occupied = 0;
  TimeNs withOccupancy = 0;
  for (const TimeSpan& span : window) {
    filled.startAt(span.begin);
    work.forEachIn(span, [&](SliceId id) {
      if (s.category[id.index()] != Category::kernel) return;
      const TimeSpan part = s.span(id).clippedTo(span);
      result.kernelTime += part.length();
      const auto fill = s.fill.get(id);
      if (!fill) return;
      if (const auto blocks = fill->blocksPerSm()) {
        result.known += part.length();
        filled.add(part, *blocks);
      }
      if (const auto occupancy = fill->occupancy()) {
        occupied += *occupancy * static_cast<double>(part.length());
        withOccupancy += part.length();
      }
    });
    filled.finish();
  }
  result.filled = static_cast<TimeNs>(std::llround(filled.sum()));
  if (withOccupancy > 0) result.occupancy = occupied / static_cast<double>(withOccupancy);
  return result;
}

}  // namespace ridgeline
