#pragma once

#include <string>

#include "core/trace/trace.h"

namespace ridgeline {

/// What a recording of no known program looks like, a sentence: the processes and the categories
/// with most time on their lanes, three of each at most. What is nested counts with what holds it.
/// Empty where no slice lasts.
[[nodiscard]] std::string mostRecordedTime(const Trace& trace);

}  // namespace ridgeline
