#pragma once

#include <optional>
#include <string_view>

namespace ridgeline {

/// A finite number in decimal text, nothing before or behind it ("640", "1.5e3", "-2"): for figures
/// that people give. Times of a recording never go through a double: see decimal.h.
[[nodiscard]] std::optional<double> parseReal(std::string_view text);
/// The same, above zero.
[[nodiscard]] std::optional<double> parsePositive(std::string_view text);

}  // namespace ridgeline
