#include <algorithm>
#include <bit>
#include <numeric>

#include "core/trace/nesting.h"
#include "core/trace/slice_order.h"
#include "core/trace/trace_assembly.h"

namespace ridgeline::build {

void Assembly::placeSlices() {
  const RawSlices& s = c_.slices;
  const std::size_t tracks = t_.tracks.size();
  std::vector<std::uint32_t> first(tracks + 1, 0);
  Poll poll(task_);
  for (std::size_t i = 0; i < s.size() && !poll.stop(); ++i)
    if (const TrackId track = trackOf(s.track[i]); track.valid()) ++first[track.index() + 1];
  if (task_.cancelled()) return;
  std::partial_sum(first.begin(), first.end(), first.begin());
  const std::size_t n = first.back();
  std::vector<std::uint32_t> order(n);
  {
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < s.size() && !poll.stop(); ++i)
      if (const TrackId track = trackOf(s.track[i]); track.valid())
        order[next[track.index()]++] = static_cast<std::uint32_t>(i);
  }
  rawOf_.resize(n);
  SliceTable& out = t_.slices;
  out.start.reserve(n);
  out.end.reserve(n);
  out.row.reserve(n);
  out.parent.reserve(n);
  for (std::size_t track = 0; track < tracks && !task_.cancelled(); ++track) {
    const std::span<std::uint32_t> mineInOrder(order.data() + first[track],
                                               first[track + 1] - first[track]);
    if (sortByTime(c_.slices, mineInOrder, task_)) fillRows(mineInOrder, TrackId(track));
  }
  if (task_.cancelled()) return;
  release(c_.slices.start);
  release(c_.slices.end);
}

void Assembly::fillRows(std::span<const std::uint32_t> order, TrackId trackId) {
  const RawSlices& raw = c_.slices;
  Nester nester;
  std::vector<Placement> placements;
  placements.reserve(order.size());
  Poll poll(task_);
  for (const std::uint32_t i : order) {
    if (poll.stop()) return;
    placements.push_back(nester.place({raw.start[i], raw.end[i]}));
  }
  const std::uint32_t nested = nester.nestedRows();
  const std::uint32_t rowCount = nested + nester.spillRows();
  Track& track = t_.tracks[trackId.index()];
  track.firstRow = RowId(t_.rows.size());
  track.rowCount = rowCount;
  std::vector<std::uint32_t> next(rowCount + 1, 0);
  for (Placement& p : placements) {
    if (p.spill != 0) p.row = (p.row + nested) & 0x7FFFFFFFu;
    ++next[p.row + 1u];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  SliceTable& out = t_.slices;
  const auto base = static_cast<std::uint32_t>(out.start.size());
  for (std::uint32_t row = 0; row < rowCount; ++row)
    t_.rows.push_back({trackId, row, row >= nested, base + next[row], base + next[row + 1]});
  const std::size_t end = base + order.size();
  out.start.resize(end);
  out.end.resize(end);
  out.row.resize(end);
  out.parent.resize(end);
  std::vector<std::uint32_t> slot(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (poll.stop()) return;
    const std::uint32_t to = base + next[placements[k].row]++;
    slot[k] = to;
    rawOf_[to] = order[k];
    out.start[to] = raw.start[order[k]] - t_.origin;
    out.end[to] = raw.end[order[k]] - t_.origin;
    out.row[to] = RowId(track.firstRow.index() + placements[k].row);
    const std::uint32_t parent = placements[k].parent;
    out.parent[to] = parent == kNone ? SliceId() : SliceId(slot[parent]);
  }
}

void Assembly::gather() {
  RawSlices& raw = c_.slices;
  SliceTable& s = t_.slices;
  const std::size_t n = rawOf_.size();
  Poll poll(task_);
  const auto each = [&](auto& column, auto&& value) {
    if (task_.cancelled()) return;
    column.resize(n);
    for (std::size_t i = 0; i < n && !poll.stop(); ++i) column[i] = value(rawOf_[i]);
  };
  each(s.name, [&](std::uint32_t i) { return text(StringId(raw.name[i])); });
  release(raw.name);
  each(s.flags, [&](std::uint32_t i) {
    const bool async = c_.tracks[raw.track[i]].kind == TrackKind::async;
    return static_cast<std::uint8_t>((async ? SliceTable::kAsync : 0) |
                                     (i >= raw.unfinishedFrom ? SliceTable::kUnfinished : 0));
  });
  each(s.categoryText, [&](std::uint32_t i) { return raw.category[i]; });
  each(s.category, [&](std::uint32_t i) { return c_.categoryKinds[raw.category[i]]; });
  release(raw.category);
  each(s.shape, [&](std::uint32_t i) { return ShapeId(raw.shape[i]); });
  release(raw.shape);
  each(s.argsOffset, [&](std::uint32_t i) { return raw.argsOffset[i]; });
  release(raw.argsOffset);
  each(s.argsLength, [&](std::uint32_t i) { return raw.argsLength[i]; });
  release(raw.argsLength);
}

namespace {

/// Where the entries of a sparse column belong, found by counting instead of comparing: a bit for
/// each slice that has a value, and how many come before each word.
class Ranks {
 public:
  explicit Ranks(std::size_t slices) : bits_(slices / 64 + 1), before_(bits_.size() + 1) {}
  void clear() { std::fill(bits_.begin(), bits_.end(), 0); }
  void set(std::uint32_t slice) { bits_[slice / 64] |= std::uint64_t{1} << (slice % 64); }
  std::size_t count() {
    for (std::size_t i = 0; i < bits_.size(); ++i)
      before_[i + 1] = before_[i] + static_cast<std::uint32_t>(std::popcount(bits_[i]));
    return before_.back();
  }
  [[nodiscard]] std::size_t of(std::uint32_t slice) const {
    const std::uint64_t below = (std::uint64_t{1} << (slice % 64)) - 1;
    return before_[slice / 64] + static_cast<std::size_t>(std::popcount(bits_[slice / 64] & below));
  }

 private:
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> before_;
};

}  // namespace

void Assembly::sparseColumns() {
  std::vector<std::uint32_t> sliceOfRaw(c_.slices.size(), kNone);
  Poll poll(task_);
  for (std::size_t i = 0; i < rawOf_.size() && !poll.stop(); ++i)
    sliceOfRaw[rawOf_[i]] = static_cast<std::uint32_t>(i);
  if (!only_) {
    rawOf_.clear();
    rawOf_.shrink_to_fit();
    c_.slices.track.clear();
  }
  Ranks ranks(t_.slices.size());
  const auto take = [&]<class Id, class T>(RawValues& raw, SparseColumn<Id, T>& column) {
    if (task_.cancelled()) return;
    ranks.clear();
    for (std::size_t i = 0; i < raw.slice.size() && !poll.stop(); ++i)
      if (const std::uint32_t slice = sliceOfRaw[raw.slice[i]]; slice != kNone) ranks.set(slice);
    std::vector<typename SparseColumn<Id, T>::Entry> entries(ranks.count());
    if (task_.cancelled()) return;
    for (std::size_t i = 0; i < raw.slice.size() && !poll.stop(); ++i)
      if (const std::uint32_t slice = sliceOfRaw[raw.slice[i]]; slice != kNone)
        entries[ranks.of(slice)] = {SliceId(slice), T(raw.value[i])};
    column.assign(std::move(entries));
    release(raw.slice);
    release(raw.value);
  };
  SparseValues& v = c_.sparse;
  SliceTable& s = t_.slices;
  take(v.correlation, s.correlation);
  take(v.externalId, s.externalId);
  take(v.bytes, s.bytes);
  take(v.sequence, s.sequence);
  take(v.forwardThread, s.forwardThread);
  take(v.streamArg, s.streamArg);
  take(v.graphId, s.graphId);
  take(v.graphNode, s.graphNode);
  take(v.waitOnStream, s.waitOnStream);
  take(v.waitOnRecordCorrelation, s.waitOnRecordCorrelation);
  take(v.collective, s.collective);
  take(v.xla, s.xla);
}

}  // namespace ridgeline::build
