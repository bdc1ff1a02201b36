#include "core/base/duration_text.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/share_text.h"

namespace ridgeline {

namespace {

std::string formatted(const char* pattern, int decimals, double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), pattern, decimals, value);
  return text.data();
}

}  // namespace

std::string durationText(TimeNs ns) {
  struct Unit {
    double ns;
    const char* pattern;
  };
  static constexpr std::array kUnits = {Unit{1e9, "%.*f s"}, Unit{1e6, "%.*f ms"},
                                        Unit{1e3, "%.*f µs"}};
  const double size = std::abs(static_cast<double>(ns));
  for (const Unit& unit : kUnits) {
    // What would round up to 1,000 of the smaller unit is one of this unit.
    if (size < unit.ns * 0.9995) continue;
    const double value = static_cast<double>(ns) / unit.ns;
    const double shown = std::abs(value);
    const int decimals = shown < 9.995 ? 2 : shown < 99.95 ? 1 : 0;
    return formatted(unit.pattern, decimals, value);
  }
  return std::to_string(ns) + " ns";
}

std::string shareText(TimeNs part, TimeNs whole) {
  if (whole == 0) return "0 %";
  return percentText(static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace ridgeline
