// Fused optimizers and the _foreach_ ops they are otherwise made of (ANALYSIS 3.5). The element
// type of a list is not recorded: a kernel's name may tell it.

#include <array>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

constexpr OpFamily kOptimizer = OpFamily::Optimizer;

bool sizesRecorded(Estimate& estimate, const ArgShape& list) {
  if (list.isList() && !list.list.empty()) return true;
  estimate.missing("the sizes in the tensor lists (recorded since PyTorch 2.1, up to 30 tensors)");
  return false;
}

/// Lists of parameters, gradients, then states. `weight` operations an element; each list is read,
/// all but the gradients are written.
OpCost fused(const Call& call) {
  Estimate estimate(call);
  const ArgShape& parameters = call.arg(0);
  if (!sizesRecorded(estimate, parameters)) return estimate.unknown();
  const double n = parameters.elements();
  double words = 3;  // parameter read and written, gradient read
  double flops = call.rule.weight;
  for (std::size_t i = 2; i < 2 + static_cast<std::size_t>(call.rule.span); ++i) {
    if (!call.arg(i).isList() || call.arg(i).elements() < n) continue;
    words += 2;
    // SGD with momentum, Adam with amsgrad: an optional state costs operations of its own.
    if (call.name.find("sgd") != std::string_view::npos) flops += 2;
    if (i == 4) flops += 1;
  }
  const DType type = call.arg(0).dtype;
  estimate.compute(type).shape(text(parameters)).touch(words * n, type);
  return estimate.formula(text(flops) + "·n, " + text(words) + " words of memory").done(flops * n);
}

/// _amp_foreach_non_finite_check_and_unscale_(gradients, …): 2 words an element.
OpCost unscale(const Call& call) {
  Estimate estimate(call);
  const ArgShape& list = call.arg(0);
  if (!sizesRecorded(estimate, list)) return estimate.unknown();
  estimate.compute(list.dtype).shape(text(list)).touch(2 * list.elements(), list.dtype);
  return estimate.formula("2·n").done(2 * list.elements());
}

std::string_view foreachBase(std::string_view name) {
  constexpr std::string_view kPrefix = "aten::_foreach_";
  std::string_view base = name.substr(kPrefix.size());
  if (const std::size_t dot = base.find('.'); dot != std::string_view::npos)
    base = base.substr(0, dot);
  if (base.ends_with('_')) base.remove_suffix(1);
  return base;
}

/// Each list read once; the result, or the first list in place, written once.
OpCost foreach (const Call& call) {
  Estimate estimate(call);
  const ArgShape& first = call.arg(0);
  if (!sizesRecorded(estimate, first)) return estimate.unknown();
  const std::string_view base = foreachBase(call.name);
  const double n = first.elements();
  estimate.compute(first.dtype).shape(text(first));
  double lists = 0;
  for (const ArgShape& arg : call.shapes.args)
    if (arg.isList() && arg.elements() >= n) ++lists;
  double flops = pointwiseWeight(base).value_or(0);
  double words = lists + 1;
  if (base == "zero") words = 1;
  if (base == "copy") words = 2;
  if (base == "norm" || base == "max") {
    words = 1;
    flops = 1;
    estimate.touch(toDouble(std::ssize(first.list)), first.dtype);
  }
  estimate.touch(words * n, first.dtype);
  return estimate.formula(text(flops) + "·n, " + text(words) + " words of memory").done(flops * n);
}

constexpr Rule kForeach{"aten::_foreach_", kOptimizer, foreach};

constexpr std::array kRules{
    Rule{"aten::_fused_adam", kOptimizer, fused, 3, 13},
    Rule{"aten::_fused_adamw", kOptimizer, fused, 3, 14},
    Rule{"aten::_fused_sgd", kOptimizer, fused, 1, 2},
    Rule{"aten::_fused_adagrad", kOptimizer, fused, 1, 6},
    Rule{"aten::_amp_foreach_non_finite_check_and_unscale", kOptimizer, unscale},
};

}  // namespace

std::span<const Rule> optimizerRules() {
  return kRules;
}

const Rule* foreachRule(std::string_view name) {
  if (!name.starts_with("aten::_foreach_")) return nullptr;
  const std::string_view base = foreachBase(name);
  const bool known =
      pointwiseWeight(base) || base == "zero" || base == "copy" || base == "norm" || base == "max";
  return known ? &kForeach : nullptr;
}

}  // namespace ridgeline::cost
