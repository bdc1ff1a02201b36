#include "core/workload/op_owner.h"

namespace ridgeline {

bool OpOwner::isOp(SliceId s) const {
  // Old recordings hold the step marks among the operators.
  return trace_.slices().category[s.index()] == Category::cpuOp &&
         trace_.name(s).substr(0, 12) != "ProfilerStep";
}

void OpOwner::indexExternalIds() {
  if (indexed_) return;
  indexed_ = true;
  for (const auto& [slice, value] : trace_.slices().externalId.entries())
    if (value > 0 && isOp(slice)) opsByExternal_.emplace(value, slice);
}

SliceId OpOwner::byExternalId(SliceId carrier, TimeNs at, bool mustHold) {
  const SliceTable& s = trace_.slices();
  const auto external = s.externalId.get(carrier);
  if (!external || *external <= 0) return {};
  indexExternalIds();
  SliceId best;
  const auto [first, last] = opsByExternal_.equal_range(*external);
  for (auto it = first; it != last; ++it) {
    const SliceId op = it->second;
    const bool holds = s.start[op.index()] <= at && at <= s.end[op.index()];
    if (mustHold ? !holds : s.start[op.index()] > at) continue;
    // Of several with the number the innermost one, that is the one that started last.
    if (!best.valid() || s.start[op.index()] > s.start[best.index()]) best = op;
  }
  return best;
}

SliceId OpOwner::ofLaunch(SliceId launch) {
  const SliceTable& s = trace_.slices();
  SliceId at = launch;
  if (!s.parent[launch.index()].valid() && !isOp(launch))
    at = trace_.innermostAt(trace_.trackOf(launch), s.start[launch.index()]);
  for (; at.valid(); at = s.parent[at.index()])
    if (isOp(at)) return at;
  return byExternalId(launch, s.start[launch.index()], true);
}

SliceId OpOwner::of(SliceId deviceWork) {
  const SliceTable& s = trace_.slices();
  const SliceId launch = trace_.launchOf(deviceWork);
  if (launch.valid()) {
    if (opOfLaunch_.empty()) opOfLaunch_.assign(s.size(), kNotAsked);
    SliceId& op = opOfLaunch_[launch.index()];
    if (op == kNotAsked) op = ofLaunch(launch);
    if (op.valid()) return op;
    return byExternalId(deviceWork, s.start[launch.index()], true);
  }
  // Some ages of Kineto write the correlation as External id; that number names no operator.
  const auto correlation = s.correlation.get(deviceWork);
  if (correlation && correlation == s.externalId.get(deviceWork)) return {};
  return byExternalId(deviceWork, s.start[deviceWork.index()], false);
}

}  // namespace ridgeline
