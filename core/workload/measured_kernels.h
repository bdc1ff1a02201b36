#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/hardware/kernel_counters.h"
#include "core/workload/workload.h"

namespace ridgeline {

/// The name of a kernel in a form in which the demanglers of profilers agree: no return type,
/// parameters or blanks; "(int)4" is "4", "3ul" is "3"; no anonymous namespaces.
[[nodiscard]] std::string comparableKernelName(std::string_view name);

/// Which kernels of a trace a file of hardware counters speaks of. Names must be equal in their
/// comparable form; a base name alone ("gemm_kernel" for "gemm_kernel<float>") counts where only
/// one kernel of the trace and one of the file has it. Where several could be meant, none is.
/// References the workload and its settings' counters, which must not be null.
class MeasuredKernels {
 public:
  explicit MeasuredKernels(const Workload& w);

  enum class Match : std::uint8_t { none, whole, baseName, ambiguous };

  /// What the counters say of this launch, or why nothing. A launch of another size than any that
  /// was measured is not known; where one side does not tell sizes, the mean of all sizes is taken.
  struct Found {
    const CountedKernel* kernel = nullptr;
    Match match = Match::none;
    bool otherSize = false;    ///< the name was measured, this launch size was not
    bool meanOfSizes = false;  ///< of all launches that were measured, of whatever size
  };
  [[nodiscard]] Found of(SliceId kernel) const;

  /// How many distinct kernel names of the trace each match has.
  struct Names {
    std::size_t all = 0, whole = 0, baseName = 0, ambiguous = 0, none = 0;
    std::size_t notInTrace = 0;  ///< names of the file that no kernel of the trace has
  };
  [[nodiscard]] const Names& names() const { return names_; }
  [[nodiscard]] std::string sentence() const;

 private:
  struct Entry {
    Match match = Match::none;
    std::vector<const CountedKernel*> sizes;
    std::size_t mean = 0;  ///< into means_, where there are several sizes
  };
  struct FileName;
  void matchAll(const std::vector<StringId>& traceNames);
  [[nodiscard]] std::optional<LaunchSize> sizeOf(SliceId kernel) const;

  const Workload& w_;
  std::unordered_map<std::uint32_t, Entry> byName_;  ///< by StringId
  std::vector<CountedKernel> means_;
  Names names_;
};

}  // namespace ridgeline
