#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/time.h"

namespace ridgeline::people {

/// Three significant digits with the unit people use: "177 ms", "41.4 µs", "650 ns".
[[nodiscard]] std::string duration(TimeNs time);
/// "12.4 %" of a share 0…1; "<0.1 %" for what is not quite nothing.
[[nodiscard]] std::string share(double share);
/// Three significant digits with a decimal prefix: quantity(3.1e12, "FLOP/s") = "3.10 TFLOP/s".
[[nodiscard]] std::string quantity(double value, std::string_view unit);
/// "1,234,567".
[[nodiscard]] std::string count(std::uint64_t count);
/// At most `length` characters (not bytes), with "…" at the end where something is cut off.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t length);
/// The same with what is cut off taken out of the middle: two thirds of the beginning stay, and the
/// end, in which kernel names differ.
[[nodiscard]] std::string elided(std::string_view text, std::size_t length);
/// "1 step", "2 steps".
[[nodiscard]] std::string plural(std::uint64_t count, std::string_view noun);

}  // namespace ridgeline::people
