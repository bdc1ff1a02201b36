#include "core/analysis/kernel_groups.h"

#include <algorithm>
#include <unordered_map>

#include "core/analysis/device_sweep.h"
#include "core/base/seeded_hash.h"

namespace ridgeline {

namespace {

class Grouping {
 public:
  explicit Grouping(const Workload& w) : w_(w), slices_(w.trace->slices()) {}

  KernelGroup& of(SliceId s) {
    const std::uint64_t key =
        (std::uint64_t{slices_.name[s.index()].value} << 16) | w_.labelIndex[s.index()];
    const auto [it, isNew] = indices_.try_emplace(key, groups_.size());
    if (isNew) {
      const KernelLabel& label = w_.label(s);
      KernelGroup group;
      group.kernelClass = label.kernelClass;
      group.subclass = label.subclass;
      group.name = slices_.name[s.index()];
      group.rule = label.rule;
      group.shortest = group.longest = slices_.duration(s);
      groups_.push_back(std::move(group));
    }
    return groups_[it->second];
  }

  std::vector<KernelGroup> take() { return std::move(groups_); }

 private:
  const Workload& w_;
  const SliceTable& slices_;
  std::unordered_map<std::uint64_t, std::size_t, SeededHash> indices_;
  std::vector<KernelGroup> groups_;
};

/// Means of what the profiler estimated of the group's calls.
void addFill(const SliceTable& slices, KernelGroup& group) {
  double blocks = 0, occupancy = 0, blocksTime = 0, occupancyTime = 0;
  for (const SliceId s : group.slices) {
    const auto fill = slices.fill.get(s);
    if (!fill) continue;
    const auto time = static_cast<double>(slices.duration(s));
    if (const auto value = fill->blocksPerSm()) blocks += *value * time, blocksTime += time;
    if (const auto value = fill->occupancy()) occupancy += *value * time, occupancyTime += time;
  }
  if (blocksTime > 0) group.blocksPerSm = blocks / blocksTime;
  if (occupancyTime > 0) group.occupancy = occupancy / occupancyTime;
}

}  // namespace

KernelGroups kernelGroups(const Workload& w, const AnalysisWindow& window) {
  const SliceTable& slices = w.trace->slices();
  Grouping grouping(w);
  for (const auto& events : w.deviceWorkOf) {
    const WorkInTime work(slices, events);
    for (std::size_t k = 0; k < window.spans.size(); ++k) {
      const TimeSpan span = window.spans[k];
      work.forEachIn(span, [&](SliceId s) {
        KernelGroup& group = grouping.of(s);
        group.total += slices.span(s).clippedTo(span).length();
        // What reaches over the border between two spans is one call.
        if (k > 0 && slices.start[s.index()] < window.spans[k - 1].end) return;
        ++group.calls;
        group.slices.push_back(s);
        group.shortest = std::min(group.shortest, slices.duration(s));
        group.longest = std::max(group.longest, slices.duration(s));
      });
      sweepWork(w, work, span,
                [&](SliceId s, TimeSpan part) { grouping.of(s).exposed += part.length(); });
    }
  }
  KernelGroups result;
  result.window = window;
  result.groups = grouping.take();
  TimeNs unknown = 0;
  for (const KernelGroup& group : result.groups) {
    result.total += group.total;
    if (group.kernelClass == KernelClass::unknown) unknown += group.total;
  }
  const auto whole = static_cast<double>(std::max<TimeNs>(result.total, 1));
  for (KernelGroup& group : result.groups) {
    group.share = static_cast<double>(group.total) / whole;
    if (!slices.fill.empty()) addFill(slices, group);
  }
  result.unknownShare = static_cast<double>(unknown) / whole;
  std::stable_sort(result.groups.begin(), result.groups.end(),
                   [](const KernelGroup& a, const KernelGroup& b) { return a.total > b.total; });
  return result;
}

}  // namespace ridgeline
