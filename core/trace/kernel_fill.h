#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <optional>

namespace ridgeline {

/// How far one launch fills its device, as Kineto estimates it from the grid and what a block
/// needs: args "blocks per SM" and "est. achieved occupancy %". Four bytes, for there is one for
/// each kernel: blocks to 15 bits of precision, occupancy to a tenth of a per cent.
class KernelFill {
 public:
  KernelFill() = default;
  explicit constexpr KernelFill(std::uint32_t packed) : packed_(packed) {}
  /// NaN where a figure is absent. Negative figures count as absent, occupancy over 100 % as 100.
  /// So does an occupancy of 0 where it cannot be a small one that was rounded, for a block has a
  /// warp at least: Kineto writes it where its calculation fails (blocks with much shared memory).
  KernelFill(double blocksPerSm, double occupancyPercent)
      : packed_(blockBits(blocksPerSm) << kOccupancyBits |
                (occupancyPercent == 0 && blocksPerSm >= kBlocksOverZero
                     ? kNoOccupancy
                     : occupancyBits(occupancyPercent))) {}

  /// Blocks of the grid for each multiprocessor of the device; > 0, below 1 where some get none.
  [[nodiscard]] std::optional<double> blocksPerSm() const {
    const std::uint32_t bits = packed_ >> kOccupancyBits;
    if (bits == 0) return std::nullopt;
    return std::bit_cast<float>(bits << kDroppedBits);
  }
  /// Share of the warps that a multiprocessor can hold, estimated; 0 to 1.
  [[nodiscard]] std::optional<double> occupancy() const {
    const std::uint32_t bits = packed_ & kNoOccupancy;
    if (bits == kNoOccupancy) return std::nullopt;
    return static_cast<double>(bits) / 1000;
  }
  [[nodiscard]] bool known() const { return packed_ != kNoOccupancy; }
  [[nodiscard]] std::uint32_t packed() const { return packed_; }
  bool operator==(const KernelFill&) const = default;

 private:
  static constexpr int kOccupancyBits = 10;
  static constexpr std::uint32_t kNoOccupancy = (1u << kOccupancyBits) - 1;
  /// Of a float without a sign: 8 bits of exponent and 14 of its fraction are left.
  static constexpr int kDroppedBits = 9;
  /// × 32 threads of the 2,048 that a multiprocessor holds at most: 0.5 %, which rounds to 1.
  static constexpr double kBlocksOverZero = 0.32;

  static std::uint32_t blockBits(double blocks) {
    if (!(blocks > 0) || blocks > 1e30) return 0;
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(blocks));
    return (bits + (1u << (kDroppedBits - 1))) >> kDroppedBits;
  }
  static std::uint32_t occupancyBits(double percent) {
    if (!(percent >= 0)) return kNoOccupancy;
    return static_cast<std::uint32_t>(std::lround(std::fmin(percent, 100) * 10));
  }
  std::uint32_t packed_ = kNoOccupancy;
};

}  // namespace ridgeline
