#pragma once

#include <cstdint>
#include <string>

namespace ridgeline {

/// An amount of memory for sentences: three significant digits and a decimal unit, "1.23 GB",
/// "59.1 MB", "870 B".
[[nodiscard]] std::string bytesText(std::int64_t bytes);

}  // namespace ridgeline
