// Normalizations (ANALYSIS 3.4). n = elements, c = elements that share one weight's place
// (channels, or the normalized dims), r = rows that share one mean.

#include <array>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

constexpr OpFamily kFamily = OpFamily::Normalization;
constexpr double kStatistic = 4;  ///< mean, variance and their like are kept in fp32
constexpr int kNone = -1;

enum class Statistics : std::uint8_t {
  PerRow,      ///< layer norm: mean and rstd of each row
  PerChannel,  ///< batch norm
  PerGroup,    ///< group and instance norm: rows from the group count
  RootMean,    ///< rms norm: rstd alone
};

/// Where an operator has its arguments; kNone = it has no such argument.
struct Layout {
  std::string_view name;
  Statistics statistics;
  int x = 0;
  int weight = kNone, bias = kNone;
  int shape = kNone;     ///< the normalized dims, as a list
  int training = kNone;  ///< a flag; without one the op computes its statistics
  int groups = kNone;    ///< the number of groups
  int gradient = kNone;  ///< of a backward
  int mask = kNone;      ///< of a backward: which gradients are asked for
};

using enum Statistics;

constexpr std::array kLayouts{
    Layout{"aten::layer_norm", PerRow, 0, 2, 3, 1},
    Layout{"aten::native_layer_norm", PerRow, 0, 2, 3, 1},
    Layout{"aten::batch_norm", PerChannel, 0, 1, 2, kNone, 5},
    Layout{"aten::_batch_norm_impl_index", PerChannel, 0, 1, 2, kNone, 5},
    Layout{"aten::native_batch_norm", PerChannel, 0, 1, 2, kNone, 5},
    Layout{"aten::_native_batch_norm_legit", PerChannel, 0, 1, 2, kNone, 5},
    Layout{"aten::_native_batch_norm_legit_functional", PerChannel, 0, 1, 2, kNone, 5},
    Layout{"aten::_batch_norm_with_update", PerChannel, 0, 1, 2},
    Layout{"aten::cudnn_batch_norm", PerChannel, 0, 1, 2, kNone, 5},
    Layout{"aten::miopen_batch_norm", PerChannel, 0, 1, 2, kNone, 5},
    Layout{"aten::instance_norm", PerGroup, 0, 1, 2},
    Layout{"aten::group_norm", PerGroup, 0, 2, 3, kNone, kNone, 1},
    Layout{"aten::native_group_norm", PerGroup, 0, 1, 2, kNone, kNone, 6},
    Layout{"aten::rms_norm", RootMean, 0, 2, kNone, 1},
    Layout{"aten::_fused_rms_norm", RootMean, 0, 2, kNone, 1},

    Layout{"aten::native_layer_norm_backward", PerRow, 1, 5, 6, 2, kNone, kNone, 0, 7},
    Layout{"aten::native_batch_norm_backward", PerChannel, 1, 2, kNone, kNone, 7, kNone, 0, 9},
    Layout{"aten::batch_norm_backward", PerChannel, 1, 2, kNone, kNone, 7, kNone, 0, 9},
    // (x, dy, weight, …): the vendors' order.
    Layout{"aten::cudnn_batch_norm_backward", PerChannel, 0, 2, kNone, kNone, kNone, kNone, 1},
    Layout{"aten::miopen_batch_norm_backward", PerChannel, 0, 2, kNone, kNone, kNone, kNone, 1},
    Layout{"aten::native_group_norm_backward", PerGroup, 1, 4, kNone, kNone, kNone, 8, 0, 9},
    Layout{"aten::_fused_rms_norm_backward", RootMean, 1, 4, kNone, 2, kNone, kNone, 0, 5},
};

const Layout& layoutOf(const Rule& rule) {
  for (const Layout& layout : kLayouts)
    if (layout.name == rule.name) return layout;
  return kLayouts[0];
}

const ArgShape& argAt(const Call& call, int index) {
  static const ArgShape kMissing;
  return index < 0 ? kMissing : call.arg(static_cast<std::size_t>(index));
}

/// Elements that have a weight of their own.
std::optional<double> weightsOf(const Call& call, const Layout& layout, const ArgShape& x) {
  if (layout.statistics == PerChannel || layout.statistics == PerGroup)
    return x.dims.size() >= 2 ? std::optional(toDouble(x.dims[1])) : std::nullopt;
  if (const ArgShape& weight = argAt(call, layout.weight); weight.isTensor())
    return weight.elements();
  if (const auto dims = concreteIntegers(argAt(call, layout.shape).concrete)) return product(*dims);
  return std::nullopt;
}

/// Bytes of the statistics that are kept for the backward, or read by it.
std::optional<double> statisticsBytes(const Call& call, const Layout& layout, double n, double c,
                                      const ArgShape& x) {
  switch (layout.statistics) {
    case PerRow:
      return c > 0 ? 2 * (n / c) * kStatistic : 0;
    case RootMean:
      return c > 0 ? (n / c) * kStatistic : 0;
    case PerChannel:
      return 4 * c * kStatistic;
    case PerGroup: {
      const auto groups = spatial(argAt(call, layout.groups), 1);
      const double perSample = groups ? toDouble(groups->front()) : c;
      return 2 * toDouble(x.dims[0]) * perSample * kStatistic;
    }
  }
  return std::nullopt;
}

/// The memory of weight and bias, in their own type (often fp32 beside narrow activations).
void touchParameters(Estimate& estimate, const Call& call, const Layout& layout) {
  estimate.touch(argAt(call, layout.weight)).touch(argAt(call, layout.bias));
}

/// TraceLens: (2 + affine + bias + 2·training)·c elements beside x and y.
double traceLensExtra(const Call& call, const Layout& layout, bool training) {
  return 2.0 + (argAt(call, layout.weight).isTensor() ? 1 : 0) +
         (argAt(call, layout.bias).isTensor() ? 1 : 0) + (training ? 2 : 0);
}

OpCost forwardNorm(const Call& call, const Layout& layout) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(static_cast<std::size_t>(layout.x), "the input");
  if (!x) return estimate.unknown();
  const double n = x->elements();
  const std::optional<double> c = weightsOf(call, layout, *x);
  estimate.compute(x->dtype);
  estimate.shape(text(x->dims) + (c ? " over " + text(*c) : ""));
  if (!c) return estimate.missingConcrete("normalized_shape").unknown();
  const std::optional<bool> recorded = concreteBool(argAt(call, layout.training).concrete);
  if (layout.training != kNone && !recorded) estimate.missingConcrete("training").upperBound();
  const bool training = recorded.value_or(true);
  estimate.touch(*x).touch(n, x->dtype);
  if (call.context.norm == NormCount::TraceLens && layout.statistics != RootMean) {
    estimate.touch(traceLensExtra(call, layout, training) * *c, x->dtype);
    return estimate.formula("5·n + 6·c (TraceLens)").done(5 * n + 6 * *c);
  }
  touchParameters(estimate, call, layout);
  if (const auto bytes = statisticsBytes(call, layout, n, *c, *x)) estimate.bytes(*bytes);
  if (layout.statistics == RootMean) return estimate.formula("4·n").done(4 * n);
  if (layout.statistics == PerGroup) return estimate.formula("5·n").done(5 * n);
  if (!training) return estimate.formula("3·n, statistics given").done(3 * n);
  return estimate.formula("5·n + 6·c").done(5 * n + 6 * *c);
}

OpCost backwardNorm(const Call& call, const Layout& layout) {
  Estimate estimate(call);
  const ArgShape* grad = estimate.tensor(static_cast<std::size_t>(layout.gradient), "the gradient");
  const ArgShape* x = estimate.tensor(static_cast<std::size_t>(layout.x), "the input");
  if (!grad || !x) return estimate.unknown();
  const double n = x->elements();
  const std::optional<double> c = weightsOf(call, layout, *x);
  estimate.compute(x->dtype);
  estimate.shape(text(x->dims) + (c ? " over " + text(*c) : ""));
  estimate.formula("9·n").touch(*grad).touch(*x).touch(n, x->dtype);
  if (!c) {
    estimate.missingConcrete("normalized_shape");
    return estimate.done(9 * n);
  }
  if (call.context.norm == NormCount::TraceLens) {
    estimate.touch(4 * *c, x->dtype);
    return estimate.done(9 * n);
  }
  // Read: weight, statistics. Written: the gradients of weight and bias, where asked for.
  const ArgShape& weight = argAt(call, layout.weight);
  estimate.touch(weight);
  if (weight.isTensor()) {
    const auto wanted = concreteBools(argAt(call, layout.mask).concrete);
    const bool both = !wanted || wanted->size() < 3;
    const double gradients = layout.statistics == RootMean ? 1
                             : both                        ? 2
                                    : ((*wanted)[1] ? 1.0 : 0.0) + ((*wanted)[2] ? 1.0 : 0.0);
    estimate.touch(weight, gradients);
  }
  if (const auto bytes = statisticsBytes(call, layout, n, *c, *x))
    estimate.bytes(layout.statistics == PerChannel ? *bytes / 2 : *bytes);
  return estimate.done(9 * n);
}

OpCost normalization(const Call& call) {
  const Layout& layout = layoutOf(call.rule);
  return layout.gradient == kNone ? forwardNorm(call, layout) : backwardNorm(call, layout);
}

/// (result, x, weight, …) or (x, weight, …) of serving libraries: 4·n.
OpCost rmsAt(const Call& call, std::size_t index, std::size_t weight) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(index, "the input");
  if (!x) return estimate.unknown();
  const double n = x->elements();
  estimate.compute(x->dtype).shape(text(x->dims)).formula("4·n");
  estimate.touch(*x).touch(n, index > 0 ? call.arg(0).dtype : x->dtype).touch(call.arg(weight));
  return estimate.done(4 * n);
}

OpCost rmsInto(const Call& call) {
  return rmsAt(call, 1, 2);
}
OpCost rms(const Call& call) {
  return rmsAt(call, 0, 1);
}

/// (x, residual, weight, …), both in place: the sum goes to the residual, its norm to x.
OpCost addRms(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the input");
  const ArgShape* residual = estimate.tensor(1, "the residual");
  if (!x || !residual) return estimate.unknown();
  estimate.compute(x->dtype).shape(text(x->dims)).formula("5·n");
  estimate.touch(*x, 2).touch(*residual, 2).touch(call.arg(2));
  return estimate.done(5 * x->elements());
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> kRules = [] {
    std::vector<Rule> out;
    for (const Layout& layout : kLayouts) out.push_back({layout.name, kFamily, normalization});
    for (const std::string_view name :
         {"_C::rms_norm", "sgl_kernel::rmsnorm", "sgl_kernel::gemma_rmsnorm"})
      out.push_back({name, kFamily, rmsInto});
    for (const std::string_view name :
         {"aiter::rmsnorm2d_fwd", "aiter::rms_norm", "fb::rms_norm", "vllm::rocm_aiter_rms_norm"})
      out.push_back({name, kFamily, rms});
    for (const std::string_view name : {"_C::fused_add_rms_norm", "sgl_kernel::fused_add_rmsnorm",
                                        "sgl_kernel::gemma_fused_add_rmsnorm"})
      out.push_back({name, kFamily, addRms});
    return out;
  }();
  return kRules;
}

}  // namespace

std::span<const Rule> normalizationRules() {
  return rules();
}

}  // namespace ridgeline::cost
