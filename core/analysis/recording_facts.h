#pragma once

#include <cstdint>

#include "core/workload/workload.h"

namespace ridgeline {

/// What one pass over a whole recording finds that the checks of its quality need.
struct RecordingFacts {
  bool shapes = false, ops = false, stacks = false, sync = false, streamWaits = false;
  bool hipWaits = false;  ///< of the waits between streams: HIP's
  bool wholeMicroseconds = false;
  std::uint64_t deviceEvents = 0;
  std::uint64_t zeroDevice = 0;           ///< device events without a duration
  std::uint64_t launchCalls = 0;          ///< calls that hand work to a device
  std::uint64_t launchesWithoutWork = 0;  ///< of these: no device event
  std::uint64_t streamSpill = 0;          ///< device events that overlap another on their stream
  std::uint64_t hostSpill = 0;            ///< host events that overlap another without nesting
  TimeNs hostLength = 0;                  ///< from the first to the last host event
  std::uint64_t impossible = 0;           ///< device events longer than that
  std::uint64_t judged = 0;               ///< slices that were looked at for exact copies
  std::uint64_t duplicates = 0;           ///< of these: exact copies of another
  std::uint64_t deviceDuplicates = 0;     ///< of these: device work
  SliceId firstDuplicate;
  SliceId firstZero, firstLost, firstStreamSpill, firstHostSpill, firstImpossible;
};
[[nodiscard]] RecordingFacts recordingFacts(const Trace& trace);

/// The steady steps by what they record: two are alike if they hold the same operators with the
/// same shapes, as often.
struct StepKinds {
  std::uint64_t steps = 0;  ///< 0 where no shapes are recorded
  std::uint64_t kinds = 0;
  std::uint64_t most = 0;  ///< steps of the most frequent kind
};
[[nodiscard]] StepKinds stepKinds(const Workload& w);

}  // namespace ridgeline
