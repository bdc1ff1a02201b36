#pragma once

#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace ridgeline {

/// Which of a step's extents `Step::window` is (ANALYSIS 1.0: never mixed within one Trace).
enum class StepExtent : std::uint8_t { host, launch, device, trace };
[[nodiscard]] std::string_view name(StepExtent extent);

/// One marked iteration.
struct Step {
  std::string name;     ///< "ProfilerStep#103"
  std::int64_t number;  ///< 103; the index where the name holds no number
  SliceId annotation;   ///< invalid when the whole trace is the step
  TimeSpan host;        ///< the annotation
  TimeSpan launch;      ///< host work plus all device work launched inside it
  TimeSpan device;      ///< first to last device event launched inside; empty when there is none
  /// What analyses of this step look at: gapless from step to step. By extent: host annotations,
  /// or, where the host runs ahead so that most of a step's device work lies outside its
  /// annotation, from its first device event to the next step's first (the last step: to its own
  /// last end).
  TimeSpan window;
  bool steady = true;  ///< counted in medians; left out: warm-up, compilation, incomplete
  /// Longer than median + 5·MAD of the steady ones and more than 5 % over the median (steps that
  /// are nearly equal have a MAD of nearly nothing); stays in the tail.
  bool slow = false;
  std::string why;  ///< why it is not steady ("loads modules: cudaModuleLoad…"), or why slow
};

/// The steps of one Trace and how they were found. Never empty: without marks the whole trace is
/// one step. `representative` is the steady step whose window length is nearest the median (of two
/// the shorter, the earlier), of those shown when none is steady.
struct Steps {
  std::vector<Step> steps;
  StepExtent extent = StepExtent::host;
  std::string source;    ///< "ProfilerStep annotations", "range \"iteration\", 12 times", …
  std::string sentence;  ///< "5 of 6 steps are steady; step 5 is left out: it loads modules."
  std::size_t representative = 0;

  [[nodiscard]] std::vector<std::size_t> steadyIndices() const;
  [[nodiscard]] std::size_t steadyCount() const { return steadyIndices().size(); }
};

/// Median, 90th percentile (nearest rank), largest and MAD of the steady steps' window lengths, ns.
struct StepStatistics {
  std::size_t n = 0;
  TimeNs median = 0, p90 = 0, max = 0, min = 0, mad = 0;
};

[[nodiscard]] Steps findSteps(const Trace& trace);
[[nodiscard]] StepStatistics statisticsOf(const Steps& steps);

}  // namespace ridgeline
