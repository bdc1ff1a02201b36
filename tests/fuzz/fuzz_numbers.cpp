// Numbers in decimal text: never a crash, and what is read can be checked with wide arithmetic.

#include <algorithm>
#include <cstdlib>

#include "core/base/decimal.h"
#include "tests/fuzz/fuzz_support.h"

using namespace ridgeline;

namespace {

bool plainDigits(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string copy(fuzz::text(data, size));  // exact allocation: reading past it is seen
  const std::string_view text = copy;
  const auto time = parseMicroseconds(text);
  const auto integer = parseInteger(text);
  const auto unsignedInteger = parseUnsigned(text);
  if (integer && *integer >= 0 && unsignedInteger)
    fuzz::require(static_cast<std::uint64_t>(*integer) == *unsignedInteger,
                  "signed and unsigned agree");
  if (integer && time && time->exact && *integer < 9'000'000'000'000'000 &&
      *integer > -9'000'000'000'000'000)
    fuzz::require(time->ns == *integer * 1000, "microseconds are a thousand nanoseconds");
  if (plainDigits(text) && (text[0] != '0' || text.size() == 1)) {
    fuzz::require(integer.has_value(), "plain digits are a number");
    fuzz::require(*integer == std::strtoll(copy.c_str(), nullptr, 10), "and the right one");
  }
  return 0;
}
