#include "core/analysis/compile_time.h"

#include <algorithm>
#include <map>

#include "core/workload/code_loading.h"
#include "core/workload/host_activity.h"

namespace ridgeline {

namespace {

bool compiles(HostActivity activity) {
  return activity == HostActivity::compileLoad || activity == HostActivity::autotune;
}

/// The same rule as the one that leaves steps out: the step whose annotation holds the start.
std::optional<std::size_t> stepAt(const Steps& steps, TimeNs t) {
  for (std::size_t k = 0; k < steps.steps.size(); ++k)
    if (steps.steps[k].host.contains(t)) return k;
  return std::nullopt;
}

}  // namespace

void findCompileTime(const Workload& w, CompiledPrograms& result) {
  const SliceTable& s = w.trace->slices();
  const HostActivities activities(*w.trace);
  std::vector<SliceId> loading = launchesThatLoadCode(*w.trace);
  std::sort(loading.begin(), loading.end());
  const auto isStretch = [&](SliceId id) {
    return compiles(activities.of(id)) || std::binary_search(loading.begin(), loading.end(), id);
  };
  for (std::size_t i = 0; i < s.size(); ++i) {
    const HostActivity activity = activities.of(SliceId(i));
    if (!compiles(activity)) continue;
    SliceId above = s.parent[i];
    while (above.valid() && !isStretch(above)) above = s.parent[above.index()];
    if (above.valid()) continue;
    result.compiling.push_back(
        {SliceId(i), activity == HostActivity::autotune, stepAt(w.steps, s.start[i])});
  }
  for (const SliceId call : loading) {
    SliceId above = s.parent[call.index()];
    while (above.valid() && !compiles(activities.of(above))) above = s.parent[above.index()];
    if (!above.valid())
      result.compiling.push_back({call, false, stepAt(w.steps, s.start[call.index()])});
  }
  std::stable_sort(result.compiling.begin(), result.compiling.end(),
                   [&](const auto& a, const auto& b) {
                     return s.start[a.slice.index()] < s.start[b.slice.index()];
                   });
  std::map<std::size_t, CompileStep> steps;
  for (const CompileSpan& span : result.compiling) {
    result.compileTotal += s.duration(span.slice);
    if (!span.step) continue;
    CompileStep& step = steps[*span.step];
    step.step = *span.step;
    ++step.spans;
    step.total += s.duration(span.slice);
  }
  for (const auto& [index, step] : steps) result.compileSteps.push_back(step);
}

}  // namespace ridgeline
