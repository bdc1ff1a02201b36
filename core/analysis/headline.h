#pragma once

#include <string>
#include <vector>

#include "core/analysis/bounds.h"
#include "core/analysis/critical_path.h"
#include "core/analysis/data_quality.h"
#include "core/analysis/device_time.h"
#include "core/analysis/idle_gaps.h"

namespace ridgeline {

/// One part of the line above the timeline; a click leads to its evidence.
struct HeadlinePart {
  std::string text;     ///< "device idle 44 %, most of it waiting for input"
  std::string tooltip;  ///< what the number means and where it comes from
  std::string panel;    ///< panel id to open: "idle_gaps", "steps", "device_time", …
  TimeSpan evidence;    ///< to reveal in the timeline; empty if none
  SliceId slice;        ///< to select; may be invalid
};

/// What the step is waiting for, in one sentence that a colleague would act on, and the figures of
/// the line above the timeline.
struct Headline {
  std::string verdict;       ///< "Input-bound: the GPU idles 59 ms of each 177 ms step while …"
  std::string verdictPanel;  ///< where its evidence is
  TimeSpan verdictEvidence;  ///< the largest single piece of evidence
  SliceId verdictSlice;
  std::string action;  ///< "Use DataLoader workers …"
  std::vector<HeadlinePart> parts;
  DataQuality quality;                ///< every check of the data behind the figures
  std::vector<std::string> warnings;  ///< what these found, as sentences, worst first
};

[[nodiscard]] Headline headline(const Workload& w, const DeviceTimes& times, const IdleGaps& gaps,
                                const CriticalPaths& paths, const std::vector<Bounds>& bounds,
                                const ProfilerCost& cost);

}  // namespace ridgeline
