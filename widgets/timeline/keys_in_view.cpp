#include "widgets/timeline/keys_in_view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/index/visible_runs.h"

namespace ridgeline {

std::vector<ColourKey> keysInView(const TimelineGeometry& geometry) {
  std::array<bool, kColourKeyCount> seen{};
  const Session& session = geometry.session();
  // Pictures are drawn with up to two pixels a logical one.
  const int width = std::max(1, static_cast<int>(std::lround(geometry.area().width() * 2)));
  std::vector<VisibleRun> runs;
  for (const LayoutLine& line : geometry.layout().lines()) {
    if (line.kind != LayoutLine::Kind::row || !geometry.lineRect(line)) continue;
    const auto& keys = session.colourKeys(line.rank);
    visibleRuns(session.index(line.rank), line.row, session.toTrace(line.rank, geometry.span()),
                width, runs);
    for (const VisibleRun& run : runs)
      seen[static_cast<std::size_t>(keys[run.slice.index()])] = true;
  }
  std::vector<ColourKey> found;
  for (std::size_t k = 0; k < kColourKeyCount; ++k)
    if (seen[k]) found.push_back(static_cast<ColourKey>(k));
  return found;
}

std::vector<LegendEntry> sliceLegend(const TimelineGeometry& geometry) {
  std::vector<LegendEntry> entries;
  for (const ColourKey key : keysInView(geometry))
    entries.push_back(
        {geometry.palette().of(key),
         key == ColourKey::annotation ? LegendEntry::Look::outline : LegendEntry::Look::fill,
         colourKeyName(key)});
  return entries;
}

}  // namespace ridgeline
