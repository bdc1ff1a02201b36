#include "widgets/timeline/row_raster.h"

#include <algorithm>

namespace ridgeline {

namespace {
constexpr int kNarrowestBordered = 4;
}

bool rasterRow(std::span<const VisibleRun> runs, std::span<const ColourKey> keys,
               const RunColours& colours, bool dimmed, std::span<QRgb> middle,
               std::span<QRgb> edge) {
  bool edgeDiffers = false;
  for (const VisibleRun& run : runs) {
    const RunColours::Look& look = colours.of(keys[run.slice.index()], dimmed);
    const auto x0 = static_cast<std::size_t>(run.x0);
    const auto x1 = static_cast<std::size_t>(run.x1);
    const QRgb fill = look.fill[static_cast<std::size_t>(
        run.folded ? RunColours::levelOf(run.coverage) : RunColours::kLevels)];
    std::fill(middle.begin() + run.x0, middle.begin() + run.x1, fill);
    if (look.outlined && !run.folded) {
      middle[x0] = look.outline;
      if (run.x1 - run.x0 >= kNarrowestBordered) middle[x1 - 1] = look.outline;
      std::fill(edge.begin() + run.x0, edge.begin() + run.x1, look.outline);
      edgeDiffers = true;
      continue;
    }
    if (run.x1 - run.x0 >= kNarrowestBordered) middle[x1 - 1] = look.edge;
    std::copy(middle.begin() + run.x0, middle.begin() + run.x1, edge.begin() + run.x0);
  }
  return edgeDiffers;
}

}  // namespace ridgeline
