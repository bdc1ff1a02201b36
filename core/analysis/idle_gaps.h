#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/device_time.h"

namespace ridgeline {

/// Why a device stood still (ANALYSIS 5.1).
enum class GapCause : std::uint8_t {
  input,           ///< the launching thread was loading data
  hostSync,        ///< it was blocked in a synchronising call
  allocation,      ///< cudaMalloc, cudaFree and the like
  compileLoad,     ///< compilation, module loading
  launch,          ///< it was busy dispatching ops (launch bound)
  python,          ///< only Python frames
  hostIdle,        ///< nothing recorded on the launching thread
  collective,      ///< the next kernel waited for a collective on another stream
  otherStream,     ///< … for other work on another stream
  launchLatency,   ///< queued in time, back-to-back latency (≤ 30 µs)
  otherRank,       ///< host wait for other processes
  profiler,        ///< the profiler's own work
  outsideCapture,  ///< before the first or after the last device event of the recording
  deviceWait,      ///< queued in time, nothing known that it waited for
  unknown,         ///< no launch found
};
inline constexpr int kGapCauseCount = static_cast<int>(GapCause::unknown) + 1;
/// Stable word for JSON: "host_sync".
[[nodiscard]] std::string_view word(GapCause cause);
/// For people: "host sync".
[[nodiscard]] std::string_view title(GapCause cause);
/// One sentence on what the cause means and what to do about it.
[[nodiscard]] std::string_view explanation(GapCause cause);

/// One stretch in which no stream of a device worked.
struct IdleGap {
  DeviceId device;
  TimeSpan span;
  GapCause cause = GapCause::unknown;
  SliceId before;     ///< the device event that ended last before it; may be invalid
  SliceId after;      ///< the first to start after it; may be invalid
  SliceId launch;     ///< host call that launched `after`; may be invalid
  SliceId hostEvent;  ///< what the host did, or what was waited for: the evidence; may be invalid
  std::string why;    ///< one sentence
};

struct IdleGaps {
  AnalysisWindow window;
  std::vector<IdleGap> gaps;                     ///< by device, then time
  std::array<TimeNs, kGapCauseCount> byCause{};  ///< all devices; Σ = total
  TimeNs total = 0;
  TimeNs median = 0;
  TimeNs p90 = 0;
  bool reliable = true;    ///< false under graph replay or with many unknown producers
  std::string unreliable;  ///< why
};

/// Gaps of every length ≥ 1 ns: their sum is exactly the idle time of deviceTimes().
[[nodiscard]] IdleGaps idleGaps(const Workload& w, const AnalysisWindow& window);

}  // namespace ridgeline
