#include "core/index/row_pyramid.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ridgeline {

namespace {

constexpr std::uint32_t kFewestSlices = 256;  // below, walking the slices is as quick
constexpr double kSlicesPerBucket = 4;
constexpr std::uint32_t kFewestBuckets = 16;

/// A bucket while it is summed up: exact ns, so that coarse levels do not add up rounding.
struct Sum {
  TimeNs covered = 0;
  TimeNs dominantNs = 0;
  std::uint32_t dominant = RowPyramid::kNone;

  void add(std::uint32_t slice, TimeNs ns) {
    covered += ns;
    if (dominant == RowPyramid::kNone || ns > dominantNs) {
      dominant = slice;
      dominantNs = ns;
    }
  }
};

Sum merged(const Sum& a, const Sum& b) {
  Sum sum = a.dominantNs >= b.dominantNs && a.dominant != RowPyramid::kNone ? a : b;
  if (a.dominant == b.dominant) sum.dominantNs = a.dominantNs + b.dominantNs;
  sum.covered = a.covered + b.covered;
  return sum;
}

std::uint8_t quantised(const Sum& sum, int shift) {
  if (sum.dominant == RowPyramid::kNone) return 0;
  const double share = std::ldexp(static_cast<double>(sum.covered), -shift);
  return static_cast<std::uint8_t>(std::clamp<long>(std::lround(share * 255), 1, 255));
}

}  // namespace

RowPyramid::RowPyramid(const Trace& trace, const Task& task) {
  rows_.resize(trace.rows().size(), RowEntry());
  dominant_.reserve(trace.slices().size() / 2);
  coverage_.reserve(trace.slices().size() / 2);
  Poll poll(task);
  for (std::size_t r = 0; r < rows_.size() && !poll.stop(); ++r) {
    if (r == 0 && task.cancelled()) return;
    const Row& row = trace.rows()[r];
    if (row.last - row.first >= kFewestSlices) addRow(trace.slices(), row, rows_[r], poll);
  }
  dominant_.shrink_to_fit();
  coverage_.shrink_to_fit();
}

void RowPyramid::addRow(const SliceTable& s, const Row& row, RowEntry& entry, Poll& poll) {
  const TimeNs extent = std::max<TimeNs>(s.end[row.last - 1] - s.start[row.first], 1);
  const double pitch = static_cast<double>(extent) / (row.last - row.first);
  const auto wanted = std::max<TimeNs>(std::llround(pitch * kSlicesPerBucket), 1);
  entry.begin = s.start[row.first];
  // A power of two: the loop below shifts where it would divide.
  entry.shift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(wanted - 1)));
  entry.firstLevel = static_cast<std::uint32_t>(levelOffset_.size());

  const int shift = entry.shift;
  std::vector<Sum> sums(static_cast<std::size_t>(extent >> shift) + 1);
  for (std::uint32_t i = row.first; i < row.last; ++i) {
    if (poll.stop()) return;
    const TimeNs from = s.start[i] - entry.begin;
    const TimeNs to = s.end[i] - entry.begin;
    const auto first = static_cast<std::size_t>(from >> shift);
    const auto last = static_cast<std::size_t>((to > from ? to - 1 : to) >> shift);
    if (first == last) {
      sums[first].add(i, to - from);
      continue;
    }
    for (std::size_t b = first; b <= last; ++b) {
      const TimeNs begin = static_cast<TimeNs>(b) << shift;
      const TimeNs end = begin + (TimeNs{1} << shift);
      sums[b].add(i, std::min(to, end) - std::max(from, begin));
    }
  }
  for (int level = shift;; ++level) {
    levelOffset_.push_back(static_cast<std::uint32_t>(dominant_.size()));
    levelCount_.push_back(static_cast<std::uint32_t>(sums.size()));
    ++entry.levels;
    for (const Sum& sum : sums) {
      if (poll.stop()) return;
      dominant_.push_back(sum.dominant);
      coverage_.push_back(quantised(sum, level));
    }
    if (sums.size() <= kFewestBuckets) break;
    const std::size_t half = (sums.size() + 1) / 2;
    for (std::size_t b = 0; b < half; ++b)
      sums[b] = 2 * b + 1 < sums.size() ? merged(sums[2 * b], sums[2 * b + 1]) : sums[2 * b];
    sums.resize(half);
  }
}

RowPyramid::Level RowPyramid::levelFor(RowId row, double ns) const {
  const RowEntry& entry = rows_[row.index()];
  Level level;
  if (entry.levels == 0 || ns < std::ldexp(1.0, entry.shift)) return level;
  const int up = std::clamp(static_cast<int>(std::floor(std::log2(ns))) - entry.shift, 0,
                            static_cast<int>(entry.levels) - 1);
  const std::size_t k = entry.firstLevel + static_cast<std::size_t>(up);
  level.begin = entry.begin;
  level.shift = entry.shift + up;
  level.count = levelCount_[k];
  level.dominant = dominant_.data() + levelOffset_[k];
  level.coverage = coverage_.data() + levelOffset_[k];
  return level;
}

std::size_t RowPyramid::bytes() const {
  return rows_.capacity() * sizeof(RowEntry) +
         (levelOffset_.capacity() + levelCount_.capacity() + dominant_.capacity()) *
             sizeof(std::uint32_t) +
         coverage_.capacity();
}

}  // namespace ridgeline
