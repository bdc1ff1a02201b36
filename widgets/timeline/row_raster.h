#pragma once

#include <span>

#include <QRgb>

#include "core/index/visible_runs.h"
#include "widgets/timeline/run_colours.h"

namespace ridgeline {

/// The one hot loop: the runs of a row into its pixel lines. `middle` and `edge` (the row's first
/// and last line, which differ only under outlined slices) hold the background on entry.
/// Returns whether `edge` differs from `middle`.
bool rasterRow(std::span<const VisibleRun> runs, std::span<const ColourKey> keys,
               const RunColours& colours, bool dimmed, std::span<QRgb> middle,
               std::span<QRgb> edge);

}  // namespace ridgeline
