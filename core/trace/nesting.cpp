#include "core/trace/nesting.h"

#include <algorithm>
#include <limits>

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
    return {static_cast<std::uint32_t>(depth) & 0x7FFFFFFFu, 0, parent};
  }
  return {spill_.take(span) & 0x7FFFFFFFu, 1, 0xFFFFFFFFu};
}

void SpillRows::grow() {
  const std::size_t leaves = leaves_ == 0 ? 4 : leaves_ * 2;
  // A row that is not there yet is free at any time.
  std::vector<TimeNs> tree(2 * leaves, std::numeric_limits<TimeNs>::min());
  for (std::size_t i = 0; i < leaves_; ++i) tree[leaves + i] = earliest_[leaves_ + i];
  for (std::size_t i = leaves - 1; i > 0; --i) tree[i] = std::min(tree[2 * i], tree[2 * i + 1]);
  leaves_ = leaves;
  earliest_ = std::move(tree);
}

std::uint32_t SpillRows::take(TimeSpan span) {
  if (leaves_ == 0 || earliest_[1] > span.begin) grow();
  std::size_t node = 1;
  while (node < leaves_) node = earliest_[2 * node] <= span.begin ? 2 * node : 2 * node + 1;
  const auto row = static_cast<std::uint32_t>(node - leaves_);
  count_ = std::max(count_, row + 1);
  earliest_[node] = span.end;
  for (node /= 2; node > 0; node /= 2)
    earliest_[node] = std::min(earliest_[2 * node], earliest_[2 * node + 1]);
  return row;
}

Nesting nest(std::span<const TimeSpan> spans) {
  Nester nester;
  Nesting result;
  result.placements.reserve(spans.size());
  for (const TimeSpan span : spans) result.placements.push_back(nester.place(span));
  result.nestedRows = nester.nestedRows();
  result.spillRows = nester.spillRows();
  for (Placement& p : result.placements)
    if (p.spill != 0) p.row = (p.row + result.nestedRows) & 0x7FFFFFFFu;
  return result;
}

}  // namespace ridgeline
