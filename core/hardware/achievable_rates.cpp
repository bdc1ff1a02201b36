#include "core/hardware/achievable_rates.h"

#include <algorithm>
#include <cstdio>

#include "core/base/real_number.h"
#include "core/hardware/device_spec.h"

namespace ridgeline {

namespace {

constexpr double kTera = 1e12;

}  // namespace

Status readAchievableFlops(std::string_view text, AchievableRates& rates) {
  constexpr std::string_view kSeparators = ", ;\t";
  AchievableRates read = rates;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSeparators), text.size()));
    if (text.empty()) break;
    const std::string_view part = text.substr(0, text.find_first_of(kSeparators));
    text.remove_prefix(part.size());
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view key = part.substr(0, equals);
    const auto value = parsePositive(part.substr(std::min(equals + 1, part.size())));
    const auto keys = peakKeys();
    if (!value || std::find(keys.begin(), keys.end(), key) == keys.end()) {
      std::string all;
      for (const std::string_view one : keys) all.append(all.empty() ? "" : ", ").append(one);
      return Error{
          "expected a type and TFLOP/s such as bf16=640, found \"" + std::string(part) + "\"", "",
          "Types: " + all + "."};
    }
    read.flops[std::string(key)] = *value * kTera;
  }
  rates = std::move(read);
  return Done{};
}

std::string achievableFlopsText(const AchievableRates& rates) {
  std::string text;
  for (const auto& [key, value] : rates.flops) {
    char number[32];
    std::snprintf(number, sizeof number, "%.6g", value / kTera);
    text.append(text.empty() ? "" : ", ").append(key).append("=").append(number);
  }
  return text;
}

}  // namespace ridgeline
