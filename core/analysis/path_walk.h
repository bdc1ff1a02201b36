#pragma once

#include <vector>

#include "core/analysis/critical_path.h"
#include "core/analysis/host_window.h"
#include "core/base/task.h"

namespace ridgeline {

/// Walks back from a window's end over binding predecessors. One object a window.
/// Invariant: the segments emitted so far, read backwards, cover exactly [cursor, window end).
class PathWalk {
 public:
  /// What the walk of a cancelled task gives has no meaning.
  PathWalk(const PathContext& context, TimeSpan window, const Task& task)
      : c_(context), window_(window), task_(task), host_(context, window) {}
  [[nodiscard]] CriticalPath run();

 private:
  /// Where the walk stands: at device work, or on a host thread; the time is `cursor_`.
  struct Place {
    bool onDevice = false;
    SliceId work;                               ///< on the device
    std::uint32_t thread = HostThreads::kNone;  ///< on the host
    PathEdge edge = PathEdge::none;             ///< how it came here
    [[nodiscard]] bool known() const { return onDevice || thread != HostThreads::kNone; }
  };

  void emit(TimeNs begin, PathCause cause, SliceId event, PathEdge edge);
  [[nodiscard]] Place anchor();
  [[nodiscard]] Place anchorAtMark();
  [[nodiscard]] Place anchorAtDevice();
  [[nodiscard]] Place anchorBefore();
  [[nodiscard]] Place fromDevice(const Place& place);
  [[nodiscard]] Place fromHost(const Place& place);
  [[nodiscard]] Place enter(const Predecessor& p);
  [[nodiscard]] Place handOver(std::uint32_t thread, std::size_t piece);

  const PathContext& c_;
  TimeSpan window_;
  Task task_;
  TimeNs cursor_ = 0;
  int stalled_ = 0;  ///< moves since time last went back
  HostWindow host_;
  std::vector<PathSegment> reversed_;
};

}  // namespace ridgeline
