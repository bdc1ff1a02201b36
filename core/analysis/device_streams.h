#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/trace.h"

namespace ridgeline {

/// Device work in the order of its streams, for questions about what came before what.
/// Holds a reference to the Trace, which must outlive it.
class DeviceStreams {
 public:
  struct Stream {
    TrackId track;
    DeviceId device;
    std::int64_t number = EventArgs::kAbsent;  ///< the stream as recorded
    std::vector<SliceId> work;                 ///< by (start, id)
    std::vector<std::uint32_t> latest;  ///< latest[i]: which of work[0…i] ends last; index into it
    std::vector<SliceId> byEnd;         ///< by (end, id)
    [[nodiscard]] bool operator<(const Stream& other) const { return track < other.track; }
  };
  /// A piece of device work with the host call that launched it.
  struct Launched {
    TimeNs at = 0;  ///< start of the launching call
    SliceId call;
    SliceId work;
  };

  explicit DeviceStreams(const Trace& trace);

  [[nodiscard]] std::span<const Stream> streams() const { return streams_; }
  /// Null for slices that are no device work.
  [[nodiscard]] const Stream* streamOf(SliceId work) const;
  /// The stream of a number on a device; any device when `device` is invalid. Null if none.
  [[nodiscard]] const Stream* streamNumbered(DeviceId device, std::int64_t number) const;
  /// Of what stands before `work` on its stream, that which ends last; invalid for the first.
  [[nodiscard]] SliceId previousOnStream(SliceId work) const;
  /// What was launched directly before `work` on its stream; invalid for the first.
  [[nodiscard]] SliceId neighbourBefore(SliceId work) const;
  /// Of one stream's work that was launched before host time `launchedBefore` (unknown launches
  /// count as such), what ended last at or before t, with its end after `after`; invalid if none.
  [[nodiscard]] SliceId endedLast(const Stream& stream, TimeNs after, TimeNs t,
                                  TimeNs launchedBefore) const;
  /// What runs at t, strictly inside; the one that started last. Invalid if none.
  [[nodiscard]] SliceId runningAt(const Stream& stream, TimeNs t) const;
  /// All launched device work by the time of its launch.
  [[nodiscard]] std::span<const Launched> launches() const { return launches_; }
  /// Start of the call that launched `work`, or the smallest time when it is not known.
  [[nodiscard]] TimeNs launchStart(SliceId work) const;
  /// Launched device work that had not ended at t.
  [[nodiscard]] std::size_t outstandingAt(TimeNs t) const;

 private:
  [[nodiscard]] std::size_t positionOf(const Stream& stream, SliceId work) const;
  const Trace* trace_;
  std::vector<Stream> streams_;
  std::vector<std::uint32_t> streamOfTrack_;
  std::vector<Launched> launches_;
  std::vector<TimeNs> ends_;  ///< of all launched work, ascending
};

}  // namespace ridgeline
