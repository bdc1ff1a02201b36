#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/hardware/kernel_counters.h"

namespace ridgeline {

/// The metrics of one kernel launch that FLOPs, bytes and time can be told from, and what they say
/// together (names of Nsight Compute 2020 to 2025; formulas of its roofline sections).
class CounterMetrics {
 public:
  /// Whether a metric of that name is of any use. `section` is that of the details page.
  [[nodiscard]] static bool isUseful(std::string_view section, std::string_view metric);

  /// Takes a value in its unit ("Kbyte", "usecond", "inst/cycle", …). False: the unit of a size or
  /// a time is not known, or the value is beyond all launches.
  [[nodiscard]] bool take(std::string_view section, std::string_view metric, std::string_view unit,
                          double value);

  /// Figures of this one launch; name and size stay empty.
  [[nodiscard]] CountedKernel told() const;

 private:
  [[nodiscard]] std::optional<double> get(std::string_view metric) const;
  [[nodiscard]] std::optional<double> count(std::string_view operation, double times) const;
  [[nodiscard]] std::optional<double> seconds() const;
  [[nodiscard]] std::optional<double> bytes() const;
  void addMatrixFlops(CountedKernel& kernel) const;

  std::map<std::string, double, std::less<>> values_;  ///< in bytes, seconds, 1/s or counts
};

/// A number as ncu prints it ("1,234,567.89"). Nothing for text, or where a comma does not group
/// three digits (a decimal comma).
[[nodiscard]] std::optional<double> counterNumber(std::string_view text);

}  // namespace ridgeline
