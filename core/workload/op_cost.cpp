#include "core/workload/op_cost.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <unordered_map>

#include "core/workload/op_cost_rules.h"

namespace ridgeline {

namespace {

using cost::Call;
using cost::Rule;

const std::unordered_map<std::string_view, const Rule*>& ruleTable() {
  static const auto* const kTable = [] {
    auto* table = new std::unordered_map<std::string_view, const Rule*>;
    for (const auto rules : {cost::matrixRules(), cost::convolutionRules(), cost::attentionRules(),
                             cost::normalizationRules(), cost::softmaxAndLossRules(),
                             cost::elementwiseRules(), cost::reductionRules(), cost::copyRules(),
                             cost::viewRules(), cost::indexingRules(), cost::poolingRules(),
                             cost::optimizerRules(), cost::collectiveRules(), cost::servingRules()})
      for (const Rule& rule : rules) table->emplace(rule.name, &rule);
    return table;
  }();
  return *kTable;
}

struct Found {
  const Rule* rule = nullptr;
  bool inPlace = false;
};

/// By exact name, without an overload (".out"), without the underscore of in-place variants, by
/// pattern.
Found findRule(std::string_view name) {
  const auto& table = ruleTable();
  const auto exact = [&](std::string_view key) -> const Rule* {
    const auto it = table.find(key);
    return it == table.end() ? nullptr : it->second;
  };
  if (const Rule* rule = exact(name)) return {rule, false};
  if (name.starts_with("aten::")) {
    if (const std::size_t dot = name.find('.'); dot != std::string_view::npos)
      name = name.substr(0, dot);
    if (const Rule* rule = exact(name)) return {rule, false};
    if (name.ends_with('_') && !name.ends_with("__"))
      if (const Rule* rule = exact(name.substr(0, name.size() - 1))) return {rule, true};
  }
  const Rule* rule = cost::patternRule(name);
  return {rule, rule != nullptr && name.ends_with('_')};
}

/// Sizes below 0 stand for ragged dims of nested tensors: not known.
bool anyNegative(const OpShapes& shapes) {
  const auto below = [](const std::vector<std::int64_t>& dims) {
    return std::any_of(dims.begin(), dims.end(), [](std::int64_t size) { return size < 0; });
  };
  return std::any_of(shapes.args.begin(), shapes.args.end(), [&](const ArgShape& arg) {
    return below(arg.dims) || std::any_of(arg.list.begin(), arg.list.end(), below);
  });
}

bool needsDims(OpFamily family) {
  return family != OpFamily::View && family != OpFamily::Transfer;
}

}  // namespace

std::string_view name(OpFamily family) {
  constexpr std::array<std::string_view, 23> kNames{"unknown",
                                                    "view",
                                                    "matrix product",
                                                    "convolution",
                                                    "attention",
                                                    "normalization",
                                                    "softmax",
                                                    "loss",
                                                    "elementwise",
                                                    "reduction",
                                                    "scan or sort",
                                                    "copy",
                                                    "random numbers",
                                                    "dropout",
                                                    "pooling",
                                                    "resampling",
                                                    "Fourier transform",
                                                    "embedding",
                                                    "indexing",
                                                    "optimizer",
                                                    "collective",
                                                    "transfer",
                                                    ""};
  const auto index = static_cast<std::size_t>(family);
  return index < kNames.size() ? kNames[index] : kNames[0];
}

OpFamily familyOf(std::string_view opName) {
  const Found found = findRule(opName);
  return found.rule ? found.rule->family : OpFamily::Unknown;
}

OpCost costOf(std::string_view opName, const OpShapes& shapes, const CostContext& context) {
  const Found found = findRule(opName);
  OpCost cost;
  if (!found.rule) {
    cost.missing.push_back("no formula for " + std::string(opName));
    return cost;
  }
  if (!shapes.hasDims && needsDims(found.rule->family)) {
    cost.family = found.rule->family;
    cost.missing.emplace_back("Input Dims (record_shapes=True)");
    return cost;
  }
  if (anyNegative(shapes)) {
    cost.family = found.rule->family;
    cost.missing.emplace_back("the sizes of ragged dims (recorded below 0)");
    return cost;
  }
  const Call call{opName, *found.rule, shapes, context, found.inPlace};
  return found.rule->cost(call);
}

}  // namespace ridgeline
