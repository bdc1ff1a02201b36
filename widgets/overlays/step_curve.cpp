#include "widgets/overlays/step_curve.h"

#include <algorithm>

namespace ridgeline {

StepCurve::StepCurve(std::vector<TimeNs> times, std::vector<double> values)
    : times_(std::move(times)), values_(std::move(values)) {
  for (std::size_t i = 0; i < values_.size(); i += kBlock) {
    const auto first = values_.begin() + static_cast<std::ptrdiff_t>(i);
    const auto last =
        values_.begin() + static_cast<std::ptrdiff_t>(std::min(i + kBlock, values_.size()));
    const auto [low, high] = std::minmax_element(first, last);
    blocks_.push_back({*low, *high});
    highest_ = blocks_.size() == 1 ? *high : std::max(highest_, *high);
  }
}

std::optional<double> StepCurve::at(TimeNs t) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  if (after == times_.begin()) return std::nullopt;
  return values_[static_cast<std::size_t>(after - times_.begin()) - 1];
}

StepCurve::Range StepCurve::rangeOf(std::size_t first, std::size_t last) const {
  Range range{values_[first], values_[first]};
  const auto add = [&](double low, double high) {
    range.low = std::min(range.low, low);
    range.high = std::max(range.high, high);
  };
  std::size_t i = first;
  while (i < last) {
    if (i % kBlock == 0 && i + kBlock <= last) {
      add(blocks_[i / kBlock].low, blocks_[i / kBlock].high);
      i += kBlock;
    } else {
      add(values_[i], values_[i]);
      ++i;
    }
  }
  return range;
}

std::optional<StepCurve::Range> StepCurve::in(TimeSpan span) const {
  const auto before = std::upper_bound(times_.begin(), times_.end(), span.begin);
  const auto after = std::lower_bound(before, times_.end(), std::max(span.end, span.begin + 1));
  auto first = static_cast<std::size_t>(before - times_.begin());
  const auto last = static_cast<std::size_t>(after - times_.begin());
  if (first > 0) --first;
  if (first == last) return std::nullopt;
  return rangeOf(first, last);
}

}  // namespace ridgeline
