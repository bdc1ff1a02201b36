#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/analysis/queue_depth.h"
#include "core/analysis/window.h"

namespace ridgeline {

/// One piece of device work with the host call that launched it. In ns, of one clock only if the
/// recording's clocks agree: the numbers keep their sign.
/// latency = behind + queueDelay (ANALYSIS 1.0).
struct Launch {
  SliceId work;
  SliceId call;
  TimeNs latency = 0;     ///< start of the work − end of the call; negative: started inside it
  TimeNs behind = 0;      ///< of that: the stream was still busy with earlier work; ≥ 0
  TimeNs queueDelay = 0;  ///< start − max(end of the call, end of the work before on the stream)
};

/// Median, 90th percentile (nearest rank) and largest.
struct LaunchQuantiles {
  TimeNs median = 0, p90 = 0, max = 0;
};

/// Sums over the device work that starts within a span. Sums of the steps are those of the window:
/// a call belongs to the span in which the first of its work starts.
struct LaunchFigures {
  std::uint64_t pieces = 0;        ///< kernels, copies, sets
  std::uint64_t launched = 0;      ///< of these: with a launch in the recording
  std::uint64_t calls = 0;         ///< launching calls; a graph launch is one, whatever it starts
  std::uint64_t graphCalls = 0;    ///< of these: start more than one piece of work
  std::uint64_t graphPieces = 0;   ///< … and what they start
  std::uint64_t shorter = 0;       ///< calls longer than all the work that they start, without:
  std::uint64_t waitingCalls = 0;  ///< copies whose call returns only when they are done
  TimeNs waiting = 0;              ///< Σ durations of these
  TimeNs callTime = 0;             ///< Σ durations of the calls
  TimeNs workTime = 0;             ///< Σ durations of the launched work
  std::uint64_t blockedCalls = 0;  ///< calls that a full queue held up (see launches())
  TimeNs blocked = 0;              ///< Σ of these: duration − median of calls of that name
  std::uint64_t slowCalls = 0;     ///< as long as those, but the queue was not deep
  TimeNs slow = 0;
};

/// The launches of one kernel name.
struct LaunchGroup {
  StringId name;
  std::uint64_t pieces = 0;
  std::uint64_t shorter = 0;  ///< pieces that take less time than their share of the call
  TimeNs callTime = 0;        ///< their shares of the calls: Σ over groups = callTime of all
  TimeNs workTime = 0;
  TimeNs medianWork = 0;
  TimeNs medianLatency = 0;
  SliceId longest;  ///< the work of the longest latency
};

/// One queue within a window.
struct QueueFigures {
  std::uint32_t most = 0;
  double mean = 0;  ///< over time
};

/// How work came to the devices within a window.
struct Launches {
  AnalysisWindow window;
  LaunchFigures all;
  LaunchQuantiles latency, behind, queueDelay;
  std::vector<LaunchFigures> spans;    ///< by window.spans
  std::vector<std::string> spanNames;  ///< "ProfilerStep#103"; the window's label where no step
  std::vector<Launch> launches;        ///< by (device, stream, start of the work)
  std::vector<LaunchGroup> groups;     ///< by callTime, largest first
  std::uint64_t startedInside = 0;     ///< work that starts before its call has returned
  std::uint64_t beforeCall = 0;        ///< … before it has begun: clocks that disagree
  /// Of the whole recording; shared by all windows of a Workload.
  std::shared_ptr<const std::vector<QueueDepth>> queues;
  std::vector<QueueFigures> queueFigures;  ///< by *queues, within the window
  std::string sentence;                    ///< what matters; empty where something is missing
  std::string missing;  ///< why there are no figures, and how to get them; empty: all is well
};

/// A call counts as held up by a full queue if it takes at least kLongCall times the median of the
/// calls of its name in the recording and at least kLongCallNs, while at least kDeepQueue pieces
/// wait in the stream that it launches to. (CUDA holds about 1,000 pending launches a stream, fewer
/// when their arguments are large; ROCm holds more: so the depth alone tells nothing.)
inline constexpr TimeNs kLongCall = 8;
inline constexpr TimeNs kLongCallNs = 20'000;
inline constexpr std::uint32_t kDeepQueue = 256;

/// `queues` of an earlier window of the same Workload, or null to compute them.
[[nodiscard]] Launches launches(const Workload& w, const AnalysisWindow& window,
                                std::shared_ptr<const std::vector<QueueDepth>> queues = nullptr);

}  // namespace ridgeline
