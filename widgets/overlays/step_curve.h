#pragma once

#include <optional>
#include <vector>

#include "core/base/time.h"

namespace ridgeline {

/// A step function prepared for drawing at any zoom: value i holds from time i up to time i + 1,
/// the last one for ever; before the first it is unknown. Ranges are found over blocks of values,
/// so that a frame costs pixels, not values.
class StepCurve {
 public:
  struct Range {
    double low = 0, high = 0;
  };

  StepCurve() = default;
  /// Times ascend.
  StepCurve(std::vector<TimeNs> times, std::vector<double> values);

  [[nodiscard]] bool empty() const { return times_.empty(); }
  [[nodiscard]] double highest() const { return highest_; }
  [[nodiscard]] std::optional<double> at(TimeNs t) const;
  /// The lowest and highest value that holds anywhere in the span; nothing before the first.
  [[nodiscard]] std::optional<Range> in(TimeSpan span) const;

 private:
  static constexpr std::size_t kBlock = 64;
  [[nodiscard]] Range rangeOf(std::size_t first, std::size_t last) const;
  std::vector<TimeNs> times_;
  std::vector<double> values_;
  std::vector<Range> blocks_;  ///< of kBlock values each
  double highest_ = 0;
};

}  // namespace ridgeline
