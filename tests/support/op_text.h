#pragma once

#include <string>
#include <string_view>

#include "core/workload/op_cost.h"

namespace ridgeline::test {

/// The cost of an op whose record is given as the profiler writes it; dims that are no JSON make
/// the op one without a record.
inline OpCost costOfText(std::string_view op, std::string_view dims, std::string_view types,
                         std::string_view concrete = {}, const CostContext& context = {},
                         std::string_view strides = {}) {
  const auto shapes = parseOpShapes(dims, types, concrete, strides);
  return costOf(op, shapes ? *shapes : OpShapes{}, context);
}

/// `["type", "type", …]`, `count` times.
inline std::string types(std::string_view type, int count) {
  std::string out = "[";
  for (int i = 0; i < count; ++i) out += (i ? ", \"" : "\"") + std::string(type) + "\"";
  return out + "]";
}

}  // namespace ridgeline::test
