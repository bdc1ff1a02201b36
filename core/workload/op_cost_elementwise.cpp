// Pointwise work: unary, binary, ternary, backward of activations (ANALYSIS 3.4). One operation
// an element by convention, whatever the function costs.

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

/// An operand's own type, seen by the result's rule.
DType resultType(const Call& call, std::span<const ArgShape* const> operands) {
  if (call.inPlace && !operands.empty()) return operands.front()->dtype;
  switch (call.rule.result) {
    case ResultType::Boolean:
      return DType::Bool;
    case ResultType::Index:
      return DType::Int64;
    case ResultType::OfFirst:
      for (const ArgShape* operand : operands)
        if (operand->isTensor()) return operand->dtype;
      return DType::Unknown;
    case ResultType::OfRest:
      return promoted(operands.subspan(std::min<std::size_t>(1, operands.size())));
    case ResultType::PromotedFloat: {
      const DType type = promoted(operands);
      return isWhole(type) || type == DType::Bool ? DType::Float32 : type;
    }
    case ResultType::Promoted:
    case ResultType::Accumulated:
      break;
  }
  return promoted(operands);
}

/// Operands that are the same memory twice (x·x) are recorded twice and read once, which the
/// record does not tell; they count twice.
std::string shapeOf(std::span<const ArgShape* const> operands) {
  std::string out;
  for (const ArgShape* operand : operands) {
    if (!operand->isTensor()) continue;
    if (!out.empty()) out += ", ";
    out += text(operand->dims);
  }
  return out;
}

constexpr Rule pointwise(std::string_view name, int span, double weight, ResultType result) {
  return {name, OpFamily::Elementwise, elementwise, span, weight, result};
}

using enum ResultType;

constexpr std::array kRules{
    pointwise("aten::abs", 1, 1, Promoted),
    pointwise("aten::absolute", 1, 1, Promoted),
    pointwise("aten::neg", 1, 1, Promoted),
    pointwise("aten::negative", 1, 1, Promoted),
    pointwise("aten::positive", 1, 1, Promoted),
    pointwise("aten::sign", 1, 1, Promoted),
    pointwise("aten::sgn", 1, 1, Promoted),
    pointwise("aten::ceil", 1, 1, Promoted),
    pointwise("aten::floor", 1, 1, Promoted),
    pointwise("aten::round", 1, 1, Promoted),
    pointwise("aten::trunc", 1, 1, Promoted),
    pointwise("aten::fix", 1, 1, Promoted),
    pointwise("aten::frac", 1, 1, Promoted),
    pointwise("aten::square", 1, 1, Promoted),
    pointwise("aten::relu", 1, 1, Promoted),
    pointwise("aten::relu6", 1, 1, Promoted),
    pointwise("aten::threshold", 1, 1, Promoted),
    pointwise("aten::bitwise_not", 1, 1, Promoted),
    pointwise("aten::nan_to_num", 1, 1, Promoted),
    pointwise("aten::hardtanh", 1, 1, Promoted),
    pointwise("aten::hardsigmoid", 1, 1, Promoted),
    pointwise("aten::hardswish", 1, 1, Promoted),
    pointwise("aten::hardshrink", 1, 1, Promoted),
    pointwise("aten::softshrink", 1, 1, Promoted),
    pointwise("aten::leaky_relu", 1, 1, Promoted),
    pointwise("aten::elu", 1, 1, Promoted),
    pointwise("aten::celu", 1, 1, Promoted),
    pointwise("aten::selu", 1, 1, Promoted),
    pointwise("aten::mish", 1, 1, Promoted),
    pointwise("aten::softplus", 1, 1, Promoted),
    pointwise("aten::gelu", 1, 1, Promoted),
    pointwise("aten::silu", 1, 1, Promoted),
    pointwise("aten::conj_physical", 1, 1, Promoted),
    pointwise("aten::_conj_physical", 1, 1, Promoted),
    pointwise("aten::clamp", 3, 1, Promoted),
    pointwise("aten::clamp_min", 2, 1, Promoted),
    pointwise("aten::clamp_max", 2, 1, Promoted),
    pointwise("aten::clip", 3, 1, Promoted),
    pointwise("aten::exp", 1, 1, PromotedFloat),
    pointwise("aten::exp2", 1, 1, PromotedFloat),
    pointwise("aten::expm1", 1, 1, PromotedFloat),
    pointwise("aten::log", 1, 1, PromotedFloat),
    pointwise("aten::log2", 1, 1, PromotedFloat),
    pointwise("aten::log10", 1, 1, PromotedFloat),
    pointwise("aten::log1p", 1, 1, PromotedFloat),
    pointwise("aten::sqrt", 1, 1, PromotedFloat),
    pointwise("aten::rsqrt", 1, 1, PromotedFloat),
    pointwise("aten::reciprocal", 1, 1, PromotedFloat),
    pointwise("aten::sin", 1, 1, PromotedFloat),
    pointwise("aten::cos", 1, 1, PromotedFloat),
    pointwise("aten::tan", 1, 1, PromotedFloat),
    pointwise("aten::asin", 1, 1, PromotedFloat),
    pointwise("aten::acos", 1, 1, PromotedFloat),
    pointwise("aten::atan", 1, 1, PromotedFloat),
    pointwise("aten::arcsin", 1, 1, PromotedFloat),
    pointwise("aten::arccos", 1, 1, PromotedFloat),
    pointwise("aten::arctan", 1, 1, PromotedFloat),
    pointwise("aten::sinh", 1, 1, PromotedFloat),
    pointwise("aten::cosh", 1, 1, PromotedFloat),
    pointwise("aten::tanh", 1, 1, PromotedFloat),
    pointwise("aten::asinh", 1, 1, PromotedFloat),
    pointwise("aten::acosh", 1, 1, PromotedFloat),
    pointwise("aten::atanh", 1, 1, PromotedFloat),
    pointwise("aten::arcsinh", 1, 1, PromotedFloat),
    pointwise("aten::arccosh", 1, 1, PromotedFloat),
    pointwise("aten::arctanh", 1, 1, PromotedFloat),
    pointwise("aten::sigmoid", 1, 1, PromotedFloat),
    pointwise("aten::logit", 1, 1, PromotedFloat),
    pointwise("aten::log_sigmoid", 1, 1, PromotedFloat),
    pointwise("aten::log_sigmoid_forward", 1, 1, PromotedFloat),
    pointwise("aten::erf", 1, 1, PromotedFloat),
    pointwise("aten::erfc", 1, 1, PromotedFloat),
    pointwise("aten::erfinv", 1, 1, PromotedFloat),
    pointwise("aten::lgamma", 1, 1, PromotedFloat),
    pointwise("aten::digamma", 1, 1, PromotedFloat),
    pointwise("aten::polygamma", 1, 1, PromotedFloat),
    pointwise("aten::i0", 1, 1, PromotedFloat),
    pointwise("aten::special_i0", 1, 1, PromotedFloat),
    pointwise("aten::special_i0e", 1, 1, PromotedFloat),
    pointwise("aten::special_i1", 1, 1, PromotedFloat),
    pointwise("aten::special_i1e", 1, 1, PromotedFloat),
    pointwise("aten::special_erfcx", 1, 1, PromotedFloat),
    pointwise("aten::special_entr", 1, 1, PromotedFloat),
    pointwise("aten::special_ndtri", 1, 1, PromotedFloat),
    pointwise("aten::special_log_ndtr", 1, 1, PromotedFloat),
    pointwise("aten::special_expit", 1, 1, PromotedFloat),
    pointwise("aten::sinc", 1, 1, PromotedFloat),
    pointwise("aten::special_sinc", 1, 1, PromotedFloat),
    pointwise("aten::deg2rad", 1, 1, PromotedFloat),
    pointwise("aten::rad2deg", 1, 1, PromotedFloat),
    pointwise("aten::angle", 1, 1, PromotedFloat),
    pointwise("aten::softsign", 1, 1, PromotedFloat),
    pointwise("aten::tanhshrink", 1, 1, PromotedFloat),
    pointwise("aten::isnan", 1, 1, Boolean),
    pointwise("aten::isinf", 1, 1, Boolean),
    pointwise("aten::isfinite", 1, 1, Boolean),
    pointwise("aten::isposinf", 1, 1, Boolean),
    pointwise("aten::isneginf", 1, 1, Boolean),
    pointwise("aten::logical_not", 1, 1, Boolean),
    pointwise("aten::signbit", 1, 1, Boolean),
    pointwise("aten::add", 2, 1, Promoted),
    pointwise("aten::sub", 2, 1, Promoted),
    pointwise("aten::subtract", 2, 1, Promoted),
    pointwise("aten::rsub", 2, 1, Promoted),
    pointwise("aten::mul", 2, 1, Promoted),
    pointwise("aten::multiply", 2, 1, Promoted),
    pointwise("aten::maximum", 2, 1, Promoted),
    pointwise("aten::minimum", 2, 1, Promoted),
    pointwise("aten::fmax", 2, 1, Promoted),
    pointwise("aten::fmin", 2, 1, Promoted),
    pointwise("aten::remainder", 2, 1, Promoted),
    pointwise("aten::fmod", 2, 1, Promoted),
    pointwise("aten::floor_divide", 2, 1, Promoted),
    pointwise("aten::bitwise_and", 2, 1, Promoted),
    pointwise("aten::bitwise_or", 2, 1, Promoted),
    pointwise("aten::bitwise_xor", 2, 1, Promoted),
    pointwise("aten::bitwise_left_shift", 2, 1, Promoted),
    pointwise("aten::bitwise_right_shift", 2, 1, Promoted),
    pointwise("aten::__and__", 2, 1, Promoted),
    pointwise("aten::__or__", 2, 1, Promoted),
    pointwise("aten::__xor__", 2, 1, Promoted),
    pointwise("aten::__lshift__", 2, 1, Promoted),
    pointwise("aten::__rshift__", 2, 1, Promoted),
    pointwise("aten::__iand__", 2, 1, Promoted),
    pointwise("aten::__ior__", 2, 1, Promoted),
    pointwise("aten::__ixor__", 2, 1, Promoted),
    pointwise("aten::copysign", 2, 1, Promoted),
    pointwise("aten::gcd", 2, 1, Promoted),
    pointwise("aten::lcm", 2, 1, Promoted),
    pointwise("aten::heaviside", 2, 1, Promoted),
    pointwise("aten::nextafter", 2, 1, Promoted),
    pointwise("aten::hypot", 2, 1, Promoted),
    pointwise("aten::pow", 2, 1, Promoted),
    pointwise("aten::float_power", 2, 1, Promoted),
    pointwise("aten::prelu", 2, 1, Promoted),
    pointwise("aten::_prelu_kernel", 2, 1, Promoted),
    pointwise("aten::special_zeta", 2, 1, Promoted),
    pointwise("aten::igamma", 2, 1, Promoted),
    pointwise("aten::igammac", 2, 1, Promoted),
    pointwise("aten::ldexp", 2, 1, Promoted),
    pointwise("aten::div", 2, 1, PromotedFloat),
    pointwise("aten::divide", 2, 1, PromotedFloat),
    pointwise("aten::true_divide", 2, 1, PromotedFloat),
    pointwise("aten::atan2", 2, 1, PromotedFloat),
    pointwise("aten::arctan2", 2, 1, PromotedFloat),
    pointwise("aten::logaddexp", 2, 1, PromotedFloat),
    pointwise("aten::logaddexp2", 2, 1, PromotedFloat),
    pointwise("aten::xlogy", 2, 1, PromotedFloat),
    pointwise("aten::special_xlogy", 2, 1, PromotedFloat),
    pointwise("aten::special_xlog1py", 2, 1, PromotedFloat),
    pointwise("aten::eq", 2, 1, Boolean),
    pointwise("aten::ne", 2, 1, Boolean),
    pointwise("aten::lt", 2, 1, Boolean),
    pointwise("aten::le", 2, 1, Boolean),
    pointwise("aten::gt", 2, 1, Boolean),
    pointwise("aten::ge", 2, 1, Boolean),
    pointwise("aten::not_equal", 2, 1, Boolean),
    pointwise("aten::less", 2, 1, Boolean),
    pointwise("aten::less_equal", 2, 1, Boolean),
    pointwise("aten::greater", 2, 1, Boolean),
    pointwise("aten::greater_equal", 2, 1, Boolean),
    pointwise("aten::logical_and", 2, 1, Boolean),
    pointwise("aten::logical_or", 2, 1, Boolean),
    pointwise("aten::logical_xor", 2, 1, Boolean),
    pointwise("aten::isclose", 2, 1, Boolean),
    pointwise("aten::addcmul", 3, 3, Promoted),
    pointwise("aten::addcdiv", 3, 3, Promoted),
    pointwise("aten::lerp", 3, 3, Promoted),
    pointwise("aten::where", 3, 1, OfRest),
    pointwise("aten::_s_where", 3, 1, OfRest),
    pointwise("aten::masked_fill", 2, 1, OfFirst),
    pointwise("aten::threshold_backward", 2, 1, OfFirst),
    pointwise("aten::gelu_backward", 2, 1, OfFirst),
    pointwise("aten::silu_backward", 2, 1, OfFirst),
    pointwise("aten::sigmoid_backward", 2, 1, OfFirst),
    pointwise("aten::tanh_backward", 2, 1, OfFirst),
    pointwise("aten::hardtanh_backward", 2, 1, OfFirst),
    pointwise("aten::hardswish_backward", 2, 1, OfFirst),
    pointwise("aten::hardsigmoid_backward", 2, 1, OfFirst),
    pointwise("aten::leaky_relu_backward", 2, 1, OfFirst),
    pointwise("aten::softplus_backward", 2, 1, OfFirst),
    pointwise("aten::hardshrink_backward", 2, 1, OfFirst),
    pointwise("aten::softshrink_backward", 2, 1, OfFirst),
    pointwise("aten::logit_backward", 2, 1, OfFirst),
    pointwise("aten::mish_backward", 2, 1, OfFirst),
    pointwise("aten::log_sigmoid_backward", 3, 1, OfFirst),
    pointwise("aten::elu_backward", 6, 1, OfFirst),
    pointwise("aten::_prelu_kernel_backward", 3, 2, OfFirst),
    pointwise("aten::_masked_scale", 2, 2, OfFirst),
    pointwise("aten::polar", 2, 2, Promoted),
    pointwise("aten::complex", 2, 2, Promoted),
};

}  // namespace

OpCost elementwise(const Call& call) {
  Estimate estimate(call);
  const std::size_t span = static_cast<std::size_t>(call.rule.span);
  std::vector<const ArgShape*> operands;
  std::size_t tensors = 0;
  std::size_t further = 0;
  for (std::size_t i = 0; i < call.shapes.args.size(); ++i) {
    const ArgShape& arg = call.arg(i);
    if (i < span) operands.push_back(&arg);
    if (arg.isTensor()) ++(i < span ? tensors : further);
  }
  if (call.name == "aten::where" && call.shapes.args.size() < 3)  // where(flags) = nonzero
    return estimate.missing("the number of elements that are not zero").unknown();
  // More tensors than operands and a result: TorchScript recorded its whole stack.
  if (further > 1 || tensors == 0) {
    return estimate
        .missing(tensors == 0 ? "the operands' sizes" : "which of the recorded inputs are its own")
        .unknown();
  }
  estimate.shape(shapeOf(operands));
  const std::optional<Dims> out = broadcast(operands);
  if (!out) return estimate.missing("sizes that broadcast").unknown();
  const double n = product(*out);
  for (const ArgShape* operand : operands) estimate.touch(*operand);
  const DType result = resultType(call, operands);
  estimate.touch(n, result);
  const DType type = promoted(operands);
  estimate.compute(call.rule.result == ResultType::PromotedFloat ? result : type);
  const double weight = call.rule.weight;
  return estimate.formula(weight == 1 ? "n (one operation an element)" : text(weight) + "·n")
      .done(weight * n);
}

std::optional<double> pointwiseWeight(std::string_view base) {
  static const auto* const kWeights = [] {
    auto* weights = new std::unordered_map<std::string_view, double>;
    for (const Rule& rule : kRules) weights->emplace(rule.name.substr(6), rule.weight);
    return weights;
  }();
  const auto it = kWeights->find(base);
  if (it == kWeights->end()) return std::nullopt;
  return it->second;
}

std::span<const Rule> elementwiseRules() {
  return kRules;
}

}  // namespace ridgeline::cost
