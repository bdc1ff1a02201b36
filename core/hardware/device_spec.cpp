#include "core/hardware/device_spec.h"

#include <array>

namespace ridgeline {

std::span<const std::string_view> peakKeys() {
  static constexpr std::array<std::string_view, 13> kKeys = {
      "fp64", "fp64_matrix", "fp32", "fp32_matrix", "tf32", "fp16", "fp16_vector",
      "bf16", "bf16_vector", "fp8",  "fp6",         "fp4",  "int8"};
  return kKeys;
}

std::optional<double> DeviceSpec::peak(std::string_view key) const {
  const auto found = peaks.find(key);
  if (found == peaks.end()) return std::nullopt;
  return found->second;
}

std::string_view DeviceSpec::provenance(std::string_view key) const {
  return userKeys.contains(std::string(key)) ? "user" : "assumed (catalogue)";
}

std::string_view peakKeyFor(const DeviceSpec& spec, std::string_view dtype, bool usesMatrixUnit) {
  const auto known = [&spec](std::string_view key) -> std::string_view {
    const auto found = spec.peaks.find(key);
    return found == spec.peaks.end() ? std::string_view() : std::string_view(found->first);
  };
  if (!usesMatrixUnit) {
    if (dtype == "fp64") return known("fp64");
    if (dtype == "fp32" || dtype == "tf32") return known("fp32");
    if (dtype == "fp16") return known("fp16_vector");
    if (dtype == "bf16") return known("bf16_vector");
    return {};
  }
  if (dtype == "fp64") {
    const std::string_view matrix = known("fp64_matrix");
    return matrix.empty() ? known("fp64") : matrix;
  }
  if (dtype == "fp32") {
    const std::string_view matrix = known("fp32_matrix");
    return matrix.empty() ? known("tf32") : matrix;
  }
  if (dtype == "tf32" || dtype == "fp16" || dtype == "bf16" || dtype == "fp8" || dtype == "fp6" ||
      dtype == "fp4" || dtype == "int8") {
    return known(dtype);
  }
  return {};
}

std::optional<double> peakFor(const DeviceSpec& spec, std::string_view dtype, bool usesMatrixUnit) {
  const std::string_view key = peakKeyFor(spec, dtype, usesMatrixUnit);
  if (key.empty()) return std::nullopt;
  return spec.peak(key);
}

std::optional<double> ridgePoint(const DeviceSpec& spec, std::string_view dtype,
                                 bool usesMatrixUnit) {
  const std::optional<double> peak = peakFor(spec, dtype, usesMatrixUnit);
  if (!peak || !spec.memoryBandwidth || *spec.memoryBandwidth <= 0) return std::nullopt;
  return *peak / *spec.memoryBandwidth;
}

}  // namespace ridgeline
