#include "core/workload/shown_steps.h"

namespace ridgeline {

std::vector<std::size_t> shownSteps(const Steps& steps) {
  std::vector<std::size_t> shown = steps.steadyIndices();
  if (!shown.empty()) return shown;
  for (std::size_t i = 0; i < steps.steps.size(); ++i)
    if (!steps.steps[i].device.empty()) shown.push_back(i);
  if (!shown.empty()) return shown;
  for (std::size_t i = 0; i < steps.steps.size(); ++i) shown.push_back(i);
  return shown;
}

}  // namespace ridgeline
