#include "core/trace/nesting.h"

namespace ridgeline {

Nesting nest(std::span<const TimeSpan> spans) {
  Nesting result;
  result.placements.resize(spans.size());
  std::vector<std::uint32_t> open;     // indices of the spans that enclose the current one
  std::vector<TimeNs> nestedEnd;       // by row: end of the last span placed there
  std::vector<TimeNs> spillEnd;        // the same for spill rows
  std::vector<std::uint32_t> spilled;  // their row numbers are known when nesting is done
  std::vector<std::uint16_t> spillRow;

  for (std::uint32_t i = 0; i < spans.size(); ++i) {
    const TimeSpan span = spans[i];
    while (!open.empty() && spans[open.back()].end <= span.begin) open.pop_back();
    const bool inside = open.empty() || span.end <= spans[open.back()].end;
    const std::size_t depth = open.size();
    // A row may be taken by a span that was popped but ends later (cannot be) or by one of zero
    // length at the same instant (can be): starts ascend, so the row's last end decides.
    const bool free = depth >= nestedEnd.size() || nestedEnd[depth] <= span.begin;
    if (inside && free && depth < kMaxDepth) {
      if (depth == nestedEnd.size()) nestedEnd.push_back(0);
      nestedEnd[depth] = span.end;
      result.placements[i] = {static_cast<std::uint16_t>(depth),
                              open.empty() ? 0xFFFFFFFFu : open.back()};
      open.push_back(i);
      continue;
    }
    std::uint16_t row = 0;
    while (row < spillEnd.size() && spillEnd[row] > span.begin) ++row;
    if (row == spillEnd.size()) spillEnd.push_back(0);
    spillEnd[row] = span.end;
    spilled.push_back(i);
    spillRow.push_back(row);
  }
  result.nestedRows = static_cast<std::uint16_t>(nestedEnd.size());
  result.spillRows = static_cast<std::uint16_t>(spillEnd.size());
  for (std::size_t k = 0; k < spilled.size(); ++k)
    result.placements[spilled[k]].row = static_cast<std::uint16_t>(result.nestedRows + spillRow[k]);
  return result;
}

}  // namespace ridgeline
