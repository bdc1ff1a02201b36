#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ridgeline {

/// How many blocks of how many threads a kernel was started with.
struct LaunchSize {
  std::array<long long, 3> grid{}, block{};
  auto operator<=>(const LaunchSize&) const = default;
};

/// What hardware counters say of the launches of one kernel name and one launch size. All figures
/// are the mean over these launches, of one launch.
struct CountedKernel {
  std::string name;                ///< as the file has it
  std::optional<LaunchSize> size;  ///< where the file tells it
  std::size_t launches = 0;        ///< ≥ 1
  /// FLOPs of the vector units by type ("fp32", "fp16", "fp64"): adds + multiplications +
  /// 2 × fused ones, of fp16 twice that (packed instructions). Only types of which all three were
  /// counted.
  std::map<std::string, double> vectorFlops;
  /// Operations of the matrix units by the operands' type ("bf16", "fp8", …), where the file has a
  /// metric that counts operations.
  std::map<std::string, double> matrixFlops;
  bool matrixInstructions = false;  ///< the matrix units ran, as their instructions tell
  std::optional<double> bytes;      ///< read from and written to device memory
  std::optional<double> seconds;    ///< under the counting tool, which holds clocks and caches

  /// All of them together. Unknown where nothing was counted, and where matrix units ran (by their
  /// instructions, or as the caller knows) and their operations were not counted.
  [[nodiscard]] std::optional<double> flops(bool usesMatrixUnit) const;
  /// The type that most FLOPs were done in, and whether on matrix units; empty without FLOPs.
  [[nodiscard]] std::pair<std::string, bool> mostUsedType() const;
};

/// FLOPs and bytes of kernels as hardware counters measured them, from a file of `ncu --csv`.
/// Invariant: one entry a (name, launch size), and at least one with FLOPs or bytes.
class KernelCounters {
 public:
  /// Reads what `ncu --csv` prints: a metric a line (the details page, also its summary per kernel)
  /// or a kernel a line with the units below the header (the raw page). Lines of the tool and of
  /// the program in between are passed over. A header that was there before begins another run: its
  /// launches count on their own, whatever their IDs. Errors name the line.
  [[nodiscard]] static Result<KernelCounters> fromText(std::string_view text,
                                                       const std::string& name);

  /// In order of their names.
  [[nodiscard]] const std::vector<CountedKernel>& kernels() const { return kernels_; }
  [[nodiscard]] std::size_t launches() const;
  /// Of any kernel the file has the launch size.
  [[nodiscard]] bool tellsSizes() const;

 private:
  std::vector<CountedKernel> kernels_;
};

}  // namespace ridgeline
