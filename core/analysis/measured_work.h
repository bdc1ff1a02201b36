#pragma once

#include "core/analysis/roofline.h"

namespace ridgeline {

/// Sets what counters say of a point's kernels, and takes it for its FLOPs and bytes; what its
/// shapes tell stays beside it. Nothing happens where no kernel of it was measured.
void addMeasuredWork(const Workload& w, const MeasuredKernels& kernels, RooflinePoint& point);

}  // namespace ridgeline
