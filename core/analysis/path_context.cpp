#include "core/analysis/path_context.h"

namespace ridgeline {

PathContext::PathContext(const Workload& workload)
    : w(workload),
      trace(*workload.trace),
      activities(trace),
      streams(trace),
      threads(trace, activities),
      predecessors(w, streams, threads) {}

PathCause PathContext::causeOf(SliceId work) const {
  if (trace.slices().category[work.index()] != Category::kernel) return PathCause::memory;
  switch (w.classOf(work)) {
    case KernelClass::collective:
      return PathCause::communication;
    case KernelClass::memcpy:
    case KernelClass::memset:
      return PathCause::memory;
    default:
      return PathCause::compute;
  }
}

}  // namespace ridgeline
