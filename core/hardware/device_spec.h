#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace ridgeline {

/// What one device can do at most: the roofs of the roofline and the inputs of the bounds.
/// All figures are dense (no 2:4 sparsity) datasheet peaks for the device as a trace shows it (one
/// GCD of an MI250X, one tile of a Max 1550). A figure that nobody published is absent, never 0.
struct DeviceSpec {
  std::string id;           ///< stable word of the catalogue: "nvidia-h100-sxm"
  std::string displayName;  ///< for people: "NVIDIA H100 SXM5 80 GB"
  std::string vendor;       ///< "nvidia", "amd", "intel", "google", …

  /// FLOP/s (or op/s for int8) by key. Vector units: fp64, fp32, fp16_vector, bf16_vector.
  /// Matrix units: fp64_matrix, fp32_matrix, tf32, fp16, bf16, fp8, fp6, fp4, int8.
  std::map<std::string, double, std::less<>> peaks;
  std::optional<double> memoryBandwidth;  ///< bytes/s of device memory
  std::optional<double> memoryBytes;      ///< capacity in bytes
  std::optional<double> linkBandwidth;  ///< bytes/s of the scale-up link, both directions together
  std::string linkName;                 ///< "NVLink 4", "PCIe 4", …; empty if unknown
  std::optional<int> smCount;           ///< SMs (NVIDIA), CUs (AMD), Xe cores (Intel)

  std::string source;              ///< where the catalogue's figures come from
  std::set<std::string> userKeys;  ///< keys (of peaks, or "memoryBandwidth", …) the user set
  std::string userSource;          ///< what the user's file says about its figures

  /// The peak under exactly this key.
  [[nodiscard]] std::optional<double> peak(std::string_view key) const;
  /// "user" or "assumed (catalogue)" for a key of peaks or the name of another figure.
  [[nodiscard]] std::string_view provenance(std::string_view key) const;
};

/// All keys that DeviceSpec::peaks may have.
[[nodiscard]] std::span<const std::string_view> peakKeys();

/// The key of DeviceSpec::peaks that bounds arithmetic in `dtype` (fp64, fp32, tf32, fp16, bf16,
/// fp8, fp6, fp4, int8) on the vector or the matrix unit of this device; empty if it has none.
/// fp32 data on a matrix unit means fp32_matrix where there is one (AMD), else TF32. fp64 on a
/// device without fp64 matrix units runs on the vector units.
std::string_view peakKeyFor(const DeviceSpec& spec, std::string_view dtype, bool usesMatrixUnit);

/// Peak in FLOP/s for that arithmetic, or nothing when it is not known.
std::optional<double> peakFor(const DeviceSpec& spec, std::string_view dtype, bool usesMatrixUnit);

/// Operational intensity in FLOP/byte at which memory and compute roof meet; nothing when either
/// is not known.
std::optional<double> ridgePoint(const DeviceSpec& spec, std::string_view dtype,
                                 bool usesMatrixUnit);

}  // namespace ridgeline
