#include "core/base/decimal.h"

#include <charconv>
#include <limits>

namespace ridgeline {

namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Digits, where the decimal point stands among them, and the exponent, as found in the text.
struct Parts {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  int exponent = 0;
};

std::optional<Parts> split(std::string_view text) {
  Parts parts;
  std::size_t i = 0;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) parts.negative = text[i++] == '-';
  const std::size_t wholeAt = i;
  while (i < text.size() && isDigit(text[i])) ++i;
  parts.whole = text.substr(wholeAt, i - wholeAt);
  if (i < text.size() && text[i] == '.') {
    const std::size_t fractionAt = ++i;
    while (i < text.size() && isDigit(text[i])) ++i;
    parts.fraction = text.substr(fractionAt, i - fractionAt);
  }
  if (parts.whole.empty() && parts.fraction.empty()) return std::nullopt;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && text[i] == '+') ++i;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + i, end, parts.exponent);
    if (error != std::errc() || rest != end) return std::nullopt;
    return parts;
  }
  if (i != text.size()) return std::nullopt;
  return parts;
}

/// The value × 10^scale as a whole number, and whether something was rounded away.
std::optional<DecimalTime> scaled(const Parts& parts, int scale) {
  const long shift =
      static_cast<long>(parts.exponent) + scale;  // digits of the fraction to take in
  if (shift > 40 || shift < -400) {
    const bool zero = parts.whole.find_first_not_of('0') == std::string_view::npos &&
                      parts.fraction.find_first_not_of('0') == std::string_view::npos;
    if (zero) return DecimalTime{};
    if (shift > 40) return std::nullopt;
    return DecimalTime{0, false};
  }
  // Digit k counts from the first whole digit; digits before `taken` belong to the result.
  const long taken = static_cast<long>(parts.whole.size()) + shift;
  const long available = static_cast<long>(parts.whole.size() + parts.fraction.size());
  const auto digit = [&](long k) {
    const auto whole = static_cast<long>(parts.whole.size());
    const char c = k < whole ? parts.whole[static_cast<std::size_t>(k)]
                             : parts.fraction[static_cast<std::size_t>(k - whole)];
    return static_cast<std::uint64_t>(c - '0');
  };
  constexpr auto kLimit = static_cast<std::uint64_t>(std::numeric_limits<TimeNs>::max());
  std::uint64_t value = 0;
  for (long k = 0; k < taken; ++k) {
    const std::uint64_t d = k < available ? digit(k) : 0;
    if (value > (kLimit - d) / 10) return std::nullopt;
    value = value * 10 + d;
  }
  bool exact = true;
  for (long k = std::max(0L, taken); k < available; ++k) exact = exact && digit(k) == 0;
  if (!exact && taken >= 0 && taken < available && digit(taken) >= 5) {
    if (value == kLimit) return std::nullopt;
    ++value;
  }
  const auto ns = static_cast<TimeNs>(value);
  return DecimalTime{parts.negative ? -ns : ns, exact};
}

}  // namespace

std::optional<DecimalTime> parseMicroseconds(std::string_view text) {
  const auto parts = split(text);
  return parts ? scaled(*parts, 3) : std::nullopt;
}

std::optional<std::int64_t> parseInteger(std::string_view text) {
  const auto parts = split(text);
  if (!parts) return std::nullopt;
  const auto value = scaled(*parts, 0);
  if (!value || !value->exact) return std::nullopt;
  return value->ns;
}

std::optional<std::uint64_t> parseUnsigned(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end && !text.empty()) return value;
  const auto whole = parseInteger(text);
  if (whole && *whole >= 0) return static_cast<std::uint64_t>(*whole);
  return std::nullopt;
}

}  // namespace ridgeline
