#include "core/analysis/path_shares.h"

#include <algorithm>
#include <array>
#include <map>

namespace ridgeline {

namespace {

bool waits(PathCause cause) {
  return cause == PathCause::launchLatency || cause == PathCause::queueing ||
         cause == PathCause::streamWait || cause == PathCause::hostGap ||
         cause == PathCause::untraced;
}

/// The operator that a stretch of the path belongs to; invalid if there is none.
SliceId operatorOf(const Workload& w, SliceId event) {
  const SliceTable& s = w.trace->slices();
  if (isDeviceWork(s.category[event.index()]))
    return w.opOf.empty() ? SliceId() : w.opOf[event.index()];
  for (SliceId p = event; p.valid(); p = s.parent[p.index()])
    if (s.category[p.index()] == Category::cpuOp) return p;
  return {};
}

}  // namespace

PathShares pathShares(const Workload& w, const CriticalPath& path) {
  std::array<TimeNs, kKernelClassCount> byClass{};
  std::map<StringId, TimeNs> byOp;
  const SliceTable& s = w.trace->slices();
  for (const PathSegment& segment : path.segments) {
    if (!segment.event.valid() || waits(segment.cause)) continue;
    if (isDeviceWork(s.category[segment.event.index()]))
      byClass[static_cast<std::size_t>(w.classOf(segment.event))] += segment.span.length();
    if (const SliceId op = operatorOf(w, segment.event); op.valid())
      byOp[s.name[op.index()]] += segment.span.length();
  }
  PathShares shares;
  for (std::size_t c = 0; c < byClass.size(); ++c)
    if (byClass[c] > 0) shares.byClass.emplace_back(static_cast<KernelClass>(c), byClass[c]);
  for (const auto& [name, time] : byOp) shares.byOp.emplace_back(w.trace->text(name), time);
  const auto larger = [](const auto& a, const auto& b) { return a.second > b.second; };
  std::stable_sort(shares.byClass.begin(), shares.byClass.end(), larger);
  // Of equal times by name: ids of names depend on the order of events in the file.
  std::sort(shares.byOp.begin(), shares.byOp.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return shares;
}

}  // namespace ridgeline
