#pragma once

#include "core/analysis/analysis_store.h"

namespace ridgeline::test {

using Results = std::shared_ptr<const AnalysisResults>;

/// Everything the program computes of a Trace's steady steps.
inline Results steadyResults(std::shared_ptr<const Trace> trace) {
  const auto w = makeWorkload(std::move(trace)).value();
  return AnalysisStore().results(w, steadyWindow(*w));
}

}  // namespace ridgeline::test
