#include "core/base/bytes_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace ridgeline {

std::string bytesText(std::int64_t bytes) {
  static constexpr std::array kUnits = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // What would round up to 1,000 of a unit is one of the next.
  while (std::abs(value) >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  const double shown = std::abs(value);
  const int decimals = unit == 0 || shown >= 99.95 ? 0 : shown >= 9.995 ? 1 : 2;
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return std::string(text.data()) + kUnits[unit];
}

}  // namespace ridgeline
