#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ridgeline {

/// "1 gap", "2 gaps".
[[nodiscard]] std::string counted(std::uint64_t n, std::string_view noun);

/// A share 0 … 1 for people: "44 %", "3.2 %". Only what is exactly nothing or everything (up to the
/// last digits of a double) is called "0 %" or "100 %"; what would be rounded to them is "<0.1 %",
/// "99.6 %" or ">99.9 %". With `fine`, shares between get one decimal, too: "44.0 %".
[[nodiscard]] std::string percentText(double share, bool fine = false);

}  // namespace ridgeline
