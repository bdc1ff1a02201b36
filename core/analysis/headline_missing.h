#pragma once

#include "core/analysis/headline.h"
#include "core/analysis/step_figures.h"

namespace ridgeline {

/// Takes back from a verdict what the recording cannot bear: without any device work in a file that
/// is cut off, or that holds launching calls, no word holds; of any other file that is cut off, the
/// sentence says that it holds for the rest only. Leaves whole recordings alone.
void sayWhatIsMissing(const StepFigures& figures, Headline& h);

}  // namespace ridgeline
