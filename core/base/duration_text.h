#pragma once

#include <string>

#include "core/base/time.h"

namespace ridgeline {

/// A duration for sentences: three significant digits and a unit, "1.23 ms", "59.1 ms", "870 ns".
[[nodiscard]] std::string durationText(TimeNs ns);
/// A share for sentences: "44 %", "3.2 %", "0 %". `whole` of 0 gives "0 %".
[[nodiscard]] std::string shareText(TimeNs part, TimeNs whole);

}  // namespace ridgeline
