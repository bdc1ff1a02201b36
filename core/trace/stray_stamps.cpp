#include "core/trace/stray_stamps.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace ridgeline {

namespace {

/// Where to cut one end of a recording: what lies beyond `border` is stray.
struct Cut {
  std::size_t strays = 0;  ///< 0: no cut
  TimeNs gap = 0;
  TimeNs border = 0;  ///< the outermost stamp that stays
};

template <class Queue>
std::vector<TimeNs> outermostFirst(Queue queue) {
  std::vector<TimeNs> stamps;
  for (; !queue.empty(); queue.pop()) stamps.push_back(queue.top());
  std::reverse(stamps.begin(), stamps.end());
  return stamps;
}

/// At the widest gap.
Cut cutOf(const std::vector<TimeNs>& stamps, TimeNs none) {
  Cut cut{0, StrayStamps::kLeastGap, none};
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    const TimeNs gap =
        stamps[i] > stamps[i - 1] ? stamps[i] - stamps[i - 1] : stamps[i - 1] - stamps[i];
    if (gap > cut.gap) cut = {i, gap, stamps[i]};
  }
  return cut;
}

}  // namespace

StrayStamps::StrayStamps(TimeSpan all, std::size_t stamps) : all_(all) {
  if (all.length() > kLeastGap && stamps >= 20) most_ = std::max<std::size_t>(2, stamps / 1000);
}

void StrayStamps::see(TimeNs stamp) {
  // One more than may be stray: the gap behind the last of these counts, too.
  const auto take = [&](auto& queue) {
    using Compare = typename std::remove_reference_t<decltype(queue)>::value_compare;
    if (queue.size() > most_) {
      if (!Compare()(stamp, queue.top())) return;
      queue.pop();
    }
    queue.push(stamp);
  };
  take(first_);
  take(last_);
}

TimeSpan StrayStamps::bulk() const {
  if (!possible()) return all_;
  const Cut before = cutOf(outermostFirst(first_), all_.begin);
  const Cut behind = cutOf(outermostFirst(last_), all_.end);
  const Cut left{0, 0, all_.begin}, right{0, 0, all_.end};
  for (const auto& [one, other] :
       {std::pair(before, behind), std::pair(before, right), std::pair(left, behind)}) {
    if (one.strays + other.strays == 0 || one.strays + other.strays > most_) continue;
    if (one.border > other.border) continue;
    const TimeNs extent = other.border - one.border;
    const bool isFar = (one.strays == 0 || one.gap / kGapToExtent > extent) &&
                       (other.strays == 0 || other.gap / kGapToExtent > extent);
    if (isFar) return {one.border, other.border};
  }
  return all_;
}

}  // namespace ridgeline
