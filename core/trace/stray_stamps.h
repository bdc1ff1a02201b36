#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <queue>

#include "core/base/time.h"

namespace ridgeline {

/// Finds the stamps of a recording that are too far from all others to be of it: a ts of 0 beside
/// times since 1970, a clock that jumped by weeks. Conservative on purpose: at most one stamp in a
/// thousand (two of fewer than 2,000, none of fewer than 20), behind a gap of more than an hour and
/// of more than 1,000 times what all others take.
class StrayStamps {
 public:
  static constexpr TimeNs kLeastGap = TimeNs{3'600'000'000'000};
  static constexpr TimeNs kGapToExtent = 1000;

  /// `all`: from the first to the last stamp.
  StrayStamps(TimeSpan all, std::size_t stamps);
  /// Whether it can have any; where not, nothing needs to be seen.
  [[nodiscard]] bool possible() const { return most_ > 0; }
  void see(TimeNs stamp);
  /// `all` without the strays, once all stamps were seen.
  [[nodiscard]] TimeSpan bulk() const;

 private:
  TimeSpan all_;
  std::size_t most_ = 0;
  std::priority_queue<TimeNs> first_;                                            // the least ones
  std::priority_queue<TimeNs, std::vector<TimeNs>, std::greater<TimeNs>> last_;  // the greatest
};

}  // namespace ridgeline
