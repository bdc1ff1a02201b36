// Fused ops of serving libraries (vLLM, SGLang, FBGEMM) and Inductor's Triton ops (ANALYSIS 3.4,
// 3.5).

#include <algorithm>
#include <array>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

/// The two largest tensors among the arguments; silu_and_mul's input is twice its result.
struct Halves {
  const ArgShape* whole = nullptr;
  const ArgShape* half = nullptr;
};

Halves halvesOf(const Call& call) {
  Halves halves;
  for (const ArgShape& arg : call.shapes.args) {
    if (!arg.isTensor() || arg.dims.empty()) continue;
    if (!halves.whole || arg.elements() > halves.whole->elements()) halves.whole = &arg;
  }
  if (!halves.whole) return halves;
  for (const ArgShape& arg : call.shapes.args)
    if (arg.isTensor() && 2 * arg.elements() == halves.whole->elements()) halves.half = &arg;
  return halves;
}

/// act(x[:half]) · x[half:]: the result is half of the input, recorded beside it or not.
OpCost gatedActivation(const Call& call) {
  Estimate estimate(call);
  const Halves halves = halvesOf(call);
  if (!halves.whole) return estimate.missing("the size of the input").unknown();
  const double out = halves.whole->elements() / 2;
  const DType type = halves.half ? halves.half->dtype : halves.whole->dtype;
  estimate.compute(halves.whole->dtype).shape(text(halves.whole->dims));
  estimate.touch(*halves.whole).touch(out, type);
  return estimate.formula("5·|out|").done(5 * out);
}

/// Rotary embedding in place: every tensor of floating type that is no table, plus its rows of the
/// table. (positions, q, k, head size, table, …) of vLLM.
OpCost rotary(const Call& call) {
  Estimate estimate(call);
  const ArgShape* positions = estimate.tensor(0, "the positions");
  const ArgShape* q = estimate.tensor(1, "the queries");
  if (!positions || !q) return estimate.unknown();
  const ArgShape& k = call.arg(2);
  const ArgShape& table = call.arg(4);
  const double n = q->elements() + k.elements();
  estimate.compute(q->dtype).shape(text(q->dims) + (k.isTensor() ? ", " + text(k.dims) : ""));
  estimate.touch(*q, 2).touch(k, 2).touch(*positions);
  if (table.isTensor() && table.dims.size() == 2)
    estimate.touch(positions->elements() * toDouble(table.dims[1]), table.dtype);
  return estimate.formula("3·n").done(3 * n);
}

bool isNarrow(DType type) {
  return type == DType::Float8E4M3 || type == DType::Float8E5M2 || type == DType::Int8 ||
         type == DType::Float4x2;
}

/// To fp8 or int8: the wide tensor is read, the narrow one written.
OpCost quantize(const Call& call) {
  Estimate estimate(call);
  const ArgShape* narrow = nullptr;
  const ArgShape* wide = nullptr;
  for (const ArgShape& arg : call.shapes.args) {
    if (!arg.isTensor()) continue;
    const ArgShape*& slot = isNarrow(arg.dtype) ? narrow : wide;
    if (!slot || arg.elements() > slot->elements()) slot = &arg;
  }
  if (!wide) return estimate.missing("the size of the input").unknown();
  const double n = wide->elements();
  estimate.compute(wide->dtype).shape(text(wide->dims)).touch(*wide);
  if (narrow) {
    estimate.touch(*narrow);
  } else {
    estimate.bytes(n);
  }
  return estimate.formula("2·n (largest value, scale)").done(2 * n);
}

/// (key, value, key cache, value cache, slots, …): keys and values are copied into the cache.
OpCost storeInCache(const Call& call) {
  Estimate estimate(call);
  const ArgShape* key = estimate.tensor(0, "the keys");
  const ArgShape* value = estimate.tensor(1, "the values");
  const ArgShape* cache = estimate.tensor(2, "the cache");
  if (!key || !value || !cache) return estimate.unknown();
  estimate.compute(key->dtype).shape(text(key->dims)).touch(*key).touch(*value);
  estimate.touch(key->elements() + value->elements(), cache->dtype).touch(call.arg(4));
  return estimate.formula("0; read once, written once").done(0.0);
}

/// Rows of C fp32 values to C bytes and a scale (8 bytes a row), and back.
OpCost rowwiseFp8(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the input");
  if (!x || x->dims.empty()) return estimate.unknown();
  const bool back = call.name.ends_with("ToFloat");
  const double width = toDouble(x->dims.back());
  const double rows = width > 0 ? x->elements() / width : 0;
  estimate.compute(back ? DType::Float32 : x->dtype).shape(text(x->dims)).touch(*x);
  if (back) {
    const double values = std::max(0.0, rows * (width - 8));
    estimate.touch(values, DType::Float32);
    return estimate.formula("n").done(values);
  }
  estimate.bytes(rows * (width + 8));
  return estimate.formula("2·n (largest value, scale)").done(2 * x->elements());
}

/// Values one to one between fp32 and one byte.
OpCost hybridFp8(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the input");
  if (!x) return estimate.unknown();
  const double n = x->elements();
  estimate.compute(DType::Float32).shape(text(x->dims)).touch(*x);
  if (call.name.ends_with("ToFloat")) {
    estimate.touch(n, DType::Float32);
  } else {
    estimate.bytes(n);
  }
  return estimate.formula("n").done(n);
}

/// permute_pooled_embs(x, …): columns in another order.
OpCost permuted(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the input");
  if (!x) return estimate.unknown();
  estimate.compute(x->dtype).shape(text(x->dims)).touch(*x, 2);
  return estimate.formula("0; read once, written once").done(0.0);
}

/// An Inductor kernel: every tensor argument once; what it computes stands in its source alone.
OpCost triton(const Call& call) {
  Estimate estimate(call);
  std::string shape;
  DType type = DType::Unknown;
  double largest = -1;
  bool any = false;
  for (const ArgShape& arg : call.shapes.args) {
    if (!arg.isTensor()) continue;
    any = true;
    estimate.touch(arg);
    if (arg.elements() > largest) {
      largest = arg.elements();
      type = arg.dtype;
      shape = text(arg.dims);
    }
  }
  if (!any) return estimate.missing("the sizes of its tensors").unknown();
  estimate.compute(type).shape(shape).formula("bytes: each tensor argument once");
  return estimate.missing("the fused arithmetic (only in the kernel's source)").done(std::nullopt);
}

constexpr Rule pointwise(std::string_view name, OpCost (*cost)(const Call&)) {
  return {name, OpFamily::Elementwise, cost};
}

constexpr std::array kRules{
    pointwise("_C::silu_and_mul", gatedActivation),
    pointwise("_C::gelu_and_mul", gatedActivation),
    pointwise("_C::gelu_tanh_and_mul", gatedActivation),
    pointwise("sgl_kernel::silu_and_mul", gatedActivation),
    pointwise("sgl_kernel::gelu_and_mul", gatedActivation),
    pointwise("sgl_kernel::gelu_tanh_and_mul", gatedActivation),
    pointwise("aiter::silu_and_mul", gatedActivation),
    pointwise("aiter::gelu_and_mul", gatedActivation),
    pointwise("_C::rotary_embedding", rotary),
    pointwise("_C::static_scaled_fp8_quant", quantize),
    pointwise("_C::dynamic_scaled_fp8_quant", quantize),
    pointwise("_C::dynamic_per_token_scaled_fp8_quant", quantize),
    pointwise("_C::static_scaled_int8_quant", quantize),
    pointwise("_C::dynamic_scaled_int8_quant", quantize),
    pointwise("sgl_kernel::sgl_per_tensor_quant_fp8", quantize),
    pointwise("sgl_kernel::sgl_per_token_quant_fp8", quantize),
    pointwise("sgl_kernel::sgl_per_token_group_quant_fp8", quantize),
    pointwise("sgl_kernel::sgl_per_token_group_quant_8bit", quantize),
    Rule{"_C_cache_ops::reshape_and_cache_flash", OpFamily::Copy, storeInCache},
    Rule{"_C_cache_ops::reshape_and_cache", OpFamily::Copy, storeInCache},
    pointwise("fbgemm::FloatToFP8RowwiseQuantized", rowwiseFp8),
    pointwise("fbgemm::FP8RowwiseQuantizedToFloat", rowwiseFp8),
    pointwise("fbgemm::FloatToHFP8Quantized", hybridFp8),
    pointwise("fbgemm::HFP8QuantizedToFloat", hybridFp8),
    Rule{"fbgemm::permute_pooled_embs", OpFamily::Copy, permuted},
    Rule{"fbgemm::permute_pooled_embs_auto_grad", OpFamily::Copy, permuted},
};

constexpr Rule kTritonPointwise{"triton_poi", OpFamily::Elementwise, triton};
constexpr Rule kTritonReduction{"triton_red", OpFamily::Reduction, triton};
constexpr Rule kTritonProduct{"triton_tem", OpFamily::MatrixProduct, triton};

}  // namespace

std::span<const Rule> servingRules() {
  return kRules;
}

const Rule* tritonRule(std::string_view name) {
  if (!name.starts_with("triton_")) return nullptr;
  if (name.starts_with("triton_red") || name.starts_with("triton_per")) return &kTritonReduction;
  return name.starts_with("triton_tem") ? &kTritonProduct : &kTritonPointwise;
}

}  // namespace ridgeline::cost
