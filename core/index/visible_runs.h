#pragma once

#include <cstdint>
#include <vector>

#include "core/index/trace_index.h"

namespace ridgeline {

/// What a stretch of pixels of one row shows: one slice with its true borders, or several slices
/// folded below a pixel.
struct VisibleRun {
  std::int32_t x0 = 0;  ///< pixels [x0, x1) of the width asked for
  std::int32_t x1 = 0;
  SliceId slice;                ///< the slice, or the one that covers most of the folded pixels
  bool folded = false;          ///< stands for more than `slice`, or for less than a pixel of it
  std::uint8_t coverage = 255;  ///< share of the run's time that is covered, 1 … 255
};

/// What the pixels of one row show: ascending, disjoint runs, at most one a pixel. A slice of two
/// pixels or more has a run of its own with its borders rounded to pixels; what is smaller is
/// folded into runs of one pixel. Nothing is lost: every slice that touches the span has its run,
/// or a folded one at most a pixel beside it. Costs O(width) with the pyramid, else
/// O(width · log n). Where more than 64 slices share one pixel and the pyramid is too coarse, their
/// dominant slice and coverage are taken from 64 of them.
/// `runs` is cleared first; reuse it between calls.
void visibleRuns(const TraceIndex& index, RowId row, TimeSpan span, int width,
                 std::vector<VisibleRun>& runs);

}  // namespace ridgeline
