#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ridgeline {

/// What the user's devices reach at best, as measured by the user: drawn below their peaks.
struct AchievableRates {
  std::map<std::string, double> flops;  ///< FLOP/s, > 0, by the keys of DeviceSpec::peaks
  std::optional<double> bandwidth;      ///< bytes/s of device memory, > 0
  bool operator==(const AchievableRates&) const = default;
};

/// Reads "bf16=640, fp32=50" (commas or blanks between), in TFLOP/s, into `flops`. Errors name the
/// part that is wrong and the types there are; nothing is changed then.
[[nodiscard]] Status readAchievableFlops(std::string_view text, AchievableRates& rates);

/// The inverse: "bf16=640, fp32=50".
[[nodiscard]] std::string achievableFlopsText(const AchievableRates& rates);

}  // namespace ridgeline
