// Pooling and resampling (ANALYSIS 3.4).

#include <algorithm>
#include <array>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

constexpr OpFamily kPooling = OpFamily::Pooling;
constexpr OpFamily kResampling = OpFamily::Resampling;

/// How many trailing dims an op works on, from its name: "…2d".
std::size_t spatialDims(std::string_view name) {
  for (const char digit : {'1', '2', '3'})
    if (name.find(std::string(1, digit) + "d") != std::string_view::npos)
      return static_cast<std::size_t>(digit - '0');
  return 2;
}

struct Window {
  Dims kernel, stride, padding, dilation;
  bool ceiling = false;
};

/// max_pool: (x, kernel, stride, padding, dilation, ceil); avg_pool has no dilation.
std::optional<Window> windowOf(const Call& call, std::size_t count, std::size_t first) {
  const bool average = call.name.find("avg_pool") != std::string_view::npos;
  const std::optional<Dims> kernel = spatial(call.arg(first), count);
  if (!kernel) return std::nullopt;
  Window window;
  window.kernel = *kernel;
  window.stride = spatial(call.arg(first + 1), count).value_or(*kernel);  // [] = the kernel
  window.padding = spatial(call.arg(first + 2), count).value_or(Dims(count, 0));
  window.dilation =
      average ? Dims(count, 1) : spatial(call.arg(first + 3), count).value_or(Dims(count, 1));
  window.ceiling = concreteBool(call.arg(first + (average ? 3 : 4)).concrete).value_or(false);
  return window;
}

std::int64_t pooledSize(std::int64_t in, const Window& window, std::size_t i) {
  const std::int64_t stride = window.stride[i];
  if (stride <= 0) return 0;
  const std::int64_t room =
      in + 2 * window.padding[i] - window.dilation[i] * (window.kernel[i] - 1) - 1;
  if (room < 0) return 0;
  std::int64_t out = (window.ceiling ? (room + stride - 1) / stride : room / stride) + 1;
  // The last window of a rounded-up size must start inside the input or its left padding.
  if (window.ceiling && (out - 1) * stride >= in + window.padding[i]) --out;
  return out;
}

OpCost pool(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the input");
  if (!x) return estimate.unknown();
  const std::size_t count = spatialDims(call.name);
  if (x->dims.size() < count + 1) return estimate.missing("sizes of a pooling").unknown();
  estimate.compute(x->dtype).shape(text(x->dims));
  const std::optional<Window> window = windowOf(call, count, 1);
  if (!window) return estimate.missingConcrete("kernel_size, stride, padding").unknown();
  Dims out = x->dims;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t& size = out[out.size() - count + i];
    size = pooledSize(size, *window, i);
  }
  const double outputs = product(out);
  estimate.shape(text(x->dims) + " window " + text(window->kernel) + " stride " +
                 text(window->stride));
  estimate.touch(*x).touch(outputs, x->dtype);
  if (call.name.find("with_indices") != std::string_view::npos)
    estimate.touch(outputs, DType::Int64);
  return estimate.formula("|out|·Πk").done(outputs * product(window->kernel));
}

/// adaptive_avg_pool(x, output_size): every input once.
OpCost adaptivePool(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the input");
  if (!x) return estimate.unknown();
  const std::size_t count = spatialDims(call.name);
  if (x->dims.size() < count + 1) return estimate.missing("sizes of a pooling").unknown();
  estimate.compute(x->dtype).shape(text(x->dims)).touch(*x);
  if (const std::optional<Dims> size = spatial(call.arg(1), count)) {
    Dims out = x->dims;
    std::copy(size->begin(), size->end(), out.end() - static_cast<std::ptrdiff_t>(count));
    estimate.shape(text(x->dims) + " → " + text(out)).touch(product(out), x->dtype);
    if (call.name.find("max_pool") != std::string_view::npos)
      estimate.touch(product(out), DType::Int64);
  } else {
    estimate.missingConcrete("output_size (left out of the bytes)");
  }
  return estimate.formula("|x|").done(x->elements());
}

/// (dy, x, …): dx is written; max pooling reads its indices, average pooling spreads each
/// gradient over its window.
OpCost poolBackward(const Call& call) {
  Estimate estimate(call);
  const ArgShape* grad = estimate.tensor(0, "the gradient");
  const ArgShape* x = estimate.tensor(1, "the input");
  if (!grad || !x) return estimate.unknown();
  estimate.compute(grad->dtype).shape(text(x->dims) + " ← " + text(grad->dims));
  estimate.touch(*grad).touch(x->elements(), x->dtype);
  if (call.name.find("adaptive_avg") != std::string_view::npos)
    return estimate.formula("|x|").done(x->elements());
  if (call.name.find("avg_pool") != std::string_view::npos) {
    const std::optional<Dims> kernel = spatial(call.arg(2), spatialDims(call.name));
    if (kernel) return estimate.formula("|dy|·Πk").done(grad->elements() * product(*kernel));
    estimate.missingConcrete("kernel_size");
    return estimate.done(std::nullopt);
  }
  estimate.touch(grad->elements(), DType::Int64);
  return estimate.formula("|dy|").done(grad->elements());
}

/// Nominal operations per result of an interpolation.
OpCost upsample(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the input");
  if (!x) return estimate.unknown();
  const std::size_t count = spatialDims(call.name);
  if (x->dims.size() < count + 1) return estimate.missing("sizes of an image").unknown();
  estimate.compute(x->dtype).shape(text(x->dims));
  const std::optional<Dims> size = spatial(call.arg(1), count);
  if (!size) return estimate.missingConcrete("output_size").unknown();
  Dims out = x->dims;
  std::copy(size->begin(), size->end(), out.end() - static_cast<std::ptrdiff_t>(count));
  estimate.shape(text(x->dims) + " → " + text(out)).touch(*x).touch(product(out), x->dtype);
  return estimate.formula(text(call.rule.weight) + "·|out|").done(call.rule.weight * product(out));
}

/// (dy, output_size, input_size, …).
OpCost upsampleBackward(const Call& call) {
  Estimate estimate(call);
  const ArgShape* grad = estimate.tensor(0, "the gradient");
  if (!grad) return estimate.unknown();
  estimate.compute(grad->dtype).shape("← " + text(grad->dims)).touch(*grad);
  const std::optional<Dims> input = concreteIntegers(call.arg(2).concrete);
  if (input && input->size() == grad->dims.size()) {
    estimate.shape(text(*input) + " ← " + text(grad->dims)).touch(product(*input), grad->dtype);
  } else {
    estimate.missingConcrete("input_size").noBytes();
  }
  return estimate.formula(text(call.rule.weight) + "·|dy|")
      .done(call.rule.weight * grad->elements());
}

constexpr Rule pools(std::string_view name) {
  return {name, kPooling, pool};
}
constexpr Rule adaptive(std::string_view name) {
  return {name, kPooling, adaptivePool};
}
constexpr Rule back(std::string_view name) {
  return {name, kPooling, poolBackward};
}
constexpr Rule up(std::string_view name, double weight) {
  return {name, kResampling, upsample, 1, weight};
}
constexpr Rule down(std::string_view name, double weight) {
  return {name, kResampling, upsampleBackward, 1, weight};
}

constexpr std::array kRules{
    pools("aten::max_pool1d"),
    pools("aten::max_pool2d"),
    pools("aten::max_pool3d"),
    pools("aten::max_pool1d_with_indices"),
    pools("aten::max_pool2d_with_indices"),
    pools("aten::max_pool3d_with_indices"),
    pools("aten::avg_pool1d"),
    pools("aten::avg_pool2d"),
    pools("aten::avg_pool3d"),
    adaptive("aten::adaptive_avg_pool1d"),
    adaptive("aten::adaptive_avg_pool2d"),
    adaptive("aten::adaptive_avg_pool3d"),
    adaptive("aten::_adaptive_avg_pool2d"),
    adaptive("aten::_adaptive_avg_pool3d"),
    adaptive("aten::adaptive_max_pool1d"),
    adaptive("aten::adaptive_max_pool2d"),
    adaptive("aten::adaptive_max_pool3d"),
    back("aten::max_pool2d_with_indices_backward"),
    back("aten::max_pool3d_with_indices_backward"),
    back("aten::adaptive_max_pool2d_backward"),
    back("aten::adaptive_max_pool3d_backward"),
    back("aten::avg_pool2d_backward"),
    back("aten::avg_pool3d_backward"),
    back("aten::_adaptive_avg_pool2d_backward"),
    back("aten::_adaptive_avg_pool3d_backward"),
    up("aten::upsample_nearest1d", 1),
    up("aten::upsample_nearest2d", 1),
    up("aten::upsample_nearest3d", 1),
    up("aten::_upsample_nearest_exact1d", 1),
    up("aten::_upsample_nearest_exact2d", 1),
    up("aten::_upsample_nearest_exact3d", 1),
    up("aten::upsample_linear1d", 3),
    up("aten::upsample_bilinear2d", 7),
    up("aten::_upsample_bilinear2d_aa", 7),
    up("aten::upsample_trilinear3d", 15),
    up("aten::upsample_bicubic2d", 31),
    down("aten::upsample_nearest1d_backward", 1),
    down("aten::upsample_nearest2d_backward", 1),
    down("aten::upsample_nearest3d_backward", 1),
    down("aten::upsample_linear1d_backward", 3),
    down("aten::upsample_bilinear2d_backward", 7),
    down("aten::upsample_trilinear3d_backward", 15),
    down("aten::upsample_bicubic2d_backward", 31),
};

}  // namespace

std::span<const Rule> poolingRules() {
  return kRules;
}

}  // namespace ridgeline::cost
