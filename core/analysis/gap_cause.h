#pragma once

#include <vector>

#include "core/analysis/host_time.h"
#include "core/analysis/idle_gaps.h"

namespace ridgeline {

/// A stretch in which a device did nothing, uncut by any window, with its neighbours.
struct RawGap {
  TimeSpan span;
  SliceId before;          ///< the event that ended last before it; invalid at the very begin
  SliceId after;           ///< the first to start after it; invalid at the very end
  SliceId streamPrevious;  ///< the last event before `after` on its stream; may be invalid
};

/// Decides why a gap was there, in the order of ANALYSIS 5.1: outside the recording, the profiler,
/// no launch known, a dependency on the device, a late launch and what the host did instead.
class GapJudge {
 public:
  explicit GapJudge(const Workload& w);

  /// Fills cause, launch, hostEvent and why of `gap` (device and span are the caller's).
  void judge(const RawGap& raw, IdleGap& gap) const;

 private:
  [[nodiscard]] bool profilerAtWork(const RawGap& raw, IdleGap& gap) const;
  void judgeQueued(const RawGap& raw, IdleGap& gap) const;
  void judgeLate(const RawGap& raw, IdleGap& gap) const;
  [[nodiscard]] bool launchCallFilled(const RawGap& raw, IdleGap& gap) const;
  [[nodiscard]] bool drainedBySync(const RawGap& raw, TimeNs hostPart, IdleGap& gap) const;
  [[nodiscard]] SliceId eventWait(const RawGap& raw, SliceId launch) const;
  [[nodiscard]] bool uploadsBatch(const RawGap& raw, TimeSpan span) const;

  const Workload& w_;
  HostTime host_;
  struct Overhead {
    TimeSpan span;
    SliceId slice;
  };
  std::vector<Overhead> overheads_;  ///< by begin
  TimeNs longestOverhead_ = 0;
  std::vector<SliceId> waitCalls_;        ///< cudaStreamWaitEvent and the like, by begin
  std::vector<SliceId> waitRecords_;      ///< "Stream Wait Event" records, by begin
  std::vector<SliceId> loadingLaunches_;  ///< launching calls that load code
};

}  // namespace ridgeline
