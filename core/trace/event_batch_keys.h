#pragma once

// Private to the collector: by what it finds lanes, tracks and interned args again.

#include <cstddef>
#include <cstdint>

#include "core/base/column_vector.h"
#include "core/trace/interned_hash.h"
#include "core/trace/tables.h"

namespace ridgeline::batch {

struct LaneKey {
  std::uint32_t pid, tid;
  std::int64_t rank;
  bool operator==(const LaneKey&) const = default;
};
struct TrackKey {
  std::uint32_t lane;
  TrackKind kind;
  StringId counterName;
  bool operator==(const TrackKey&) const = default;
};
struct KeyHash : InternedHash {
  using InternedHash::operator();
  std::size_t operator()(const LaneKey& k) const {
    return mixHash(mixHash(k.pid, k.tid), static_cast<std::uint64_t>(k.rank));
  }
  std::size_t operator()(const TrackKey& k) const {
    return mixHash(mixHash(k.lane, static_cast<std::uint64_t>(k.kind)), k.counterName.value);
  }
};

/// Remembers in which batch an id was last used.
class Stamps {
 public:
  /// True at the first use in this batch.
  bool first(std::uint32_t id, std::uint32_t batch) {
    if (id >= stamps_.size()) stamps_.resize(id + std::size_t{1} + id / 2, 0);
    if (stamps_[id] == batch) return false;
    stamps_[id] = batch;
    return true;
  }

 private:
  ColumnVector<std::uint32_t> stamps_;
};

}  // namespace ridgeline::batch
