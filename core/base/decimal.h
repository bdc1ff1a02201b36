#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/time.h"

namespace ridgeline {

/// A time read from decimal text.
struct DecimalTime {
  TimeNs ns = 0;
  bool exact =
      true;  ///< false where the text has digits below a nanosecond (then rounded half away)
};

/// Microseconds in decimal text ("1420179703274.099", "12", "1.5e3", "-3") as nanoseconds, digit by
/// digit and never through a double. Empty if the text is no JSON-like number or does not fit
/// int64.
[[nodiscard]] std::optional<DecimalTime> parseMicroseconds(std::string_view text);

/// A whole number in decimal text; also "12.0" and "1e3" when the value is whole. Empty if it is
/// none or does not fit.
[[nodiscard]] std::optional<std::int64_t> parseInteger(std::string_view text);
/// As parseInteger for values up to 2^64-1 (addresses, ids). No sign.
[[nodiscard]] std::optional<std::uint64_t> parseUnsigned(std::string_view text);

}  // namespace ridgeline
