#include "core/trace/wall_clock.h"

#include <algorithm>

namespace ridgeline {

std::vector<TimeNs> originsOnOneClock(const std::vector<std::shared_ptr<const Trace>>& traces) {
  constexpr TimeNs kFarthest = TimeNs{1} << 61;  // sums, and what lies between two, fit
  const auto fits = [](TimeNs t) { return t < kFarthest && t > -kFarthest; };
  const bool known = std::all_of(traces.begin(), traces.end(), [&](const auto& trace) {
    const auto base = trace->info().baseTimeNs;
    return base && fits(*base) && fits(trace->origin());
  });
  std::vector<TimeNs> origins;
  for (const auto& trace : traces)
    origins.push_back(trace->origin() + (known ? *trace->info().baseTimeNs : 0));
  return origins;
}

}  // namespace ridgeline
