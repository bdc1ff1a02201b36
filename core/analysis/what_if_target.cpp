#include "core/analysis/what_if_target.h"

namespace ridgeline {

namespace {

using What = WhatIfChange::What;

/// Device work that runs, as against what it waits for.
bool isRunning(const Workload& w, const GraphEdge& edge) {
  return (edge.cause == PathCause::compute || edge.cause == PathCause::communication ||
          edge.cause == PathCause::memory) &&
         isDeviceSlice(w, edge.slice);
}

}  // namespace

bool isDeviceSlice(const Workload& w, SliceId slice) {
  return slice.valid() && isDeviceWork(w.trace->slices().category[slice.index()]);
}

WhatIfTarget::WhatIfTarget(const Workload& w, const WhatIfChange& change) : w_(w), change_(change) {
  if (change.what != What::op && change.what != What::kernel) return;
  const StringPool& strings = w.trace->strings();
  const std::string_view wanted = change.name;
  const bool beginning = !wanted.empty() && wanted.back() == '*';
  named_.resize(strings.size());
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const std::string_view name = strings.text(StringId(i));
    named_[i] = beginning ? name.substr(0, wanted.size() - 1) == wanted.substr(0, wanted.size() - 1)
                          : name == wanted;
  }
}

bool WhatIfTarget::insideOp(SliceId work) const {
  const SliceTable& s = w_.trace->slices();
  for (SliceId op = w_.opOf.empty() ? SliceId() : w_.opOf[work.index()]; op.valid();
       op = s.parent[op.index()])
    if (named_[s.name[op.index()].index()]) return true;
  return false;
}

bool WhatIfTarget::holds(const GraphEdge& edge) const {
  switch (change_.what) {
    case What::kernelClass:
      return isRunning(w_, edge) && w_.classOf(edge.slice) == change_.kernelClass;
    case What::op:
      return isRunning(w_, edge) && insideOp(edge.slice);
    case What::kernel:
      return isRunning(w_, edge) && named_[w_.trace->slices().name[edge.slice.index()].index()];
    case What::event:
      if (edge.cause == PathCause::hostGap || edge.cause == PathCause::untraced) return false;
      return edge.slice == change_.event &&
             (edge.kind == Dependency::duration || isRunning(w_, edge));
    case What::cause:
      return edge.cause == change_.cause;
    case What::collectives:
      return edge.cause == PathCause::communication;
    case What::launches:
      break;
  }
  return edge.cause == PathCause::launch || edge.cause == PathCause::launchLatency;
}

}  // namespace ridgeline
