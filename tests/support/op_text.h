#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

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

inline constexpr double kMiB = 1024.0 * 1024.0;
inline constexpr double kUnknown = -1;

inline double flops(const OpCost& cost) {
  return cost.flops.value_or(kUnknown);
}
inline double bytes(const OpCost& cost) {
  return cost.bytes.value_or(kUnknown);
}
/// TraceLens prints nine digits.
inline bool agrees(double ours, double printed) {
  return std::abs(ours - printed) <= 1e-8 * printed;
}
inline std::string all(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += text + "; ";
  return out;
}

/// `["type", "type", …]`, `count` times.
inline std::string types(std::string_view type, int count) {
  std::string out = "[";
  for (int i = 0; i < count; ++i) out += (i ? ", \"" : "\"") + std::string(type) + "\"";
  return out + "]";
}

}  // namespace ridgeline::test
