#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/window.h"

namespace ridgeline {

/// The profiler's own work of one name: "Buffer Flush", "Activity Buffer Request" …
struct OverheadKind {
  std::string name;
  std::uint64_t count = 0;  ///< in the recording
  TimeNs total = 0;
  TimeNs inWindow = 0;  ///< of that: within the window
  SliceId longest;
};

/// What recording cost the host in one span of the window (of a step: in its annotation on the
/// host, where its window is its device extent, for the host is ahead then), as a range. Recorded:
/// the union of the overhead events in it, the least. The estimate adds the records themselves:
/// their number on the busiest host thread × `perRecord`. The step pays it only where it waits for
/// the host.
struct RecordingCost {
  TimeNs recorded = 0;
  std::optional<TimeNs> atMost;   ///< the estimate; unknown where little of the host is recorded
  std::uint64_t records = 0;      ///< of the host thread with the most of them
  std::uint64_t stackFrames = 0;  ///< of these: Python frames (with_stack)
};

/// What the profiler cost: measured where it says so itself, bounded where it does not.
struct ProfilerCost {
  AnalysisWindow window;
  std::vector<OverheadKind> kinds;  ///< longest first
  std::vector<RecordingCost> spans;
  std::vector<std::string> spanNames;
  RecordingCost perSpan;   ///< mean of the spans that hold host records (of all, if none does)
  std::size_t silent = 0;  ///< spans without any host record, where others have some
  /// An estimate of what one record costs: the shortest tenth of the innermost host events take at
  /// most this long, and the most of that is their recording. What a profiler does before it takes
  /// the first time and after it takes the second is not in it.
  std::optional<TimeNs> perRecord;
  TimeNs flushes = 0;         ///< Σ of buffer flushes in the recording
  TimeNs flushesInSteps = 0;  ///< of that: within marked steps
  SliceId longestFlush;
  /// First recorded step ÷ median of the steady ones; unknown with fewer than two steady steps.
  std::optional<double> firstStepRatio;
  std::string firstStep;  ///< its name
  std::string sentence;
};

[[nodiscard]] ProfilerCost profilerCost(const Workload& w, const AnalysisWindow& window);

}  // namespace ridgeline
