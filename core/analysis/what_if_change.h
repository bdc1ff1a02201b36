#pragma once

#include <string>
#include <string_view>

#include "core/analysis/critical_path.h"
#include "core/base/result.h"
#include "core/workload/kernel_class.h"

namespace ridgeline {

/// What is supposed to take another time than it took: `factor` times as long, 0 = nothing.
struct WhatIfChange {
  enum class What : std::uint8_t {
    kernelClass,  ///< device work of a class
    op,           ///< device work launched inside operators of a name
    kernel,       ///< device work of a name
    event,        ///< one slice, on the device or the host (self time)
    cause,        ///< all time of a cause
    collectives,  ///< collectives
    launches,     ///< launching calls, and the time from them to the start of what they launch
  };
  What what = What::kernelClass;
  KernelClass kernelClass = KernelClass::matmul;
  PathCause cause = PathCause::input;
  std::string name;  ///< of op and kernel; the beginning of names when it ends in "*"
  SliceId event;
  double factor = 1;  ///< 0 … kMostFactor

  static constexpr double kMostFactor = 1000;
};

/// "class:matmul=0.5", "op:aten::mm=0.5", "kernel:ampere_sgemm*=0.5", "event:123=0",
/// "cause:input=0", "collectives=0", "launches=0.5". The names of causes are the words of
/// PathCause.
[[nodiscard]] Result<WhatIfChange> parseWhatIf(std::string_view text);
/// What parseWhatIf() reads.
[[nodiscard]] std::string textOf(const WhatIfChange& change);
/// For people: "matmul kernels 2× faster", "without input", "collectives free".
[[nodiscard]] std::string titleOf(const WhatIfChange& change);

}  // namespace ridgeline
