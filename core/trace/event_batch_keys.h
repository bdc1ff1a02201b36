#pragma once

// Private to the collector: by what it finds lanes, tracks and interned args again.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace/tables.h"

namespace ridgeline::batch {

inline std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
  h = (h ^ value) * 0x9E3779B97F4A7C15ull;
  return h ^ (h >> 29);
}

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
struct KeyHash {
  std::size_t operator()(const LaneKey& k) const {
    return mix(mix(k.pid, k.tid), static_cast<std::uint64_t>(k.rank));
  }
  std::size_t operator()(const TrackKey& k) const {
    return mix(mix(k.lane, static_cast<std::uint64_t>(k.kind)), k.counterName.value);
  }
  std::size_t operator()(const ShapeTexts& s) const {
    return mix(mix(mix(s.dims.value, s.types.value), s.concrete.value), s.strides.value);
  }
  std::size_t operator()(const XlaArgs& a) const {
    std::uint64_t h = a.category.value;
    for (const StringId id : {a.op, a.module, a.shape, a.frameworkOp}) h = mix(h, id.value);
    for (const std::int64_t v : {a.flops, a.bytes, a.step})
      h = mix(h, static_cast<std::uint64_t>(v));
    return h;
  }
  std::size_t operator()(const CollectiveArgs& a) const {
    std::uint64_t h = a.name.value;
    for (const StringId id : {a.dtype, a.group, a.groupDescription, a.ranks}) h = mix(h, id.value);
    for (const std::int64_t v : {a.inElements, a.outElements, a.groupSize, a.sequence})
      h = mix(h, static_cast<std::uint64_t>(v));
    return h;
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
  std::vector<std::uint32_t> stamps_;
};

}  // namespace ridgeline::batch
