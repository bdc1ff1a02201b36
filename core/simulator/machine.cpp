#include "core/simulator/machine.h"

#include <algorithm>
#include <cmath>

namespace ridgeline::simulator {
namespace {

constexpr double kMatrixReach = 0.72;
constexpr double kVectorReach = 0.80;
constexpr double kMemoryReach = 0.86;
constexpr double kFixedSeconds = 1.6e-6;

double computeSeconds(const Machine& machine, const KernelWork& work) {
  const double peak =
      work.matrix ? machine.matrixFlops * kMatrixReach : machine.vectorFlops * kVectorReach;
  return work.flops / (peak * work.efficiency);
}

double memorySeconds(const Machine& machine, const KernelWork& work) {
  return work.bytes / (machine.bandwidth * kMemoryReach * std::sqrt(work.efficiency));
}

}  // namespace

const std::vector<Machine>& machines() {
  static const std::vector<Machine> kMachines = {
      {"a100", "NVIDIA A100-SXM4-80GB", 84987740160, 8, 0, 108, 166912, 167936, 312e12, 19.5e12,
       2039e9, false},
      {"a100-40", "NVIDIA A100-SXM4-40GB", 42297524224, 8, 0, 108, 166912, 167936, 312e12, 19.5e12,
       1555e9, false},
      {"h100", "NVIDIA H100 80GB HBM3", 84930658304, 9, 0, 132, 232448, 233472, 989.4e12, 67e12,
       3350e9, true},
  };
  return kMachines;
}

const Machine* findMachine(std::string_view name) {
  for (const Machine& machine : machines()) {
    if (name.empty() || machine.key == name || machine.name == name) return &machine;
  }
  return nullptr;
}

TimeNs kernelTime(const Machine& machine, const KernelWork& work) {
  const double seconds =
      std::max(computeSeconds(machine, work), memorySeconds(machine, work)) + kFixedSeconds;
  return static_cast<TimeNs>(std::llround(seconds * 1e9));
}

bool isMemoryBound(const Machine& machine, const KernelWork& work) {
  return memorySeconds(machine, work) > computeSeconds(machine, work);
}

}  // namespace ridgeline::simulator
