#include "core/trace/nesting.h"

#include <algorithm>

namespace ridgeline {

Placement Nester::place(TimeSpan span) {
  const std::uint32_t index = count_++;
  while (!open_.empty() && open_.back().end <= span.begin) open_.pop_back();
  const bool inside = open_.empty() || span.end <= open_.back().end;
  const std::size_t depth = open_.size();
  // A row may still be taken by a span of zero length at the same instant: starts ascend, so the
  // row's last end decides.
  const bool free = depth >= nestedEnd_.size() || nestedEnd_[depth] <= span.begin;
  if (inside && free && depth < kMaxDepth) {
    if (depth == nestedEnd_.size()) nestedEnd_.push_back(span.end);
    nestedEnd_[depth] = span.end;
    const std::uint32_t parent = open_.empty() ? 0xFFFFFFFFu : open_.back().index;
    open_.push_back({index, span.end});
    return {static_cast<std::uint16_t>(depth), false, parent};
  }
  return {spillRow(span), true, 0xFFFFFFFFu};
}

std::uint16_t Nester::spillRow(TimeSpan span) {
  std::size_t row = 0;
  while (row < spillEnd_.size() && spillEnd_[row] > span.begin) ++row;
  if (row == spillEnd_.size()) {
    if (row < kMaxSpillRows)
      spillEnd_.push_back(span.end);
    else
      --row;
  }
  spillEnd_[row] = std::max(spillEnd_[row], span.end);
  return static_cast<std::uint16_t>(row);
}

Nesting nest(std::span<const TimeSpan> spans) {
  Nester nester;
  Nesting result;
  result.placements.reserve(spans.size());
  for (const TimeSpan span : spans) result.placements.push_back(nester.place(span));
  result.nestedRows = nester.nestedRows();
  result.spillRows = nester.spillRows();
  for (Placement& p : result.placements)
    if (p.spill) p.row = static_cast<std::uint16_t>(p.row + result.nestedRows);
  return result;
}

}  // namespace ridgeline
