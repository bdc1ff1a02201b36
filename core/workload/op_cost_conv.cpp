// Convolutions (ANALYSIS 3.2).

#include <array>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

constexpr OpFamily kFamily = OpFamily::Convolution;
constexpr int kNone = -1;

/// Where an operator has its arguments; kNone = it has no such argument.
struct Layout {
  std::string_view name;
  int x = 0, weight = 1, bias = kNone;
  int stride = kNone, padding = kNone, dilation = kNone, groups = kNone;
  int transposed = kNone;  ///< the index of the flag
  int outputPadding = kNone;
  bool alwaysTransposed = false;
};

constexpr std::array kLayouts{
    Layout{"aten::convolution", 0, 1, 2, 3, 4, 5, 8, 6, 7},
    Layout{"aten::_convolution", 0, 1, 2, 3, 4, 5, 8, 6, 7},
    Layout{"aten::convolution_overrideable", 0, 1, 2, 3, 4, 5, 8, 6, 7},
    Layout{"aten::conv1d", 0, 1, 2, 3, 4, 5, 6},
    Layout{"aten::conv2d", 0, 1, 2, 3, 4, 5, 6},
    Layout{"aten::conv3d", 0, 1, 2, 3, 4, 5, 6},
    Layout{"aten::conv_transpose1d", 0, 1, 2, 3, 4, 7, 6, kNone, 5, true},
    Layout{"aten::conv_transpose2d", 0, 1, 2, 3, 4, 7, 6, kNone, 5, true},
    Layout{"aten::conv_transpose3d", 0, 1, 2, 3, 4, 7, 6, kNone, 5, true},
    Layout{"aten::cudnn_convolution", 0, 1, kNone, 3, 2, 4, 5},
    Layout{"aten::cudnn_convolution_transpose", 0, 1, kNone, 4, 2, 5, 6, kNone, 3, true},
    Layout{"aten::cudnn_convolution_relu", 0, 1, 2, 3, 4, 5, 6},
    Layout{"aten::cudnn_convolution_add_relu", 0, 1, 4, 5, 6, 7, 8},
    Layout{"aten::miopen_convolution", 0, 1, 2, 4, 3, 5, 6},
    Layout{"aten::miopen_depthwise_convolution", 0, 1, 2, 4, 3, 5, 6},
    Layout{"aten::miopen_convolution_relu", 0, 1, 2, 3, 4, 5, 6},
    Layout{"aten::miopen_convolution_add_relu", 0, 1, 4, 5, 6, 7, 8},
    Layout{"aten::miopen_convolution_transpose", 0, 1, 2, 5, 3, 6, 7, kNone, 4, true},
    Layout{"aten::mkldnn_convolution", 0, 1, 2, 4, 3, 5, 6},
    Layout{"aten::thnn_conv2d", 0, 1, 3, 4, 5},
    Layout{"aten::_slow_conv2d_forward", 0, 1, 3, 4, 5},
    Layout{"aten::slow_conv3d_forward", 0, 1, 3, 4, 5},
    Layout{"aten::slow_conv3d", 0, 1, 3, 4, 5},
    Layout{"aten::slow_conv_dilated2d", 0, 1, 3, 4, 5, 6},
    Layout{"aten::slow_conv_dilated3d", 0, 1, 3, 4, 5, 6},
    Layout{"aten::_conv_depthwise2d", 0, 1, 3, 4, 5, 6},
    Layout{"aten::conv_depthwise3d", 0, 1, 3, 4, 5, 6},
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

/// Per spatial dim.
struct Geometry {
  Dims stride, padding, dilation, outputPadding;
  bool same = false;  ///< padding = "same": the result has the input's size
};

std::optional<Geometry> geometryOf(const Call& call, const Layout& layout, std::size_t spatialDims,
                                   Estimate& estimate) {
  Geometry geometry;
  const auto read = [&](int index, std::int64_t otherwise, Dims& into, std::string_view what) {
    if (index == kNone) {
      into.assign(spatialDims, otherwise);
      return true;
    }
    const std::optional<Dims> values = spatial(argAt(call, index), spatialDims);
    if (values) into = *values;
    if (!values) estimate.missingConcrete(what);
    return values.has_value();
  };
  const std::string& padding = argAt(call, layout.padding).concrete;
  geometry.same = padding == "same";
  bool ok = read(layout.stride, 1, geometry.stride, "stride");
  const bool named = padding == "same" || padding == "valid";
  ok = read(named ? kNone : layout.padding, 0, geometry.padding, "padding") && ok;
  ok = read(layout.dilation, 1, geometry.dilation, "dilation") && ok;
  geometry.outputPadding.assign(spatialDims, 0);
  if (const auto values = spatial(argAt(call, layout.outputPadding), spatialDims))
    geometry.outputPadding = *values;
  if (!ok) return std::nullopt;
  return geometry;
}

std::int64_t forwardSize(std::int64_t in, std::int64_t kernel, std::size_t i, const Geometry& g) {
  if (g.same) return g.stride[i] > 0 ? (in + g.stride[i] - 1) / g.stride[i] : 0;
  if (g.stride[i] <= 0) return 0;
  const std::int64_t room = in + 2 * g.padding[i] - g.dilation[i] * (kernel - 1) - 1;
  return room < 0 ? 0 : room / g.stride[i] + 1;
}

std::int64_t transposedSize(std::int64_t in, std::int64_t kernel, std::size_t i,
                            const Geometry& g) {
  return (in - 1) * g.stride[i] - 2 * g.padding[i] + g.dilation[i] * (kernel - 1) +
         g.outputPadding[i] + 1;
}

std::string tail(const Geometry& geometry, bool transposed) {
  const auto brief = [](const Dims& values) {
    bool all = true;
    for (const std::int64_t value : values) all = all && value == values.front();
    return all && !values.empty() ? std::to_string(values.front()) : text(values);
  };
  std::string out = ", stride " + brief(geometry.stride);
  if (geometry.same) out += ", padding same";
  if (!geometry.same) out += ", padding " + brief(geometry.padding);
  if (brief(geometry.dilation) != "1") out += ", dilation " + brief(geometry.dilation);
  return transposed ? out + ", transposed" : out;
}

struct Operands {
  const ArgShape* x = nullptr;
  const ArgShape* weight = nullptr;
};

std::optional<Operands> operandsOf(Estimate& estimate, std::size_t x, std::size_t weight) {
  Operands operands{estimate.tensor(x, "the input"), estimate.tensor(weight, "the weight")};
  if (!operands.x || !operands.weight) return std::nullopt;
  const std::size_t rank = operands.weight->dims.size();
  // An input without a batch dim is one rank lower.
  if (rank < 3 || (operands.x->dims.size() != rank && operands.x->dims.size() + 1 != rank)) {
    estimate.missing("sizes of a convolution");
    return std::nullopt;
  }
  return operands;
}

/// The output's size from the recorded geometry, else as the caller inferred it.
std::optional<Dims> outputOf(Estimate& estimate, const Call& call, const Layout& layout,
                             const Operands& operands, bool transposed) {
  const Dims& x = operands.x->dims;
  const Dims& w = operands.weight->dims;
  const std::size_t spatialDims = w.size() - 2;
  const std::size_t lead = x.size() - spatialDims;  // 2, or 1 without a batch
  Estimate probe(call);
  const std::optional<Geometry> geometry = geometryOf(call, layout, spatialDims, probe);
  if (geometry) {
    Dims out(x.begin(), x.end());
    out[lead - 1] = w[0];
    if (transposed) {  // w is (Cin, Cout/groups, k…)
      const std::optional<Dims> groups = spatial(argAt(call, layout.groups), 1);
      if (!groups) return std::nullopt;
      out[lead - 1] = w[1] * groups->front();
    }
    for (std::size_t i = 0; i < spatialDims; ++i)
      out[lead + i] = transposed ? transposedSize(x[lead + i], w[2 + i], i, *geometry)
                                 : forwardSize(x[lead + i], w[2 + i], i, *geometry);
    estimate.shape(text(x) + " * " + text(w) + tail(*geometry, transposed));
    return out;
  }
  estimate.shape(text(x) + " * " + text(w));
  const auto& inferred = call.context.inferredOutput;
  const bool plausible = inferred && inferred->size() == x.size() &&
                         (*inferred)[lead - 1] == (transposed ? w[1] : w[0]) &&
                         (lead == 1 || inferred->front() == x.front());
  if (plausible) {
    estimate.inferred();
    return inferred;
  }
  return std::nullopt;
}

OpCost forward(const Call& call) {
  Estimate estimate(call);
  Layout layout = layoutOf(call.rule);
  // Versions of 2019/20 have a bias before the padding of cudnn_convolution.
  if (layout.name == "aten::cudnn_convolution" && call.arg(2).isTensor())
    layout = {layout.name, 0, 1, 2, 4, 3, 5, 6};
  const std::optional<Operands> operands = operandsOf(estimate, static_cast<std::size_t>(layout.x),
                                                      static_cast<std::size_t>(layout.weight));
  if (!operands) return estimate.unknown();
  const ArgShape& x = *operands->x;
  const ArgShape& w = *operands->weight;
  const bool transposed = layout.alwaysTransposed ||
                          concreteBool(argAt(call, layout.transposed).concrete).value_or(false);
  estimate.compute(promoted(x.dtype, w.dtype)).matrix();
  const double perPoint = 2 * product(std::span(w.dims).subspan(1));
  const std::optional<Dims> out = outputOf(estimate, call, layout, *operands, transposed);
  if (!out) {
    if (layout.stride != kNone) estimate.missingConcrete("stride, padding, dilation, groups");
    return estimate.unknown();
  }
  const double outputs = product(*out);
  const ArgShape& bias = argAt(call, layout.bias);
  double flops = perPoint * (transposed ? x.elements() : outputs);
  if (bias.isTensor()) flops += outputs;
  estimate.touch(x).touch(w).touch(outputs, x.dtype);
  if (bias.isTensor()) estimate.touch(bias);
  if (layout.name.find("_add_relu") != std::string_view::npos) estimate.touch(call.arg(2));
  estimate.formula(transposed ? "2·Π(weight[1:])·|x| (+ |out| with a bias)"
                              : "2·Π(weight[1:])·|out| (+ |out| with a bias)");
  return estimate.done(flops);
}

/// Which gradients a backward computes.
struct Wanted {
  bool input = true, weight = true, bias = false;
};

std::optional<Wanted> wantedOf(const ArgShape& mask) {
  const auto flags = concreteBools(mask.concrete);
  if (!flags || flags->size() < 2) return std::nullopt;
  return Wanted{(*flags)[0], (*flags)[1], flags->size() > 2 && (*flags)[2]};
}

/// Both or either of the two gradients, each as much work as the forward.
OpCost backward(const Call& call, std::size_t gradIndex, std::size_t xIndex, std::size_t mask,
                int transposedIndex) {
  Estimate estimate(call);
  const ArgShape* grad = estimate.tensor(gradIndex, "the gradient");
  const std::optional<Operands> operands = operandsOf(estimate, xIndex, 2);
  if (!grad || !operands) return estimate.unknown();
  const ArgShape& x = *operands->x;
  const ArgShape& w = *operands->weight;
  const bool transposed = concreteBool(argAt(call, transposedIndex).concrete).value_or(false) ||
                          call.rule.name.find("transpose") != std::string_view::npos;
  estimate.compute(promoted(grad->dtype, w.dtype)).matrix();
  estimate.shape(text(x.dims) + " * " + text(w.dims) + " ← " + text(grad->dims));
  const std::optional<Wanted> recorded = wantedOf(call.arg(mask));
  if (!recorded) estimate.missingConcrete("output_mask").upperBound();
  const Wanted wanted = recorded.value_or(Wanted{});
  const double once =
      2 * product(std::span(w.dims).subspan(1)) * (transposed ? x.elements() : grad->elements());
  double flops = 0;
  if (wanted.input) {
    flops += once;
    estimate.touch(*grad).touch(w).touch(x.elements(), x.dtype);
  }
  if (wanted.weight) {
    flops += once;
    estimate.touch(*grad).touch(x).touch(w.elements(), w.dtype);
  }
  if (wanted.bias) {
    flops += grad->elements();
    const std::size_t channel = grad->dims.size() - (w.dims.size() - 2) - 1;
    estimate.touch(*grad).touch(toDouble(grad->dims[channel]), grad->dtype);
  }
  return estimate.formula("forward's work for each gradient asked for (+ |dy| for the bias)")
      .done(flops);
}

OpCost convolutionBackward(const Call& call) {
  return backward(call, 0, 1, 10, 7);
}
/// cudnn_convolution_backward(x, dy, weight, padding, stride, dilation, groups, …, mask).
OpCost vendorBackward(const Call& call) {
  const std::size_t last = call.shapes.args.empty() ? 0 : call.shapes.args.size() - 1;
  return backward(call, 1, 0, last, kNone);
}
OpCost nativeBackward(const Call& call) {
  const std::size_t last = call.shapes.args.empty() ? 0 : call.shapes.args.size() - 1;
  return backward(call, 0, 1, last, kNone);
}

/// A tensor of the op that called this one, if that is a backward with (x, dy, weight) or
/// (dy, x, weight).
const ArgShape* ofParent(const Call& call, std::size_t vendorIndex, std::size_t atenIndex) {
  const OpShapes* parent = call.context.parentShapes;
  if (!parent) return nullptr;
  const std::string_view name = call.context.parentName;
  std::size_t index = vendorIndex;
  if (name == "aten::convolution_backward") {
    index = atenIndex;
  } else if (!name.ends_with("convolution_backward")) {
    return nullptr;
  }
  const ArgShape& arg = parent->arg(index);
  return arg.isTensor() && arg.dims.size() >= 3 ? &arg : nullptr;
}

/// A size that the record holds only as a value ("input_size", "weight_size").
std::optional<Dims> sizeOf(Estimate& estimate, const ArgShape& recorded,
                           const std::optional<Dims>& fromCaller, const ArgShape* parent) {
  if (auto values = concreteIntegers(recorded.concrete); values && values->size() >= 3)
    return values;
  if (fromCaller) {
    estimate.inferred();
    return fromCaller;
  }
  if (!parent) return std::nullopt;
  estimate.inferred();
  return parent->dims;
}

/// (input_size, dy, weight, …): the gradient of the input.
OpCost inputGradient(const Call& call) {
  Estimate estimate(call);
  const ArgShape* grad = estimate.tensor(1, "the gradient");
  const ArgShape* w = estimate.tensor(2, "the weight");
  if (!grad || !w) return estimate.unknown();
  estimate.compute(promoted(grad->dtype, w->dtype)).matrix();
  estimate.shape("dx of " + text(w->dims) + " ← " + text(grad->dims));
  const std::optional<Dims> x =
      sizeOf(estimate, call.arg(0), call.context.inferredOutput, ofParent(call, 0, 1));
  const double flops = 2 * product(std::span(w->dims).subspan(1)) * grad->elements();
  estimate.touch(*grad).touch(*w).formula("2·Π(weight[1:])·|dy|");
  if (x) {
    estimate.touch(product(*x), grad->dtype);
  } else {
    estimate.missingConcrete("input_size").noBytes();
  }
  return estimate.done(flops);
}

/// (weight_size, dy, x, …): the gradient of the weight.
OpCost weightGradient(const Call& call) {
  Estimate estimate(call);
  const ArgShape* grad = estimate.tensor(1, "the gradient");
  const ArgShape* x = estimate.tensor(2, "the input");
  if (!grad || !x) return estimate.unknown();
  estimate.compute(promoted(grad->dtype, x->dtype)).matrix();
  const std::optional<Dims> w =
      sizeOf(estimate, call.arg(0), call.context.inferredWeight, ofParent(call, 2, 2));
  if (!w) {
    estimate.shape("dw of " + text(x->dims) + " ← " + text(grad->dims));
    return estimate.missingConcrete("weight_size").unknown();
  }
  estimate.shape("dw " + text(*w) + " of " + text(x->dims) + " ← " + text(grad->dims));
  estimate.touch(*grad).touch(*x).touch(product(*w), grad->dtype);
  return estimate.formula("2·Π(weight[1:])·|dy|")
      .done(2 * product(std::span(*w).subspan(1)) * grad->elements());
}

OpCost biasGradient(const Call& call) {
  Estimate estimate(call);
  const ArgShape* grad = estimate.tensor(0, "the gradient");
  if (!grad) return estimate.unknown();
  if (grad->dims.size() < 2) return estimate.missing("sizes of a convolution").unknown();
  estimate.compute(grad->dtype).shape(text(grad->dims));
  estimate.touch(*grad).touch(toDouble(grad->dims[1]), grad->dtype);
  return estimate.formula("|dy|").done(grad->elements());
}

constexpr Rule rule(std::string_view name, OpCost (*cost)(const Call&)) {
  return {name, kFamily, cost};
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> kRules = [] {
    std::vector<Rule> out;
    for (const Layout& layout : kLayouts) out.push_back(rule(layout.name, forward));
    for (const Rule& backwardRule : {
             rule("aten::convolution_backward", convolutionBackward),
             rule("aten::convolution_backward_overrideable", convolutionBackward),
             rule("aten::cudnn_convolution_backward", vendorBackward),
             rule("aten::cudnn_convolution_transpose_backward", vendorBackward),
             rule("aten::miopen_convolution_backward", vendorBackward),
             rule("aten::miopen_depthwise_convolution_backward", vendorBackward),
             rule("aten::mkldnn_convolution_backward", vendorBackward),
             rule("aten::thnn_conv2d_backward", nativeBackward),
             rule("aten::_slow_conv2d_backward", nativeBackward),
             rule("aten::cudnn_convolution_backward_input", inputGradient),
             rule("aten::miopen_convolution_backward_input", inputGradient),
             rule("aten::miopen_depthwise_convolution_backward_input", inputGradient),
             rule("aten::mkldnn_convolution_backward_input", inputGradient),
             rule("aten::cudnn_convolution_backward_weight", weightGradient),
             rule("aten::miopen_convolution_backward_weight", weightGradient),
             rule("aten::miopen_depthwise_convolution_backward_weight", weightGradient),
             rule("aten::mkldnn_convolution_backward_weights", weightGradient),
             rule("aten::cudnn_convolution_backward_bias", biasGradient),
             rule("aten::miopen_convolution_backward_bias", biasGradient),
         })
      out.push_back(backwardRule);
    return out;
  }();
  return kRules;
}

}  // namespace

std::span<const Rule> convolutionRules() {
  return rules();
}

}  // namespace ridgeline::cost
