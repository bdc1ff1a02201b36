#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/analysis/window.h"
#include "core/base/result.h"

namespace ridgeline::cli {

/// Which part of each recording a report is about.
struct WindowRequest {
  enum class Kind : std::uint8_t { steady, steps, span, all };
  Kind kind = Kind::steady;
  std::int64_t firstStep = 0;  ///< steps: numbers as in the names of the steps, both included
  std::int64_t lastStep = 0;
  TimeSpan span;  ///< relative to the recording's origin
};

/// "5..7" or "5".
[[nodiscard]] std::optional<WindowRequest> parseSteps(std::string_view text);
/// "12.1ms..14ms": numbers with ns (also without a unit), us, µs, ms or s, to the exact ns.
[[nodiscard]] std::optional<WindowRequest> parseWindow(std::string_view text);
/// Why parseSteps, parseWindow took none of it, a clause.
[[nodiscard]] std::string problemOfSteps(std::string_view text);
[[nodiscard]] std::string problemOfWindow(std::string_view text);
/// A time with a unit as above.
[[nodiscard]] std::optional<TimeNs> parseTime(std::string_view text);

/// The window in one recording; an error when it has no such step or no such time.
[[nodiscard]] Result<AnalysisWindow> windowOf(const Workload& workload,
                                              const WindowRequest& request);

}  // namespace ridgeline::cli
