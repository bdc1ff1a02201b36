#include "core/trace/tables.h"

#include <numeric>
#include <tuple>

#include "core/base/stable_sort.h"

namespace ridgeline {

LinkTable::LinkTable(ColumnVector<Link> links, const Task& task) : links_(std::move(links)) {
  const auto less = [](const Link& a, const Link& b) {
    return std::tie(a.from, a.to, a.kind) < std::tie(b.from, b.to, b.kind);
  };
  if (!stableSort(std::span(links_), less, task)) return;
  byTarget_.resize(links_.size());
  std::iota(byTarget_.begin(), byTarget_.end(), 0u);
  const auto earlier = [this](std::uint32_t a, std::uint32_t b) {
    return links_[a].to < links_[b].to;
  };
  static_cast<void>(stableSort(std::span(byTarget_), earlier, task));
}

std::span<const Link> LinkTable::outgoing(SliceId from) const {
  const auto less = [](const Link& link, SliceId s) { return link.from < s; };
  const auto first = std::lower_bound(links_.begin(), links_.end(), from, less);
  auto last = first;
  while (last != links_.end() && last->from == from) ++last;
  return {first, last};
}

std::span<const std::uint32_t> LinkTable::incomingIndices(SliceId to) const {
  const auto less = [this](std::uint32_t i, SliceId s) { return links_[i].to < s; };
  const auto first = std::lower_bound(byTarget_.begin(), byTarget_.end(), to, less);
  auto last = first;
  while (last != byTarget_.end() && links_[*last].to == to) ++last;
  return {first, last};
}

}  // namespace ridgeline
