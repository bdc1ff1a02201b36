#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/idle_gaps.h"
#include "core/analysis/roofline.h"

namespace ridgeline {

/// What an instant of a step went to, seen from one device: what it worked on, or why it did not.
enum class StepPart : std::uint8_t {
  compute,      ///< kernels bound by arithmetic
  memory,       ///< kernels bound by the device's memory
  latency,      ///< kernels too short for either
  kernels,      ///< kernels whose work is not known
  collectives,  ///< collectives while no kernel computes
  hostCopies,   ///< copies between host and device while nothing else runs
  otherCopies,  ///< other copies and sets while nothing else runs
  input,        ///< idle: the next batch is loaded
  host,         ///< idle: the host blocks itself (syncs, allocation, compiling, the profiler)
  launch,       ///< idle: the host hands over work too slowly
  waiting,      ///< idle: for a collective or another process
  unexplained,  ///< idle: the recording does not say why
};
inline constexpr int kStepPartCount = static_cast<int>(StepPart::unexplained) + 1;
/// Stable word for JSON: "host_copies".
[[nodiscard]] std::string_view word(StepPart part);
/// For people: "exposed copies between host and device".
[[nodiscard]] std::string_view title(StepPart part);
/// What counts as that, in one sentence.
[[nodiscard]] std::string_view explanation(StepPart part);
[[nodiscard]] StepPart partOf(GapCause cause);

/// The time of the busiest device in the window by what it went to: each instant belongs to exactly
/// one part, so that the parts sum to the window to the nanosecond.
struct StepShares {
  struct Share {
    StepPart part = StepPart::unexplained;
    TimeNs time = 0;     ///< in the whole window
    TimeNs perStep = 0;  ///< mean of a span; these sum to `step`
    SliceId example;     ///< the longest device work of the part; invalid for idle time
    TimeSpan longest;    ///< the longest gap of the part; empty for work
  };
  DeviceId device;            ///< invalid: no device work
  TimeNs window = 0;          ///< length of all spans
  TimeNs step = 0;            ///< mean length of a span, rounded down
  std::vector<Share> shares;  ///< those with time, in the order of StepPart

  [[nodiscard]] TimeNs of(StepPart part) const;
  /// 0 … 1 of the window.
  [[nodiscard]] double share(const Share& one) const;
};

/// O(events of the device in the window). Work that overlaps is given as in DeviceTime: kernels
/// before collectives before copies, of kernels the one that started first. What bounds a kernel is
/// what bounds its point in `roofline`.
[[nodiscard]] StepShares stepShares(const Workload& w, const DeviceTimes& times,
                                    const IdleGaps& gaps, const Roofline& roofline);

}  // namespace ridgeline
