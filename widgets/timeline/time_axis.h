#pragma once

#include <algorithm>
#include <cmath>

#include "core/base/time.h"

namespace ridgeline {

/// Session time ↔ x, the only place where time becomes a double: relative to the visible span, so
/// that nothing is lost. x is clamped to 16 px outside, because painters lose huge rectangles
/// (deep zoom). An axis of zero width maps all to its left edge.
class TimeAxis {
 public:
  static constexpr double kOutside = 16;

  TimeAxis() = default;
  TimeAxis(TimeSpan span, double left, double width)
      : span_(span), left_(left), width_(std::max(width, 0.0)) {}

  [[nodiscard]] TimeSpan span() const { return span_; }
  [[nodiscard]] double left() const { return left_; }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double nsPerPixel() const {
    return width_ > 0 ? static_cast<double>(span_.length()) / width_ : 0;
  }

  [[nodiscard]] double xOf(TimeNs t) const {
    if (span_.empty()) return left_;
    // The difference of two int64 may overflow when t is far away; doubles are exact enough here
    // because the result is clamped.
    const double relative = (t >= span_.begin && t <= span_.end)
                                ? static_cast<double>(t - span_.begin)
                                : static_cast<double>(t) - static_cast<double>(span_.begin);
    const double x = relative * width_ / static_cast<double>(span_.length());
    return left_ + std::clamp(x, -kOutside, width_ + kOutside);
  }
  /// The time at x; x outside gives times outside.
  [[nodiscard]] TimeNs timeAt(double x) const {
    if (width_ <= 0) return span_.begin;
    return span_.begin + static_cast<TimeNs>(std::llround(
                             (x - left_) * static_cast<double>(span_.length()) / width_));
  }

 private:
  TimeSpan span_{0, 1};
  double left_ = 0;
  double width_ = 0;
};

}  // namespace ridgeline
