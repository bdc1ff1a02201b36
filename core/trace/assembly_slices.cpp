#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/parallel.h"
#include "core/trace/slice_order.h"
#include "core/trace/trace_assembly.h"

namespace ridgeline::build {

/// The raw slices of each track, in file order.
void Assembly::distribute(Order& order) {
  const RawSlices& s = c_.slices;
  order.first.assign(t_.tracks.size() + 1, 0);
  Poll poll(task_);
  for (std::size_t i = 0; i < s.size() && !poll.stop(); ++i)
    if (const TrackId track = trackOf(s.track[i]); track.valid()) ++order.first[track.index() + 1];
  if (task_.cancelled()) return;
  std::partial_sum(order.first.begin(), order.first.end(), order.first.begin());
  order.raw.resize(order.first.back());
  std::vector<std::uint32_t> next(order.first.begin(), order.first.end() - 1);
  for (std::size_t i = 0; i < s.size() && !poll.stop(); ++i)
    if (const TrackId track = trackOf(s.track[i]); track.valid())
      order.raw[next[track.index()]++] = static_cast<std::uint32_t>(i);
}

/// Long tracks are for one job each and come first, the longest before all; short ones share jobs.
std::vector<Assembly::TrackRange> Assembly::shareTracks(const Order& order) {
  constexpr std::uint32_t kLong = 4096;
  constexpr std::uint32_t kMostTracks = 4096;
  const auto count = [&](TrackRange r) { return order.first[r.end] - order.first[r.begin]; };
  std::vector<TrackRange> longOnes, shared;
  TrackRange open{0, 0};
  const auto close = [&] {
    if (count(open) > 0) shared.push_back(open);
  };
  for (std::uint32_t track = 0; track + std::size_t{1} < order.first.size(); ++track) {
    const TrackRange alone{track, track + 1};
    if (count(alone) >= kLong) {
      close();
      longOnes.push_back(alone);
      open = {track + 1, track + 1};
      continue;
    }
    open.end = track + 1;
    if (count(open) < kLong && open.end - open.begin < kMostTracks) continue;
    close();
    open = {track + 1, track + 1};
  }
  close();
  std::sort(longOnes.begin(), longOnes.end(), [&](TrackRange a, TrackRange b) {
    return std::make_pair(count(b), a.begin) < std::make_pair(count(a), b.begin);
  });
  longOnes.insert(longOnes.end(), shared.begin(), shared.end());
  return longOnes;
}

/// Calls `each(track, nester, poll)` for the tracks that have slices, on all cores.
template <class Each>
void Assembly::forEachTrack(const Order& order, const std::vector<TrackRange>& shares,
                            Each&& each) const {
  std::vector<std::function<void()>> jobs;
  jobs.reserve(shares.size());
  for (const TrackRange& share : shares)
    jobs.emplace_back([this, &order, &share, &each] {
      if (task_.cancelled()) return;
      Nester nester;
      Poll poll(task_);
      for (std::uint32_t track = share.begin; track < share.end && !poll.stop(); ++track)
        if (order.first[track] < order.first[track + 1]) each(track, nester, poll);
    });
  runJobs(jobs);
}

void Assembly::placeSlices() {
  Order order;
  distribute(order);
  if (task_.cancelled()) return;
  const std::size_t rawCount = c_.slices.size();
  release(c_.slices.track);
  const std::uint32_t n = order.first.back();
  order.nested.resize(t_.tracks.size());
  order.placements.resize(n);
  order.slice.resize(n);
  const std::vector<TrackRange> shares = shareTracks(order);
  forEachTrack(order, shares, [&](std::uint32_t track, Nester& nester, Poll& poll) {
    nestTrack(order, track, nester, poll);
  });
  if (task_.cancelled()) return;
  addRows(order);
  forEachTrack(order, shares,
               [&](std::uint32_t track, Nester&, Poll& poll) { layTrack(order, track, poll); });
  if (task_.cancelled()) return;
  rawOf_.resize(n);
  if (only_)
    sliceOfRaw_.assign(rawCount, kNone);
  else
    sliceOfRaw_.resize(rawCount);  // all get theirs
  t_.slices.row.resize(n);
  t_.slices.parent.resize(n);
  std::vector<std::function<void()>> jobs;
  constexpr std::uint32_t kShare = 1u << 16;
  for (std::uint32_t begin = 0; begin < n; begin += std::min(kShare, n - begin))
    jobs.emplace_back([this, &order, begin, end = begin + std::min(kShare, n - begin)] {
      fillRows(order, begin, end);
    });
  runJobs(jobs);
}

void Assembly::nestTrack(Order& order, std::uint32_t track, Nester& nester, Poll& poll) {
  const RawSlices& raw = c_.slices;
  const std::uint32_t first = order.first[track];
  const std::uint32_t last = order.first[track + 1];
  if (!sortByTime(raw, std::span(order.raw).subspan(first, last - first), task_)) return;
  nester.clear();
  for (std::uint32_t k = first; k < last; ++k) {
    if (poll.stop()) return;
    const std::uint32_t i = order.raw[k];
    order.placements[k] = nester.place({raw.start[i], raw.end[i]});
  }
  order.nested[track] = nester.nestedRows();
  t_.tracks[track].rowCount = nester.nestedRows() + nester.spillRows();
}

void Assembly::addRows(const Order& order) {
  std::size_t count = 0;
  for (Track& track : t_.tracks) {
    track.firstRow = RowId(count);
    count += track.rowCount;
  }
  t_.rows.reserve(count);
  Poll poll(task_);
  for (std::size_t track = 0; track < t_.tracks.size(); ++track)
    for (std::uint32_t row = 0; row < t_.tracks[track].rowCount; ++row) {
      if (poll.stop()) return;
      t_.rows.push_back({TrackId(track), row, row >= order.nested[track], 0, 0});
    }
}

/// Says which slices of a track come into which of its rows.
void Assembly::layTrack(Order& order, std::uint32_t track, Poll& poll) {
  const std::span<Row> rows =
      std::span(t_.rows).subspan(t_.tracks[track].firstRow.index(), t_.tracks[track].rowCount);
  const std::uint32_t first = order.first[track];
  const std::uint32_t last = order.first[track + 1];
  for (std::uint32_t k = first; k < last; ++k) {
    if (poll.stop()) return;
    Placement& place = order.placements[k];
    if (place.spill != 0) place.row = (place.row + order.nested[track]) & 0x7FFFFFFFu;
    ++rows[place.row].last;
  }
  std::uint32_t begin = first;
  for (Row& row : rows) {
    row.first = begin;
    begin += row.last;
    row.last = row.first;
  }
  for (std::uint32_t k = first; k < last; ++k) {
    if (poll.stop()) return;
    order.slice[k] = rows[order.placements[k].row].last++;
  }
}

void Assembly::fillRows(const Order& order, std::uint32_t begin, std::uint32_t end) {
  SliceTable& out = t_.slices;
  if (task_.cancelled() || begin == end) return;
  Poll poll(task_);
  const auto behind = std::upper_bound(order.first.begin(), order.first.end(), begin);
  auto track = static_cast<std::size_t>(behind - order.first.begin()) - 1;
  for (std::uint32_t k = begin; k < end && !poll.stop(); ++k) {
    while (order.first[track + 1] <= k) ++track;
    const std::uint32_t i = order.raw[k];
    const Placement& place = order.placements[k];
    const std::uint32_t to = order.slice[k];
    rawOf_[to] = i;
    sliceOfRaw_[i] = to;
    out.row[to] = RowId(t_.tracks[track].firstRow.index() + place.row);
    out.parent[to] =
        place.parent == kNone ? SliceId() : SliceId(order.slice[order.first[track] + place.parent]);
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
  Poll poll(task_);
  for (const Row& row : t_.rows) {
    if (poll.stop()) return;
    const bool async = t_.tracks[row.track.index()].kind == TrackKind::async;
    std::fill(flags.begin() + row.first, flags.begin() + row.last,
              static_cast<std::uint8_t>(async ? SliceTable::kAsync : 0));
  }
  for (std::size_t i = c_.slices.unfinishedFrom; i < sliceOfRaw_.size() && !poll.stop(); ++i)
    if (const std::uint32_t slice = sliceOfRaw_[i]; slice != kNone)
      flags[slice] |= SliceTable::kUnfinished;
}

void Assembly::addColumnJobs(std::vector<std::function<void()>>& jobs) {
  RawSlices& raw = c_.slices;
  SliceTable& s = t_.slices;
  const auto same = [](auto value) { return value; };
  const auto fromOrigin = [this](TimeNs time) { return time - t_.origin; };
  jobs.emplace_back([&, fromOrigin] { gather(s.start, raw.start, fromOrigin); });
  jobs.emplace_back([&, fromOrigin] { gather(s.end, raw.end, fromOrigin); });
  jobs.emplace_back(
      [&] { gather(s.name, raw.name, [&](std::uint32_t id) { return text(StringId(id)); }); });
  jobs.emplace_back([&, same] { gather(s.argsOffset, raw.argsOffset, same); });
  jobs.emplace_back([&, same] {
    gather(s.categoryText, raw.category, same);
    if (task_.cancelled()) return;
    s.category.resize(s.categoryText.size());
    Poll poll(task_);
    for (std::size_t i = 0; i < s.categoryText.size() && !poll.stop(); ++i)
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

template <class Raw, class Id, class T>
void Assembly::sparse(Raw& raw, SparseColumn<Id, T>& column) {
  if (task_.cancelled()) return;
  Ranks ranks(raw.slice.empty() ? 0 : rawOf_.size());
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
  jobs.emplace_back([&] { sparse(v.fill, s.fill); });
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
