#pragma once

#include <vector>

#include "widgets/timeline/overlay.h"

namespace ridgeline {

/// The colour keys that some slice in sight is drawn with, ascending. Costs what drawing the rows
/// costs.
[[nodiscard]] std::vector<ColourKey> keysInView(const TimelineGeometry& geometry);
/// What the colours of the slices in sight mean.
[[nodiscard]] std::vector<LegendEntry> sliceLegend(const TimelineGeometry& geometry);

}  // namespace ridgeline
