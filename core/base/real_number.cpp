#include "core/base/real_number.h"

#include <charconv>
#include <cmath>

namespace ridgeline {

std::optional<double> parseReal(std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<double> parsePositive(std::string_view text) {
  const auto value = parseReal(text);
  return value && *value > 0 ? value : std::nullopt;
}

}  // namespace ridgeline
