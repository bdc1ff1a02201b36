#pragma once

#include <optional>
#include <span>

#include "core/analysis/device_sweep.h"

namespace ridgeline {

/// How far the kernels of one device filled it within a window: estimates of the profiler (see
/// KernelFill), for busy time alone says only that something ran.
struct DeviceFill {
  TimeNs kernelTime = 0;  ///< Σ durations of kernels, overlaps counted each
  TimeNs known = 0;       ///< of those with an estimate; 0: the recording has none
  /// Time × the share of multiprocessors that had a block of a kernel, at least, for kernels
  /// without an estimate count for nothing: ∫ min(1, Σ blocks per SM of what runs) dt. Its share of
  /// the window is the "SM efficiency" of PyTorch's TensorBoard plugin; never above the busy time.
  TimeNs filled = 0;
  /// Achieved occupancy, mean over the kernels that have an estimate, weighted by duration; 0 to 1.
  std::optional<double> occupancy;
};

/// O(n log n) for the kernels of the window, which run one beside the other at most.
[[nodiscard]] DeviceFill deviceFill(const Workload& w, const WorkInTime& work,
                                    std::span<const TimeSpan> window);

}  // namespace ridgeline
