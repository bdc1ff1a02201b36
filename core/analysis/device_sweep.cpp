#include "core/analysis/device_sweep.h"

#include <limits>

namespace ridgeline {

WorkInTime::WorkInTime(const SliceTable& slices, std::span<const SliceId> events)
    : slices_(slices), events_(events) {
  reach_.reserve(events.size());
  TimeNs latest = std::numeric_limits<TimeNs>::min();
  for (const SliceId s : events) {
    latest = std::max(latest, slices.end[s.index()]);
    reach_.push_back(latest);
  }
}

}  // namespace ridgeline
