#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/device_streams.h"

namespace ridgeline {

/// How much launched work of one stream waited to start, over time: a step function. A piece of
/// work (each kernel of a graph is one) counts from the start of the call that launched it to its
/// own start; so does ANALYSIS 1.1.8. What has no launch in the recording, or starts before its
/// launch (clocks that disagree), cannot be counted and is named instead.
/// `depth[i]` holds from `time[i]` up to `time[i + 1]`, the last one (0) for ever; before the
/// first it is 0. Times ascend strictly and neighbouring depths differ.
struct QueueDepth {
  TrackId track;
  DeviceId device;
  std::int64_t stream = EventArgs::kAbsent;
  std::vector<TimeNs> time;
  std::vector<std::uint32_t> depth;
  std::uint32_t most = 0;           ///< the largest depth
  std::uint64_t counted = 0;        ///< pieces of work in the curve
  std::uint64_t withoutLaunch = 0;  ///< left out: no launch recorded
  std::uint64_t beforeLaunch = 0;   ///< left out: starts before its launch

  /// O(log n).
  [[nodiscard]] std::uint32_t at(TimeNs t) const;
  /// The largest depth within a span; 0 for an empty one. O(log n + changes inside).
  [[nodiscard]] std::uint32_t mostIn(TimeSpan span) const;
  /// Σ depth × ns within a span: divided by its length the mean depth.
  [[nodiscard]] std::int64_t areaIn(TimeSpan span) const;
};

/// One a stream with device work, in track order.
[[nodiscard]] std::vector<QueueDepth> queueDepths(const Trace& trace, const DeviceStreams& streams);
[[nodiscard]] std::vector<QueueDepth> queueDepths(const Trace& trace);

}  // namespace ridgeline
