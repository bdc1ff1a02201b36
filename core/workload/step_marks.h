#pragma once

#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace ridgeline {

/// The host ranges that mark a Trace's iterations, in time order, all of one thread; disjoint, but
/// for marks that were made for steps and reach a little into the next: they end where that begins.
struct StepMarks {
  std::vector<SliceId> annotations;   ///< empty: nothing repeats, the whole trace is one step
  std::vector<std::int64_t> numbers;  ///< by name; by index if one has none of 64 bits
  std::string source;           ///< "ProfilerStep annotations", "range \"iteration\", 12 times"
  std::size_t overlapping = 0;  ///< most marks of one thread that overlap too far to be used
};

/// ProfilerStep annotations; else the range that people set which repeats at least three times on
/// one thread, does not nest, and covers most of the recording; else nothing.
[[nodiscard]] StepMarks findStepMarks(const Trace& trace);

}  // namespace ridgeline
