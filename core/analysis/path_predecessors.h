#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/analysis/critical_path.h"
#include "core/analysis/device_streams.h"
#include "core/analysis/host_threads.h"
#include "core/base/seeded_hash.h"

namespace ridgeline {

/// What an event at time t had to wait for, and what the time between the two is.
struct Predecessor {
  SliceId event;  ///< invalid: none is known
  TimeNs at = 0;  ///< where to enter it: its end, or the successor's start if it still ran
  bool onDevice = false;
  PathEdge edge = PathEdge::none;
  PathCause gap = PathCause::untraced;  ///< cause of [at, t)
  SliceId gapEvent;                     ///< the event that the gap belongs to
};

/// The dependencies of device work and of blocking calls in one Trace, as far as the recording
/// tells: stream order, launches, event waits (synchronisation records, else reconstructed from the
/// order of the calls), blocking calls. Built once a Trace, O(n log n); each question is a few
/// binary searches. Keeps references: the Workload and the helpers must outlive it.
class PathPredecessors {
 public:
  PathPredecessors(const Workload& w, const DeviceStreams& streams, const HostThreads& threads);

  /// What device work `work` had to wait for before its start.
  [[nodiscard]] Predecessor ofDeviceWork(SliceId work) const;
  /// Everything recorded that `work` could not start before, the binding one first (then all but
  /// it): stream order, launch, recorded waits (else inferred ones). Clears `found`; empty when
  /// nothing is known.
  void allOfDeviceWork(SliceId work, std::vector<Predecessor>& found) const;
  /// The device work whose end let the blocking call return at or before t: it ended last inside
  /// the call. Invalid if the call waited for nothing that is recorded.
  [[nodiscard]] SliceId awaitedBy(SliceId call, TimeNs t) const;
  /// All that a synchronisation returned after: by stream the last work given to it before the
  /// call, whether that was still running then or not. Clears `found`; empty for other calls.
  void allAwaitedBy(SliceId call, std::vector<SliceId>& found) const;
  /// Whether the call may have waited for the device: a synchronisation, a blocking copy.
  [[nodiscard]] bool mayBlock(SliceId call) const;
  /// Whether a launching call met a full queue, so that it waited for the device.
  [[nodiscard]] bool queueFullAt(SliceId call) const;
  /// Whether the call frees device memory, which waits for the whole device.
  [[nodiscard]] bool freesMemory(SliceId call) const;
  /// The runtime call around a driver call, as people know it; else the call itself.
  [[nodiscard]] SliceId outerCall(SliceId call) const;

 private:
  struct Wait {
    TimeNs at = 0;  ///< start of the wait call
    SliceId call;
  };
  [[nodiscard]] SliceId producerOf(SliceId syncRow) const;
  [[nodiscard]] Predecessor viaLaunch(SliceId work, SliceId before) const;
  [[nodiscard]] Predecessor viaStream(SliceId work, SliceId before) const;
  [[nodiscard]] Predecessor viaRecordedWait(SliceId work) const;
  [[nodiscard]] Predecessor viaInferredWait(SliceId work, TimeNs after) const;
  [[nodiscard]] SliceId inferredProducer(SliceId work, TimeNs after) const;
  [[nodiscard]] bool waitedBetween(const DeviceStreams::Stream* stream, TimeNs after, TimeNs before,
                                   TimeNs* at) const;
  [[nodiscard]] SliceId latestEnd(TimeNs after, TimeNs t, TimeNs launchedBefore, SliceId notOn,
                                  DeviceId device) const;
  [[nodiscard]] SliceId lastLaunchedOn(const DeviceStreams::Stream& stream, TimeNs before) const;
  [[nodiscard]] SliceId ownCopy(SliceId call) const;
  [[nodiscard]] const DeviceStreams::Stream* awaitedStream(SliceId call) const;

  const Workload* w_;
  const Trace* trace_;
  const DeviceStreams* streams_;
  const HostThreads* threads_;
  std::vector<Wait> waits_;  ///< cudaStreamWaitEvent and the like, by time
  std::unordered_map<std::int64_t, SliceId, SeededHash>
      recordCall_;  ///< correlation → cudaEventRecord call
  std::unordered_map<std::uint32_t, std::vector<SliceId>> waitsOf_;  ///< device work → producers
  std::unordered_map<std::uint32_t, SliceId> syncRowOf_;  ///< blocking call → its cuda_sync row
  bool hasWaitRecords_ = false;
};

}  // namespace ridgeline
