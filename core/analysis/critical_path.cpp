#include "core/analysis/critical_path.h"

#include <algorithm>
#include <numeric>

#include "core/analysis/path_walk.h"

namespace ridgeline {

std::string_view word(PathCause cause) {
  static constexpr std::string_view kWords[] = {
      "compute",  "communication", "memory",    "host_op",    "launch",       "launch_latency",
      "queueing", "input",         "host_sync", "allocation", "compile_load", "python",
      "host_gap", "stream_wait",   "profiler",  "untraced"};
  static_assert(std::size(kWords) == kPathCauseCount);
  return kWords[static_cast<std::size_t>(cause)];
}

std::string_view title(PathCause cause) {
  static constexpr std::string_view kTitles[] = {
      "compute kernels", "collectives",       "copies and sets",  "host operators",
      "launch calls",    "launch latency",    "queueing",         "input",
      "host sync",       "allocation",        "compile and load", "Python",
      "host gap",        "waits for streams", "profiler",         "untraced"};
  static_assert(std::size(kTitles) == kPathCauseCount);
  return kTitles[static_cast<std::size_t>(cause)];
}

std::string_view word(PathEdge edge) {
  switch (edge) {
    case PathEdge::windowEnd:
      return "window_end";
    case PathEdge::threadOrder:
      return "thread_order";
    case PathEdge::launch:
      return "launch";
    case PathEdge::streamOrder:
      return "stream_order";
    case PathEdge::eventWait:
      return "event_wait";
    case PathEdge::synchronisation:
      return "synchronisation";
    case PathEdge::forwardBackward:
      return "forward_backward";
    case PathEdge::threadHandover:
      return "thread_handover";
    case PathEdge::parent:
      return "parent";
    case PathEdge::none:
      break;
  }
  return "none";
}

std::string_view title(PathEdge edge) {
  switch (edge) {
    case PathEdge::windowEnd:
      return "ends the window";
    case PathEdge::threadOrder:
      return "ran before it on its thread";
    case PathEdge::launch:
      return "launched it";
    case PathEdge::streamOrder:
      return "ran before it on its stream";
    case PathEdge::eventWait:
      return "its stream waited for this";
    case PathEdge::synchronisation:
      return "the host waited for this";
    case PathEdge::forwardBackward:
      return "is its forward operator";
    case PathEdge::threadHandover:
      return "handed over to its thread";
    case PathEdge::parent:
      return "called it";
    case PathEdge::none:
      break;
  }
  return "nothing recorded ties them";
}

CriticalPath criticalPath(const Workload& w, TimeSpan window) {
  const PathContext context(w);
  return PathWalk(context, window, {}).run();
}

CriticalPaths criticalPaths(const Workload& w, const AnalysisWindow& window, const Task& task) {
  return criticalPaths(PathContext(w), window, task);
}

CriticalPaths criticalPaths(const PathContext& context, const AnalysisWindow& window,
                            const Task& task) {
  CriticalPaths result;
  result.window = window;
  result.paths.reserve(window.spans.size());
  for (const TimeSpan span : window.spans) {
    if (task.cancelled()) return result;
    result.paths.push_back(PathWalk(context, span, task).run());
  }
  if (window.spans.empty()) return result;
  std::vector<std::size_t> order(window.spans.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
  std::nth_element(order.begin(), middle, order.end(), [&](std::size_t a, std::size_t b) {
    const TimeNs x = window.spans[a].length();
    const TimeNs y = window.spans[b].length();
    return x != y ? x < y : a < b;
  });
  result.representative = *middle;
  return result;
}

}  // namespace ridgeline
