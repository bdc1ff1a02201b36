#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/analysis/bounds.h"
#include "core/analysis/critical_path.h"
#include "core/analysis/device_time.h"
#include "core/analysis/idle_gaps.h"

namespace ridgeline {

/// The figures that the sentences above the timeline speak of: of the busiest device, as the mean
/// of all spans of the window (its steps), as in the tables of the report. Only the critical path
/// is that of one span, for a mean of paths is none. All in ns. References what it was made from.
struct StepFigures {
  const Workload* w = nullptr;
  const AnalysisWindow* window = nullptr;
  const IdleGaps* gaps = nullptr;
  const CriticalPaths* paths = nullptr;
  const DeviceTime* device = nullptr;  ///< null: no device work in the recording
  const Bounds* bounds = nullptr;      ///< of that device; may be null

  TimeNs spans = 1;                              ///< how many steps the window holds, ≥ 1
  bool steps = false;                            ///< the spans are steps; else one window
  TimeNs mean = 0, median = 0, p90 = 0;          ///< lengths of the spans
  std::array<TimeNs, kGapCauseCount> idleBy{};   ///< idle of the device by cause
  const CriticalPath* path = nullptr;            ///< the representative one; null: none
  std::array<TimeNs, kPathCauseCount> pathBy{};  ///< its causes
  TimeNs pathLength = 0;                         ///< of its span
  TimeNs idle = 0, busy = 0, compute = 0;
  TimeNs communication = 0, exposedCommunication = 0, exposedMemory = 0;

  std::size_t pieces = 0;        ///< device events in the whole window
  TimeNs medianPiece = 0;        ///< their median duration
  TimeNs medianLead = 0;         ///< median time from launch to start: how far the host is ahead
  std::size_t launched = 0;      ///< of the pieces, those whose launch is recorded
  std::size_t beforeLaunch = 0;  ///< … and that start before their launch does
  /// Σ of copies between host and device in the window; of these to the device, and by the kind of
  /// the host's memory as far as recorded.
  TimeNs hostCopies = 0, uploads = 0, pageableCopies = 0, pinnedCopies = 0;
  std::string collectiveKind;  ///< "all-reduce": most of what is exposed; may be empty
  /// Within the window; may be invalid. The collective is the one that is exposed for longest.
  SliceId longestCollective, longestCopy, longestKernel;

  [[nodiscard]] TimeNs perStep(TimeNs total) const { return total / spans; }
  [[nodiscard]] TimeNs idleFrom(std::initializer_list<GapCause> causes) const;
  [[nodiscard]] TimeNs pathFrom(std::initializer_list<PathCause> causes) const;
  /// "step #8": the span of the path, where it is one of several; else empty.
  [[nodiscard]] std::string pathStep() const;
  /// The most that may be promised: what the step takes above its largest lower bound.
  [[nodiscard]] TimeNs claim(TimeNs loss) const;
  /// The longest gap of the device with one of the causes; null if there is none.
  [[nodiscard]] const IdleGap* longestGap(std::initializer_list<GapCause> causes) const;
  /// "GPU 0"
  [[nodiscard]] std::string deviceName() const;
};

[[nodiscard]] StepFigures stepFigures(const Workload& w, const DeviceTimes& times,
                                      const IdleGaps& gaps, const CriticalPaths& paths,
                                      const std::vector<Bounds>& bounds);

}  // namespace ridgeline
