#include "core/base/share_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace ridgeline {

std::string counted(std::uint64_t n, std::string_view noun) {
  return std::to_string(n).append(" ").append(noun).append(n == 1 ? "" : "s");
}

std::string percentText(double share, bool fine) {
  constexpr double kExact = 1e-12;
  if (!std::isfinite(share)) return "unknown";
  if (std::abs(share) < kExact) return "0 %";
  if (std::abs(share - 1) < kExact) return "100 %";
  const double percent = 100 * share;
  const double size = std::abs(percent);
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  if (percent >= 99.95 && percent < 100) return ">99.9 %";
  if (percent > 100 && percent < 100.5) return ">100 %";
  if (size >= 100'000) return percent > 0 ? ">99999 %" : "<-99999 %";
  const bool whole = size >= 100 || (!fine && size >= 9.95 && size < 99.5);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f %%", whole ? 0 : 1, percent);
  return text.data();
}

}  // namespace ridgeline
