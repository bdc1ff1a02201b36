#include "core/analysis/step_bounds.h"

#include <algorithm>

namespace ridgeline {

StepFloors floorsOfSpan(const Workload& w, const AnalysisWindow& window, std::size_t span,
                        const std::vector<Bounds>& ofWindow) {
  StepFloors floors;
  std::vector<Bounds> own = ofWindow;
  if (window.spans.size() > 1 && span < window.spans.size()) {
    const AnalysisWindow one = spanWindow(window.spans[span]);
    own = bounds(w, roofline(w, one), deviceTimes(w, one), collectives(w, one));
    for (const Bounds& b : ofWindow) floors.ofMean = std::max(floors.ofMean, b.floor());
  }
  // An absent bound is below every other one.
  for (const Bounds& b : own) {
    floors.device = std::max(floors.device, b.deviceFloor());
    floors.communication = std::max(floors.communication, b.communication);
  }
  return floors;
}

}  // namespace ridgeline
