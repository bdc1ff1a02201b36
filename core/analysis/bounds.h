#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/collectives.h"
#include "core/analysis/device_time.h"
#include "core/analysis/roofline.h"

namespace ridgeline {

/// Three lower bounds of one device's time in a step (the mean over the window's spans). They
/// overlap: never add them. None is more than was measured.
struct Bounds {
  DeviceId device;
  TimeNs measured = 0;                  ///< window length (mean of its spans: one step)
  std::optional<TimeNs> compute;        ///< Σ FLOPs / peak(dtype) of a step
  std::optional<TimeNs> memory;         ///< Σ bytes / memory bandwidth
  std::optional<TimeNs> communication;  ///< Σ of what its collectives take at least, if known
  std::string communicationFrom;        ///< where these least times come from; may be empty
  double flops = 0, bytes = 0;          ///< of a step, as far as known: what the two come from
  double coverage = 0;                  ///< share of kernel time whose FLOPs and bytes are known
  std::vector<std::string> missing;     ///< what is needed for the absent ones
  /// The largest known bound; nothing when none is known, or none above zero (where the work is not
  /// known, a step without collectives still knows that it sends nothing).
  [[nodiscard]] std::optional<TimeNs> floor() const;
  /// The larger of compute and memory: what holds whatever is sent, or waited for, between devices.
  [[nodiscard]] std::optional<TimeNs> deviceFloor() const;
  [[nodiscard]] std::string_view floorName() const;  ///< "compute", "memory", "communication", ""
};

[[nodiscard]] std::vector<Bounds> bounds(const Workload& w, const Roofline& roofline,
                                         const DeviceTimes& times, const Collectives& collectives);

}  // namespace ridgeline
