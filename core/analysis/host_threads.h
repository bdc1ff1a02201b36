#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/critical_path.h"
#include "core/trace/trace.h"
#include "core/workload/host_activity.h"

namespace ridgeline {

/// A stretch of a host thread in which its deepest slice stays the same.
struct HostPiece {
  TimeSpan span;
  SliceId slice;  ///< the deepest; invalid where nothing is recorded
  PathCause cause = PathCause::hostGap;
  /// The thread may be waiting for another one here: nothing is recorded, only ranges that people
  /// set, or a Python frame without anything inside.
  bool passive = true;
};

/// The host threads of a Trace. Recordings of 2020 and 2021 write runtime calls under another
/// thread id than the operators that made them: such tracks are one thread here.
class HostThreads {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  struct Thread {
    std::vector<TrackId> tracks;
    ProcessId process;
    std::size_t ops = 0;     ///< operators recorded on it
    std::size_t slices = 0;  ///< of any kind
  };

  /// `trace` and `activities` must outlive it. O(n) for n slices.
  HostThreads(const Trace& trace, const HostActivities& activities);

  [[nodiscard]] std::span<const Thread> threads() const { return threads_; }
  /// kNone for what is on no host thread.
  [[nodiscard]] std::uint32_t threadOf(SliceId s) const {
    return threadOfTrack_[trace_->trackOf(s).index()];
  }
  /// What the thread did in the window, without holes, in time order. O(m log m) for m slices.
  [[nodiscard]] std::vector<HostPiece> pieces(std::uint32_t thread, TimeSpan window) const;
  [[nodiscard]] bool hasRuntimeCalls() const { return hasRuntimeCalls_; }
  /// What a pause of a thread is: a host gap; untraced where most of the device's events have no
  /// launch, for then nobody knows what that pause held up, and where nothing of the host is known
  /// as an operator, a call, a frame or a range.
  [[nodiscard]] PathCause gapCause() const { return gapCause_; }

 private:
  /// Its activity; of a launching call that loads code, that.
  [[nodiscard]] HostActivity activityOf(SliceId slice) const;
  [[nodiscard]] HostPiece pieceOf(TimeSpan span, SliceId slice, bool input, bool compile) const;
  [[nodiscard]] std::vector<HostPiece> withoutOverhead(std::vector<HostPiece> pieces) const;
  const Trace* trace_;
  const HostActivities* activities_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> threadOfTrack_;
  std::vector<SliceId> loadingLaunches_;  ///< launching calls that load code, by id
  std::vector<SliceId> overhead_;         ///< the profiler's own work, disjoint, in time order
  bool hasRuntimeCalls_ = false;
  PathCause gapCause_ = PathCause::hostGap;
};

}  // namespace ridgeline
