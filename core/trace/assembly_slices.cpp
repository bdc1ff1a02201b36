#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/parallel.h"
#include "core/trace/slice_order.h"
#include "core/trace/trace_assembly.h"

namespace ridgeline::build {

/// The raw slices of each track, in file order.
void Assembly::distribute(std::vector<std::uint32_t>& first, ColumnVector<std::uint32_t>& order) {
  const RawSlices& s = c_.slices;
  first.assign(t_.tracks.size() + 1, 0);
  Poll poll(task_);
  for (std::size_t i = 0; i < s.size() && !poll.stop(); ++i)
    if (const TrackId track = trackOf(s.track[i]); track.valid()) ++first[track.index() + 1];
  if (task_.cancelled()) return;
  std::partial_sum(first.begin(), first.end(), first.begin());
  order.resize(first.back());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::size_t i = 0; i < s.size() && !poll.stop(); ++i)
    if (const TrackId track = trackOf(s.track[i]); track.valid())
      order[next[track.index()]++] = static_cast<std::uint32_t>(i);
}

void Assembly::placeSlices() {
  std::vector<std::uint32_t> first;
  ColumnVector<std::uint32_t> order;
  distribute(first, order);
  if (task_.cancelled()) return;
  const std::size_t rawCount = c_.slices.size();
  release(c_.slices.track);
  const std::size_t tracks = t_.tracks.size();
  std::vector<TrackOrder> placed(tracks);
  std::vector<std::size_t> bySize(tracks);
  std::iota(bySize.begin(), bySize.end(), std::size_t{0});
  std::sort(bySize.begin(), bySize.end(), [&](std::size_t a, std::size_t b) {
    return first[a + 1] - first[a] > first[b + 1] - first[b];
  });
  std::vector<std::function<void()>> jobs;
  for (const std::size_t track : bySize) {
    placed[track].base = first[track];
    placed[track].order = {order.data() + first[track], order.data() + first[track + 1]};
    if (!placed[track].order.empty())
      jobs.emplace_back([this, &to = placed[track]] { nestTrack(to); });
  }
  runJobs(jobs);
  if (task_.cancelled()) return;
  addRows(placed);
  const std::size_t n = first.back();
  SliceTable& out = t_.slices;
  rawOf_.resize(n);
  if (only_)
    sliceOfRaw_.assign(rawCount, kNone);
  else
    sliceOfRaw_.resize(rawCount);  // all get theirs
  out.start.resize(n);
  out.end.resize(n);
  out.row.resize(n);
  out.parent.resize(n);
  jobs.clear();
  constexpr std::size_t kShare = std::size_t{1} << 16;
  for (const std::size_t track : bySize)
    for (std::size_t begin = 0; begin < placed[track].order.size(); begin += kShare)
      jobs.emplace_back([this, &from = placed[track], begin] {
        fillRows(from, begin, std::min(begin + kShare, from.order.size()));
      });
  runJobs(jobs);
  if (task_.cancelled()) return;
  release(c_.slices.start);
  release(c_.slices.end);
}

void Assembly::nestTrack(TrackOrder& track) const {
  const RawSlices& raw = c_.slices;
  if (!sortByTime(raw, track.order, task_)) return;
  Nester nester;
  track.placements.resize(track.order.size());
  Poll poll(task_);
  for (std::size_t k = 0; k < track.order.size(); ++k) {
    if (poll.stop()) return;
    const std::uint32_t i = track.order[k];
    track.placements[k] = nester.place({raw.start[i], raw.end[i]});
  }
  track.nested = nester.nestedRows();
  const std::uint32_t rowCount = track.nested + nester.spillRows();
  track.rowBegin.assign(rowCount + 1, 0);
  for (Placement& p : track.placements) {
    if (p.spill != 0) p.row = (p.row + track.nested) & 0x7FFFFFFFu;
    ++track.rowBegin[p.row + 1u];
  }
  track.rowBegin[0] = track.base;
  std::partial_sum(track.rowBegin.begin(), track.rowBegin.end(), track.rowBegin.begin());
  std::vector<std::uint32_t> next(track.rowBegin.begin(), track.rowBegin.end() - 1);
  track.slice.resize(track.order.size());
  for (std::size_t k = 0; k < track.order.size(); ++k)
    track.slice[k] = next[track.placements[k].row]++;
}

void Assembly::addRows(std::vector<TrackOrder>& placed) {
  for (std::size_t track = 0; track < placed.size(); ++track) {
    TrackOrder& from = placed[track];
    Track& to = t_.tracks[track];
    to.firstRow = from.firstRow = RowId(t_.rows.size());
    to.rowCount = from.rowBegin.empty() ? 0 : static_cast<std::uint32_t>(from.rowBegin.size() - 1);
    for (std::uint32_t row = 0; row < to.rowCount; ++row)
      t_.rows.push_back(
          {TrackId(track), row, row >= from.nested, from.rowBegin[row], from.rowBegin[row + 1]});
  }
}

void Assembly::fillRows(const TrackOrder& track, std::size_t begin, std::size_t end) {
  const RawSlices& raw = c_.slices;
  SliceTable& out = t_.slices;
  Poll poll(task_);
  for (std::size_t k = begin; k < end && !poll.stop(); ++k) {
    const std::uint32_t i = track.order[k];
    const Placement& place = track.placements[k];
    const std::uint32_t to = track.slice[k];
    rawOf_[to] = i;
    sliceOfRaw_[i] = to;
    out.start[to] = raw.start[i] - t_.origin;
    out.end[to] = raw.end[i] - t_.origin;
    out.row[to] = RowId(track.firstRow.index() + place.row);
    out.parent[to] = place.parent == kNone ? SliceId() : SliceId(track.slice[place.parent]);
  }
}

/// Fills one column of the table from one of the raw ones, which is then given back.
template <class To, class From, class Value>
void Assembly::gather(To& column, ChunkedColumn<From>& raw, Value&& value) {
  if (task_.cancelled()) return;
  const std::size_t n = rawOf_.size();
  column.resize(n);
  Poll poll(task_);
  for (std::size_t i = 0; i < n && !poll.stop(); ++i) column[i] = value(raw[rawOf_[i]]);
  release(raw);
}

void Assembly::makeFlags() {
  ColumnVector<std::uint8_t>& flags = t_.slices.flags;
  flags.resize(rawOf_.size());
  for (const Row& row : t_.rows) {
    const bool async = t_.tracks[row.track.index()].kind == TrackKind::async;
    std::fill(flags.begin() + row.first, flags.begin() + row.last,
              static_cast<std::uint8_t>(async ? SliceTable::kAsync : 0));
  }
  for (std::size_t i = c_.slices.unfinishedFrom; i < sliceOfRaw_.size(); ++i)
    if (const std::uint32_t slice = sliceOfRaw_[i]; slice != kNone)
      flags[slice] |= SliceTable::kUnfinished;
}

void Assembly::addColumnJobs(std::vector<std::function<void()>>& jobs) {
  RawSlices& raw = c_.slices;
  SliceTable& s = t_.slices;
  const auto same = [](auto value) { return value; };
  jobs.emplace_back(
      [&] { gather(s.name, raw.name, [&](std::uint32_t id) { return text(StringId(id)); }); });
  jobs.emplace_back([&, same] { gather(s.argsOffset, raw.argsOffset, same); });
  jobs.emplace_back([&, same] {
    gather(s.categoryText, raw.category, same);
    s.category.resize(s.categoryText.size());
    for (std::size_t i = 0; i < s.categoryText.size(); ++i)
      s.category[i] = c_.categoryKinds[s.categoryText[i]];
  });
  jobs.emplace_back(
      [&] { gather(s.shape, raw.shape, [](std::uint32_t id) { return ShapeId(id); }); });
  jobs.emplace_back([&, same] { gather(s.argsLength, raw.argsLength, same); });
  jobs.emplace_back([&] { makeFlags(); });
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

template <class Id, class T>
void Assembly::sparse(RawValues& raw, SparseColumn<Id, T>& column) {
  if (task_.cancelled()) return;
  Ranks ranks(raw.slice.empty() ? 0 : t_.slices.start.size());
  Poll poll(task_);
  for (std::size_t i = 0; i < raw.slice.size() && !poll.stop(); ++i)
    if (const std::uint32_t slice = sliceOfRaw_[raw.slice[i]]; slice != kNone) ranks.set(slice);
  if (task_.cancelled()) return;
  ColumnVector<typename SparseColumn<Id, T>::Entry> entries(ranks.count());
  for (std::size_t i = 0; i < raw.slice.size() && !poll.stop(); ++i)
    if (const std::uint32_t slice = sliceOfRaw_[raw.slice[i]]; slice != kNone)
      entries[ranks.of(slice)] = {SliceId(slice), T(raw.value[i])};
  column.assign(std::move(entries));
  release(raw.slice);
  release(raw.value);
}

void Assembly::addSparseJobs(std::vector<std::function<void()>>& jobs) {
  SparseValues& v = c_.sparse;
  SliceTable& s = t_.slices;
  jobs.emplace_back([&] { sparse(v.correlation, s.correlation); });
  jobs.emplace_back([&] { sparse(v.externalId, s.externalId); });
  jobs.emplace_back([&] { sparse(v.streamArg, s.streamArg); });
  jobs.emplace_back([&] { sparse(v.sequence, s.sequence); });
  jobs.emplace_back([&] { sparse(v.forwardThread, s.forwardThread); });
  jobs.emplace_back([&] {
    sparse(v.bytes, s.bytes);
    sparse(v.graphId, s.graphId);
    sparse(v.graphNode, s.graphNode);
    sparse(v.waitOnStream, s.waitOnStream);
    sparse(v.waitOnRecordCorrelation, s.waitOnRecordCorrelation);
    sparse(v.collective, s.collective);
    sparse(v.xla, s.xla);
  });
}

void Assembly::makeColumns() {
  std::vector<std::function<void()>> jobs;
  addSparseJobs(jobs);
  addColumnJobs(jobs);
  jobs.emplace_back([this] { makeInstants(); });
  jobs.emplace_back([this] { makeCounters(); });
  jobs.emplace_back([this] { makeMemory(); });
  if (only_) {  // several ranks copy their texts into a pool of their own, which is for one thread
    for (const auto& job : jobs) job();
  } else {
    runJobs(jobs);
  }
  rawOf_ = {};
  sliceOfRaw_ = {};
}

}  // namespace ridgeline::build
