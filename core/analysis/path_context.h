#pragma once

#include "core/analysis/device_streams.h"
#include "core/analysis/host_threads.h"
#include "core/analysis/path_predecessors.h"

namespace ridgeline {

/// What the critical path and the dependency graph of any window of one Trace need; built once.
/// The Workload must outlive it. Any thread may read it at any time.
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

  /// What the running of a piece of device work is on a path.
  [[nodiscard]] PathCause causeOf(SliceId work) const;
};

}  // namespace ridgeline
