#pragma once

#include <map>
#include <vector>

#include "core/analysis/critical_path.h"
#include "core/analysis/device_streams.h"
#include "core/analysis/host_threads.h"
#include "core/analysis/path_predecessors.h"

namespace ridgeline {

/// What walking the critical path of any window of one Trace needs; built once.
/// The Workload must outlive it.
struct PathContext {
  explicit PathContext(const Workload& workload);
  PathContext(const PathContext&) = delete;
  PathContext& operator=(const PathContext&) = delete;
  const Workload& w;
  const Trace& trace;
  HostActivities activities;
  DeviceStreams streams;
  HostThreads threads;
  PathPredecessors predecessors;
};

/// Walks back from a window's end over binding predecessors. One object a window.
/// Invariant: the segments emitted so far, read backwards, cover exactly [cursor, window end).
class PathWalk {
 public:
  PathWalk(const PathContext& context, TimeSpan window) : c_(context), window_(window) {}
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
  [[nodiscard]] Place handOver(std::uint32_t thread, const HostPiece& piece, SliceId resumed);
  [[nodiscard]] SliceId resumedAfter(std::uint32_t thread, std::size_t piece) const;
  [[nodiscard]] const std::vector<HostPiece>& pieces(std::uint32_t thread);
  /// Index of the piece that holds the instant before t; npos outside of the window.
  [[nodiscard]] std::size_t pieceBefore(std::uint32_t thread, TimeNs t);
  [[nodiscard]] std::uint32_t forwardThread(SliceId resumed) const;

  const PathContext& c_;
  TimeSpan window_;
  TimeNs cursor_ = 0;
  int stalled_ = 0;  ///< moves since time last went back
  std::map<std::uint32_t, std::vector<HostPiece>> pieces_;
  std::vector<PathSegment> reversed_;
};

}  // namespace ridgeline
