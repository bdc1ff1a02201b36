#include "core/analysis/exposure.h"

namespace ridgeline {

Exposure::Exposure(const Workload& w) {
  const SliceTable& slices = w.trace->slices();
  for (const std::vector<SliceId>& work : w.deviceWorkOf) {
    std::vector<TimeSpan> compute;
    std::vector<TimeSpan> communication;
    for (const SliceId s : work) {
      if (slices.category[s.index()] != Category::kernel) continue;
      (w.classOf(s) == KernelClass::collective ? communication : compute).push_back(slices.span(s));
    }
    compute_.push_back(unionOf(std::move(compute)));
    computeOrCommunication_.push_back(unionOf(compute_.back(), unionOf(std::move(communication))));
  }
}

std::optional<TimeNs> Exposure::exposedTime(const Workload& w, SliceId slice) const {
  const Category category = w.trace->slices().category[slice.index()];
  if (!isDeviceWork(category)) return std::nullopt;
  const DeviceId device = w.trace->track(w.trace->trackOf(slice)).device;
  if (!device.valid() || device.index() >= compute_.size()) return std::nullopt;
  const TimeSpan span = w.trace->slices().span(slice);
  if (category != Category::kernel)
    return span.length() - measureWithin(computeOrCommunication_[device.index()], span);
  if (w.classOf(slice) != KernelClass::collective) return std::nullopt;
  return span.length() - measureWithin(compute_[device.index()], span);
}

}  // namespace ridgeline
