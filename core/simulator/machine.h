#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace ridgeline::simulator {

/// A device that can be simulated: what Kineto writes about it and the dense peaks of its data
/// sheet. Only the simulator uses these numbers; core/hardware has its own, with their sources.
struct Machine {
  std::string_view key;   ///< how users name it: "a100"
  std::string_view name;  ///< as in deviceProperties
  std::int64_t memoryBytes;
  int major, minor, sms;
  std::int64_t sharedOptin, sharedPerSm;
  double matrixFlops;  ///< bf16 matrix units, FLOP/s
  double vectorFlops;  ///< fp32 outside them, FLOP/s
  double bandwidth;    ///< device memory, bytes/s
  bool hopper;         ///< which family of library kernels is launched

  /// FLOP per byte where the matrix roof meets the memory roof.
  [[nodiscard]] double ridge() const { return matrixFlops / bandwidth; }
};

[[nodiscard]] const std::vector<Machine>& machines();
/// By key or full name; nullptr if there is none. Empty means the first.
[[nodiscard]] const Machine* findMachine(std::string_view name);

/// The work of one kernel launch.
struct KernelWork {
  double flops = 0;
  double bytes = 0;       ///< to and from device memory, each operand once
  bool matrix = false;    ///< on the matrix units
  double efficiency = 1;  ///< of the peak that binds, on top of what any kernel of its kind loses
};

/// The roofline: max(FLOPs / reachable peak, bytes / reachable bandwidth) + 1.6 µs. A kernel
/// reaches 72 % of the matrix peak (less when its tiles do not fill the last wave: `efficiency`),
/// 80 % of the vector peak, 86 % of the bandwidth.
[[nodiscard]] TimeNs kernelTime(const Machine& machine, const KernelWork& work);
/// Whether the memory roof binds the work.
[[nodiscard]] bool isMemoryBound(const Machine& machine, const KernelWork& work);

}  // namespace ridgeline::simulator
