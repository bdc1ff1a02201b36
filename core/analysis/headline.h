#pragma once

#include <string>
#include <vector>

#include "core/analysis/bounds.h"
#include "core/analysis/critical_path.h"
#include "core/analysis/data_quality.h"
#include "core/analysis/device_time.h"
#include "core/analysis/idle_gaps.h"
#include "core/analysis/step_losses.h"
#include "core/analysis/step_shares.h"

namespace ridgeline {

/// What the step is bound by, in one word.
enum class Verdict : std::uint8_t {
  unknown,             ///< nothing recorded, or idle time that nothing explains
  inputBound,          ///< the device waits for the next batch
  hostBound,           ///< … for a host that blocks itself, or the path is on the host
  launchBound,         ///< … for a host that hands over work too slowly
  communicationBound,  ///< exposed collectives or copies, or other processes
  memoryBound,         ///< the device works, and its memory is the limit
  computeBound,        ///< … and its arithmetic is
  deviceBound,         ///< … and shapes or peaks are missing to say which
  mixed,               ///< no single one
};
/// "input-bound"
[[nodiscard]] std::string_view name(Verdict verdict);

/// Time of a step that could be had back, and how.
struct Recoverable {
  Loss loss = Loss::unexplained;
  std::string title;   ///< "exposed all-reduce"
  TimeNs time = 0;     ///< lost in the mean step of the window, ns
  TimeNs atMost = 0;   ///< what of that the floor of the step leaves to be won
  std::string advice;  ///< sentences
};

/// One part of the line above the timeline; a click leads to its evidence.
struct HeadlinePart {
  std::string text;     ///< "device idle 44 %, most of it waiting for input"
  std::string tooltip;  ///< what the number means and where it comes from
  std::string panel;    ///< panel id to open: "idle_gaps", "steps", "device_time", …
  TimeSpan evidence;    ///< to reveal in the timeline; empty if none
  SliceId slice;        ///< to select; may be invalid
  /// Sections of the report that its number is taken from: what touches them, touches it.
  std::vector<std::string> sections = {};
};

/// What the step is waiting for, in one sentence that a colleague would act on, and the figures of
/// the line above the timeline.
struct Headline {
  Verdict word = Verdict::unknown;
  StepShares shares;  ///< the step's time by what it went to
  /// Which of several things of that word, for it alone would mislead: "copies between host and
  /// device, not collectives"; may be empty.
  std::string of;
  std::string verdict;       ///< "Input-bound: the GPU idles 59 ms of each 177 ms step while …"
  std::string verdictPanel;  ///< where its evidence is
  std::vector<std::string> verdictSections = {};  ///< as HeadlinePart::sections
  TimeSpan verdictEvidence;                       ///< the largest single piece of evidence
  SliceId verdictSlice;
  std::string action;                    ///< "Use DataLoader workers …": the largest first
  std::vector<Recoverable> recoverable;  ///< by time, largest first: what the action is made of
  std::vector<HeadlinePart> parts;
  DataQuality quality;                ///< every check of the data behind the figures
  std::vector<std::string> warnings;  ///< what these found, as sentences, worst first
};

[[nodiscard]] Headline headline(const Workload& w, const DeviceTimes& times, const IdleGaps& gaps,
                                const CriticalPaths& paths, const std::vector<Bounds>& bounds,
                                const ProfilerCost& cost, StepShares shares);

}  // namespace ridgeline
