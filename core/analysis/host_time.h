#pragma once

#include <array>
#include <vector>

#include "core/base/intervals.h"
#include "core/workload/host_activity.h"
#include "core/workload/workload.h"

namespace ridgeline {

inline constexpr int kHostActivityCount = static_cast<int>(HostActivity::python) + 1;

/// What host threads did during one span: every ns given to one activity.
/// Invariant: Σ byActivity = length of the span; `none` is time in which nothing was recorded.
struct HostUse {
  std::array<TimeNs, kHostActivityCount> byActivity{};
  /// The slice that filled most of each activity's time; invalid where there is none.
  std::array<SliceId, kHostActivityCount> evidence{};
  TimeNs longestSilence = 0;  ///< the longest single piece of `none`
};

/// Answers what the host did (one thread at a time: it remembers where it looked last), by the
/// slices of its threads from the outside in: a range that says more than what runs inside it
/// (loading data, compiling, waiting) gives its name to all of it.
class HostTime {
 public:
  explicit HostTime(const Workload& w);

  /// What `thread` did in `span`; where nothing is recorded there, what the other threads that
  /// launch work did (forward hands over to the autograd thread and back).
  [[nodiscard]] HostUse use(TrackId thread, TimeSpan span) const;

  /// The thread whose ops led to a device event: that of the op that owns it (old recordings keep
  /// runtime calls on other thread ids), else that of the launching call.
  [[nodiscard]] TrackId threadOf(SliceId deviceWork) const;
  [[nodiscard]] const HostActivities& activities() const { return activities_; }
  /// Threads that launch device work or hold the step marks, the busiest in ops first.
  [[nodiscard]] const std::vector<TrackId>& threads() const { return threads_; }

 private:
  struct Tally;
  void descend(TrackId track, std::uint32_t depth, TimeSpan span, HostActivity outer,
               SliceId outerSlice, Tally& tally) const;
  [[nodiscard]] std::uint32_t firstEndingAfter(std::size_t row, TimeNs t) const;
  void visitThread(TrackId track, TimeSpan span, Tally& tally) const;

  const Workload& w_;
  HostActivities activities_;
  std::vector<TrackId> threads_;
  mutable std::vector<std::uint32_t> lastFound_;  ///< by row: near it the next search begins
};

}  // namespace ridgeline
