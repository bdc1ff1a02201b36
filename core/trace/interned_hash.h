#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/seeded_hash.h"
#include "core/trace/tables.h"

namespace ridgeline {

/// By what equal records of args are found again, in the collectors and in the builder.
struct InternedHash {
  std::size_t operator()(const ShapeTexts& s) const {
    return mixHash(mixHash(mixHash(s.dims.value, s.types.value), s.concrete.value),
                   s.strides.value);
  }
  std::size_t operator()(const XlaArgs& a) const {
    std::uint64_t h = a.category.value;
    for (const StringId id : {a.op, a.module, a.shape, a.frameworkOp}) h = mixHash(h, id.value);
    for (const std::int64_t v : {a.flops, a.bytes, a.step})
      h = mixHash(h, static_cast<std::uint64_t>(v));
    return h;
  }
  std::size_t operator()(const CollectiveArgs& a) const {
    std::uint64_t h = a.name.value;
    for (const StringId id : {a.dtype, a.group, a.groupDescription, a.ranks})
      h = mixHash(h, id.value);
    for (const std::int64_t v : {a.inElements, a.outElements, a.groupSize, a.sequence})
      h = mixHash(h, static_cast<std::uint64_t>(v));
    return h;
  }
};

}  // namespace ridgeline
