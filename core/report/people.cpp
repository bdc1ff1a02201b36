#include "core/report/people.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/base/share_text.h"

namespace ridgeline::people {
namespace {

/// Three significant digits of a value below 1000.
std::string threeDigits(double value) {
  const double size = std::fabs(value);
  const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

}  // namespace

std::string duration(TimeNs time) {
  struct Unit {
    double ns;
    const char* name;
  };
  static constexpr std::array<Unit, 3> kUnits{{{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}}};
  const auto ns = static_cast<double>(time);
  for (const Unit& unit : kUnits)
    // 999.6 µs would be written as "1000 µs": it belongs to the next unit.
    if (std::fabs(ns) >= unit.ns * 0.9995) return threeDigits(ns / unit.ns) + unit.name;
  return std::to_string(time) + " ns";
}

std::string share(double share) {
  return percentText(share, true);
}

std::string quantity(double value, std::string_view unit) {
  static constexpr std::array<const char*, 7> kPrefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (std::fabs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  std::string text = threeDigits(value);
  if (prefix > 0 || !unit.empty()) text.append(" ").append(kPrefixes[prefix]).append(unit);
  return text;
}

std::string count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string shortened(std::string_view text, std::size_t length) {
  std::size_t characters = 0;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;  // inside a character
    if (++characters == length) cut = i;
  }
  if (characters <= length) return std::string(text);
  return std::string(text.substr(0, cut)) + "…";
}

std::string elided(std::string_view text, std::size_t length) {
  std::vector<std::size_t> at;  // where characters begin
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) at.push_back(i);
  if (at.size() <= length || length < 3) return shortened(text, length);
  const std::size_t front = length * 2 / 3;
  const std::size_t back = length - front - 1;
  return std::string(text.substr(0, at[front])) + "…" +
         std::string(text.substr(at[at.size() - back]));
}

std::string plural(std::uint64_t number, std::string_view noun) {
  std::string text = count(number);
  text.append(" ").append(noun);
  if (number != 1) text.append("s");
  return text;
}

}  // namespace ridgeline::people
