// Softmax and losses (ANALYSIS 3.4).

#include <array>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

/// (x, dim, half_to_float) of the kernels, (x, dim, dtype) of their callers.
OpCost softmax(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the input");
  if (!x) return estimate.unknown();
  const std::string& third = call.arg(2).concrete;
  DType result = x->dtype;
  const std::optional<bool> toFloat = concreteBool(third);
  const bool isKernel = call.name.find("::_") != std::string_view::npos;
  if (isKernel && toFloat.value_or(false)) result = DType::Float32;
  if (!isKernel && dtypeFromCode(third) != DType::Unknown) result = dtypeFromCode(third);
  const std::string& dim = call.arg(1).concrete;
  estimate.compute(x->dtype).shape(text(x->dims) + (dim.empty() ? "" : " along " + dim));
  estimate.touch(*x).touch(x->elements(), result);
  return estimate.formula("3·n (max, exp, sum and divide)").done(3 * x->elements());
}

/// (dy, y, dim, type of x).
OpCost softmaxBackward(const Call& call) {
  Estimate estimate(call);
  const ArgShape* grad = estimate.tensor(0, "the gradient");
  const ArgShape* y = estimate.tensor(1, "the result");
  if (!grad || !y) return estimate.unknown();
  const DType input = dtypeFromCode(call.arg(3).concrete);
  estimate.compute(y->dtype).shape(text(y->dims)).touch(*grad).touch(*y);
  estimate.touch(y->elements(), input == DType::Unknown ? y->dtype : input);
  return estimate.formula("4·n").done(4 * y->elements());
}

/// log_softmax and nll_loss in one.
OpCost crossEntropy(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the scores");
  const ArgShape* target = estimate.tensor(1, "the targets");
  if (!x || !target) return estimate.unknown();
  estimate.compute(x->dtype).shape(text(x->dims)).touch(*x).touch(*target);
  const double rows =
      target->dims == x->dims && x->dims.size() > 1 ? toDouble(x->dims[0]) : target->elements();
  estimate.bytes(4 * rows);
  return estimate.formula("5·rows·classes").done(5 * x->elements());
}

/// Reads one score per row.
OpCost nllForward(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the scores");
  const ArgShape* target = estimate.tensor(1, "the targets");
  if (!x || !target) return estimate.unknown();
  const double rows = target->elements();
  const bool perRow = call.arg(3).concrete == "0";
  estimate.compute(x->dtype).shape(text(x->dims));
  estimate.touch(rows, x->dtype).touch(*target).touch(call.arg(2));
  estimate.touch(perRow ? rows : 2, x->dtype);  // otherwise the loss and the total weight
  return estimate.formula("rows").done(rows);
}

/// (dy, x, target, …): writes the gradient of x, most of it zeros.
OpCost nllBackward(const Call& call) {
  Estimate estimate(call);
  const ArgShape* grad = estimate.tensor(0, "the gradient");
  const ArgShape* x = estimate.tensor(1, "the scores");
  const ArgShape* target = estimate.tensor(2, "the targets");
  if (!grad || !x || !target) return estimate.unknown();
  estimate.compute(x->dtype).shape(text(x->dims));
  estimate.touch(*grad).touch(*target).touch(x->elements(), x->dtype);
  return estimate.formula("rows, gradient written").done(target->elements());
}

/// (x, target, …, reduction): `weight` operations an element; the result is one number unless the
/// reduction is 0 (none).
OpCost pairLoss(const Call& call, std::size_t reductionIndex) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the prediction");
  const ArgShape* target = estimate.tensor(1, "the target");
  if (!x || !target) return estimate.unknown();
  estimate.compute(x->dtype).shape(text(x->dims)).touch(*x).touch(*target);
  const double n = x->elements();
  estimate.touch(call.arg(reductionIndex).concrete == "0" ? n : 1, x->dtype);
  return estimate.formula(text(call.rule.weight) + "·n").done(call.rule.weight * n);
}

OpCost loss(const Call& call) {
  return pairLoss(call, 2);
}
OpCost weightedLoss(const Call& call) {
  const bool logits = call.name.find("logits") != std::string_view::npos;
  return pairLoss(call, logits ? 4 : 3);
}

/// (dy, x, target, …).
OpCost lossBackward(const Call& call) {
  Estimate estimate(call);
  const ArgShape* grad = estimate.tensor(0, "the gradient");
  const ArgShape* x = estimate.tensor(1, "the prediction");
  const ArgShape* target = estimate.tensor(2, "the target");
  if (!grad || !x || !target) return estimate.unknown();
  const double n = x->elements();
  estimate.compute(x->dtype).shape(text(x->dims));
  estimate.touch(*grad).touch(*x).touch(*target).touch(n, x->dtype);
  return estimate.formula(text(call.rule.weight) + "·n").done(call.rule.weight * n);
}

constexpr OpFamily kSoftmax = OpFamily::Softmax;
constexpr OpFamily kLoss = OpFamily::Loss;

constexpr std::array kRules{
    Rule{"aten::softmax", kSoftmax, softmax},
    Rule{"aten::_softmax", kSoftmax, softmax},
    Rule{"aten::_safe_softmax", kSoftmax, softmax},
    Rule{"aten::log_softmax", kSoftmax, softmax},
    Rule{"aten::_log_softmax", kSoftmax, softmax},
    Rule{"aten::_softmax_backward_data", kSoftmax, softmaxBackward},
    Rule{"aten::_log_softmax_backward_data", kSoftmax, softmaxBackward},
    Rule{"aten::cross_entropy_loss", kLoss, crossEntropy},
    Rule{"aten::nll_loss", kLoss, nllForward},
    Rule{"aten::nll_loss_nd", kLoss, nllForward},
    Rule{"aten::nll_loss_forward", kLoss, nllForward},
    Rule{"aten::nll_loss2d_forward", kLoss, nllForward},
    Rule{"aten::nll_loss_backward", kLoss, nllBackward},
    Rule{"aten::nll_loss2d_backward", kLoss, nllBackward},
    Rule{"aten::mse_loss", kLoss, loss, 2, 3},
    Rule{"aten::l1_loss", kLoss, loss, 2, 3},
    Rule{"aten::smooth_l1_loss", kLoss, loss, 2, 4},
    Rule{"aten::huber_loss", kLoss, loss, 2, 4},
    Rule{"aten::kl_div", kLoss, loss, 2, 3},
    Rule{"aten::soft_margin_loss", kLoss, loss, 2, 4},
    Rule{"aten::binary_cross_entropy", kLoss, weightedLoss, 2, 6},
    Rule{"aten::binary_cross_entropy_with_logits", kLoss, weightedLoss, 2, 7},
    Rule{"aten::mse_loss_backward", kLoss, lossBackward, 3, 3},
    Rule{"aten::l1_loss_backward", kLoss, lossBackward, 3, 3},
    Rule{"aten::smooth_l1_loss_backward", kLoss, lossBackward, 3, 4},
    Rule{"aten::huber_loss_backward", kLoss, lossBackward, 3, 4},
    Rule{"aten::soft_margin_loss_backward", kLoss, lossBackward, 3, 4},
    Rule{"aten::binary_cross_entropy_backward", kLoss, lossBackward, 3, 4},
};

}  // namespace

std::span<const Rule> softmaxAndLossRules() {
  return kRules;
}

}  // namespace ridgeline::cost
