#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/window.h"
#include "core/base/task.h"

namespace ridgeline {

/// What a stretch of the critical path is. Every ns of a step has exactly one.
enum class PathCause : std::uint8_t {
  compute,        ///< a kernel that is no collective
  communication,  ///< a collective
  memory,         ///< a copy or set
  hostOp,         ///< an op or call of the host (self time)
  launch,         ///< a launching call of the host
  launchLatency,  ///< from the launch to the kernel's start, nothing else in the way
  queueing,       ///< kernel to kernel on one stream
  input,          ///< data loading
  hostSync,       ///< in a blocking call while nothing known ran on the device
  allocation,
  compileLoad,
  python,      ///< Python frames only
  hostGap,     ///< nothing recorded on the host thread
  streamWait,  ///< waiting for another stream's event
  profiler,
  untraced,  ///< no predecessor is known
};
inline constexpr int kPathCauseCount = static_cast<int>(PathCause::untraced) + 1;
[[nodiscard]] std::string_view word(PathCause cause);
[[nodiscard]] std::string_view title(PathCause cause);

/// How the walk came from a segment to the one before it.
enum class PathEdge : std::uint8_t {
  windowEnd,
  threadOrder,
  launch,
  streamOrder,
  eventWait,
  synchronisation,
  forwardBackward,
  threadHandover,
  parent,
  none
};
[[nodiscard]] std::string_view word(PathEdge edge);
/// For people: what ties the segment to the later one that the walk came from, with the segment as
/// the subject ("ran before it on its thread").
[[nodiscard]] std::string_view title(PathEdge edge);

struct PathSegment {
  TimeSpan span;
  PathCause cause = PathCause::untraced;
  SliceId event;  ///< the event it belongs to; for waits the event that was waited for or follows
  PathEdge edge = PathEdge::none;  ///< why the walk continued from the later segment into this one
};

/// Where a path begins to be walked back: at device work, or on a host thread.
struct PathAnchor {
  SliceId work;                        ///< on the device; invalid: on the host, or nowhere
  std::uint32_t thread = 0xFFFFFFFFu;  ///< of HostThreads; all ones: none
  TimeNs at = 0;                       ///< the window's end, or earlier where nothing reaches it
};

/// The chain of what a window's end had to wait for.
/// Invariant: segments ascend, touch each other, and cover exactly the window.
struct CriticalPath {
  TimeSpan window;
  std::vector<PathSegment> segments;              ///< in time order
  std::array<TimeNs, kPathCauseCount> byCause{};  ///< Σ = window length
  PathAnchor anchor;
};

[[nodiscard]] CriticalPath criticalPath(const Workload& w, TimeSpan window);

/// One path a span of the window (a step each).
struct CriticalPaths {
  AnalysisWindow window;
  std::vector<CriticalPath> paths;  ///< as window.spans
  /// The one whose span's length is nearest the median of them (of two the shorter, the earlier).
  std::size_t representative = 0;
};
/// Without meaning when the task was cancelled.
[[nodiscard]] CriticalPaths criticalPaths(const Workload& w, const AnalysisWindow& window,
                                          const Task& task = {});
struct PathContext;
[[nodiscard]] CriticalPaths criticalPaths(const PathContext& context, const AnalysisWindow& window,
                                          const Task& task = {});

}  // namespace ridgeline
