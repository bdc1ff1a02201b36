#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/analysis/device_fill.h"
#include "core/analysis/window.h"
#include "core/base/intervals.h"

namespace ridgeline {

/// Where the time of one device of one rank went, within a window. All in ns, all projections of
/// one sweep over the union of its streams, so that identities hold exactly:
/// busy + idle = span; exposed ≤ total; Σ byClassExclusive = busy.
struct DeviceTime {
  DeviceId device;
  TimeNs span = 0;  ///< length of the window
  TimeNs busy = 0, idle = 0;
  TimeNs compute = 0;               ///< union of kernels that are no collective
  TimeNs communication = 0;         ///< union of collectives
  TimeNs exposedCommunication = 0;  ///< communication − compute
  TimeNs memory = 0;                ///< union of copies and sets
  TimeNs exposedMemory = 0;         ///< memory − compute − communication
  /// Union of each kernel class alone, and each instant given to exactly one class: computing
  /// classes before collectives before copies before sets; among computing classes the one whose
  /// event started first.
  std::array<TimeNs, kKernelClassCount> byClass{};
  std::array<TimeNs, kKernelClassCount> byClassExclusive{};
  Intervals busyIntervals;  ///< within the window
  DeviceFill fill;
};

/// One result a device of the trace, in DeviceId order.
struct DeviceTimes {
  AnalysisWindow window;
  std::vector<DeviceTime> devices;
};

[[nodiscard]] DeviceTimes deviceTimes(const Workload& w, const AnalysisWindow& window);
/// The same for chosen events of one device (tests against other tools' selections); spans of the
/// window as given.
[[nodiscard]] DeviceTime deviceTimeOf(const Workload& w, DeviceId device,
                                      std::span<const SliceId> events,
                                      const std::vector<TimeSpan>& spans);

}  // namespace ridgeline
