#include "core/analysis/op_communication.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace ridgeline {

namespace {

std::string joined(const std::set<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all.append(all.empty() ? "" : "; ").append(text);
  return all;
}

}  // namespace

void addCommunicationTimes(const Workload& w, const Collectives& collectives, Roofline& roofline) {
  std::unordered_map<std::uint32_t, const CollectiveGroup*> groupOf;
  for (const CollectiveGroup& group : collectives.groups)
    for (const SliceId slice : group.slices) groupOf.emplace(slice.value, &group);
  for (RooflinePoint& point : roofline.points) {
    if (point.kernelClass != KernelClass::collective || point.calls == 0) continue;
    TimeNs least = 0;
    bool known = true;
    std::set<std::string> sources;
    for (const SliceId slice : point.slices) {
      if (w.classOf(slice) != KernelClass::collective) continue;
      const auto found = groupOf.find(slice.value);
      if (found == groupOf.end() || !found->second->least) {
        known = false;
        continue;
      }
      const CollectiveGroup& group = *found->second;
      least += std::min(*group.least, w.trace->slices().duration(slice));
      sources.insert(group.leastFrom);
    }
    if (known && !sources.empty()) {
      point.communicationTime =
          static_cast<double>(least) * 1e-9 / static_cast<double>(point.calls);
      point.communicationFrom = joined(sources);
    } else {
      point.communicationFrom =
          "measured bandwidth of such collectives: give the output of nccl-tests or rccl-tests, "
          "or a table (--collectives)";
    }
  }
}

}  // namespace ridgeline
