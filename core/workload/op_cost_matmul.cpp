// Matrix products (ANALYSIS 3.1).

#include <algorithm>
#include <array>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

constexpr OpFamily kFamily = OpFamily::MatrixProduct;

/// Sizes of B products (M, K) · (K, N).
struct Product {
  double batch = 1, m = 1, n = 1, k = 1;
  DType result = DType::Unknown;
  [[nodiscard]] double flops() const { return 2 * batch * m * n * k; }
  [[nodiscard]] double outputs() const { return batch * m * n; }
};

std::int64_t fromEnd(const ArgShape& arg, std::size_t back) {
  return arg.dims[arg.dims.size() - back];
}

/// What the arithmetic is done on: of mixed operands the wider one (the lower peak).
DType computeTypeOf(const ArgShape& a, const ArgShape& b) {
  if (a.dtype == DType::Unknown || b.dtype == DType::Unknown) return DType::Unknown;
  if (byteSize(a.dtype) != byteSize(b.dtype))
    return byteSize(a.dtype) > byteSize(b.dtype) ? a.dtype : b.dtype;
  return a.dtype == b.dtype ? a.dtype : promoted(a.dtype, b.dtype);
}

/// Fills in what all products share: operands once, the result once.
void describe(Estimate& estimate, const ArgShape& a, const ArgShape& b, const Product& product) {
  const DType type = computeTypeOf(a, b);
  estimate.shape(text(a.dims) + " · " + text(b.dims));
  estimate.compute(type);
  if (product.m > 1 && product.n > 1 && product.k > 1) estimate.matrix();
  estimate.touch(a).touch(b);
  estimate.touch(product.outputs(), product.result == DType::Unknown ? type : product.result);
}

bool rankIs(Estimate& estimate, const ArgShape* a, std::size_t rank, std::string_view which) {
  if (!a) return false;
  if (a->dims.size() == rank) return true;
  estimate.missing("a size of rank " + std::to_string(rank) + " for " + std::string(which));
  return false;
}

/// Sizes that cannot be multiplied are a damaged record, not a cost.
bool fits(Estimate& estimate, std::int64_t left, std::int64_t right) {
  if (left == right) return true;
  estimate.missing("sizes that fit each other (" + std::to_string(left) + " and " +
                   std::to_string(right) + " were recorded)");
  return false;
}

/// The bias of addmm and its like: read and added once, unless beta is 0.
double addBias(Estimate& estimate, const Call& call, const ArgShape& bias, std::size_t betaIndex,
               const Product& product) {
  const std::string& beta = call.arg(betaIndex).concrete;
  if (!bias.isTensor() || (!call.arg(betaIndex).isTensor() && (beta == "0" || beta == "0.")))
    return 0;
  estimate.touch(bias);
  return product.outputs();
}

OpCost matrixByMatrix(const Call& call, std::size_t first, bool hasBias, DType result) {
  Estimate estimate(call);
  const ArgShape* a = estimate.tensor(first, "the first matrix");
  const ArgShape* b = estimate.tensor(first + 1, "the second matrix");
  if (!rankIs(estimate, a, 2, "the first matrix") || !rankIs(estimate, b, 2, "the second matrix"))
    return estimate.unknown();
  if (!fits(estimate, a->dims[1], b->dims[0])) return estimate.unknown();
  const Product product{1, toDouble(a->dims[0]), toDouble(b->dims[1]), toDouble(a->dims[1]),
                        result};
  describe(estimate, *a, *b, product);
  double flops = product.flops();
  if (hasBias) flops += addBias(estimate, call, call.arg(0), 3, product);
  estimate.formula(hasBias ? "2·M·N·K + M·N" : "2·M·N·K");
  return estimate.done(flops);
}

OpCost mm(const Call& call) {
  return matrixByMatrix(call, 0, false, DType::Unknown);
}
OpCost intMm(const Call& call) {
  return matrixByMatrix(call, 0, false, DType::Int32);
}
OpCost addmm(const Call& call) {
  return matrixByMatrix(call, 1, true, DType::Unknown);
}

OpCost batched(const Call& call, std::size_t first, bool hasBias, bool summed) {
  Estimate estimate(call);
  const ArgShape* a = estimate.tensor(first, "the first batch of matrices");
  const ArgShape* b = estimate.tensor(first + 1, "the second batch of matrices");
  if (!rankIs(estimate, a, 3, "the first batch") || !rankIs(estimate, b, 3, "the second batch"))
    return estimate.unknown();
  if (!fits(estimate, a->dims[2], b->dims[1]) || !fits(estimate, a->dims[0], b->dims[0]))
    return estimate.unknown();
  Product product{toDouble(a->dims[0]), toDouble(a->dims[1]), toDouble(b->dims[2]),
                  toDouble(a->dims[2]), DType::Unknown};
  double flops = product.flops();
  if (summed) product.batch = 1;
  describe(estimate, *a, *b, product);
  if (hasBias) flops += addBias(estimate, call, call.arg(0), 3, product);
  estimate.formula(hasBias ? "2·B·M·N·K + the bias" : "2·B·M·N·K");
  return estimate.done(flops);
}

OpCost bmm(const Call& call) {
  return batched(call, 0, false, false);
}
OpCost baddbmm(const Call& call) {
  return batched(call, 1, true, false);
}
OpCost addbmm(const Call& call) {
  return batched(call, 1, true, true);
}

/// x (…, K) · W (N, K) transposed + bias.
OpCost linearAt(const Call& call, std::size_t x, std::size_t w, std::optional<std::size_t> bias) {
  Estimate estimate(call);
  const ArgShape* a = estimate.tensor(x, "the input");
  const ArgShape* b = estimate.tensor(w, "the weight");
  if (!a || !rankIs(estimate, b, 2, "the weight")) return estimate.unknown();
  if (a->dims.empty()) return estimate.missing("a size with features").unknown();
  if (!fits(estimate, a->dims.back(), b->dims[1])) return estimate.unknown();
  const double k = toDouble(b->dims[1]);
  const Product product{1, k > 0 ? a->elements() / k : 0, toDouble(b->dims[0]), k, DType::Unknown};
  describe(estimate, *a, *b, product);
  double flops = product.flops();
  if (bias && call.arg(*bias).isTensor()) {
    estimate.touch(call.arg(*bias));
    flops += product.outputs();
  }
  return estimate.formula("2·M·N·K (+ M·N with a bias)").done(flops);
}

OpCost linear(const Call& call) {
  return linearAt(call, 0, 1, 2);
}

/// The result's leading dims of two batches, broadcast.
std::optional<double> batchOf(const ArgShape& a, const ArgShape& b) {
  ArgShape left = a;
  ArgShape right = b;
  left.dims.resize(a.dims.size() - 2);
  right.dims.resize(b.dims.size() - 2);
  const std::array<const ArgShape*, 2> operands{&left, &right};
  const std::optional<Dims> dims = broadcast(operands);
  if (!dims) return std::nullopt;
  return product(*dims);
}

OpCost matmul(const Call& call) {
  Estimate estimate(call);
  const ArgShape* first = estimate.tensor(0, "the first operand");
  const ArgShape* second = estimate.tensor(1, "the second operand");
  if (!first || !second) return estimate.unknown();
  if (first->dims.empty() || second->dims.empty())
    return estimate.missing("operands of rank 1 or more").unknown();
  // A vector counts as a matrix of one row (left) or one column (right).
  ArgShape a = *first;
  ArgShape b = *second;
  a.strides.clear();
  b.strides.clear();
  if (a.dims.size() == 1) a.dims.insert(a.dims.begin(), 1);
  if (b.dims.size() == 1) b.dims.push_back(1);
  if (!fits(estimate, a.dims.back(), fromEnd(b, 2))) return estimate.unknown();
  const std::optional<double> batch = batchOf(a, b);
  if (!batch) return estimate.missing("batches that broadcast").unknown();
  const Product product{*batch, toDouble(fromEnd(a, 2)), toDouble(b.dims.back()),
                        toDouble(a.dims.back()), DType::Unknown};
  describe(estimate, *first, *second, product);
  return estimate.formula("2·B·M·N·K, batches broadcast").done(product.flops());
}

/// Matrix by vector (mv, addmv) and vector by vector (dot): no matrix units.
OpCost matrixByVector(const Call& call, std::size_t first, bool hasBias) {
  Estimate estimate(call);
  const ArgShape* a = estimate.tensor(first, "the matrix");
  const ArgShape* x = estimate.tensor(first + 1, "the vector");
  if (!rankIs(estimate, a, 2, "the matrix") || !rankIs(estimate, x, 1, "the vector"))
    return estimate.unknown();
  if (!fits(estimate, a->dims[1], x->dims[0])) return estimate.unknown();
  const Product product{1, toDouble(a->dims[0]), 1, toDouble(a->dims[1]), DType::Unknown};
  describe(estimate, *a, *x, product);
  double flops = product.flops();
  if (hasBias) flops += addBias(estimate, call, call.arg(0), 3, product);
  return estimate.formula(hasBias ? "2·M·K + M" : "2·M·K").done(flops);
}

OpCost mv(const Call& call) {
  return matrixByVector(call, 0, false);
}
OpCost addmv(const Call& call) {
  return matrixByVector(call, 1, true);
}

OpCost dot(const Call& call) {
  Estimate estimate(call);
  const ArgShape* a = estimate.tensor(0, "the first vector");
  const ArgShape* b = estimate.tensor(1, "the second vector");
  if (!rankIs(estimate, a, 1, "the first vector") || !rankIs(estimate, b, 1, "the second vector"))
    return estimate.unknown();
  if (!fits(estimate, a->dims[0], b->dims[0])) return estimate.unknown();
  const Product product{1, 1, 1, toDouble(a->dims[0]), DType::Unknown};
  describe(estimate, *a, *b, product);
  return estimate.formula("2·K").done(product.flops());
}

OpCost outerAt(const Call& call, std::size_t first) {
  Estimate estimate(call);
  const ArgShape* a = estimate.tensor(first, "the first vector");
  const ArgShape* b = estimate.tensor(first + 1, "the second vector");
  if (!rankIs(estimate, a, 1, "the first vector") || !rankIs(estimate, b, 1, "the second vector"))
    return estimate.unknown();
  const Product product{1, toDouble(a->dims[0]), toDouble(b->dims[0]), 1, DType::Unknown};
  describe(estimate, *a, *b, product);
  double flops = product.outputs();
  if (first == 1) flops += addBias(estimate, call, call.arg(0), 3, product);
  return estimate.formula("M·N").done(flops);
}

OpCost outer(const Call& call) {
  return outerAt(call, 0);
}
OpCost addr(const Call& call) {
  return outerAt(call, 1);
}

/// The recorded out_dtype; the first operand's type where it was given as None.
DType outputType(Estimate& estimate, const Call& call, std::size_t index, DType whenNone) {
  if (!call.shapes.hasConcrete) {
    estimate.missingConcrete("out_dtype");
    estimate.noBytes();
    return DType::Unknown;
  }
  const std::string& code = call.arg(index).concrete;
  return code.empty() ? whenNone : dtypeFromCode(code);
}

/// Scales are read once; fp4 operands hold two values a byte.
OpCost scaledMm(const Call& call) {
  Estimate estimate(call);
  const ArgShape* a = estimate.tensor(0, "the first matrix");
  const ArgShape* b = estimate.tensor(1, "the second matrix");
  if (!rankIs(estimate, a, 2, "the first matrix") || !rankIs(estimate, b, 2, "the second matrix"))
    return estimate.unknown();
  if (!fits(estimate, a->dims[1], b->dims[0])) return estimate.unknown();
  // PyTorch 2.4 and later: (a, b, scale_a, scale_b, bias, scale_result, out_dtype, …);
  // before: (a, b, bias, out_dtype, scale_a, scale_b, …).
  const bool scalesFirst = call.arg(3).isTensor();
  const ArgShape& bias = call.arg(scalesFirst ? 4 : 2);
  const std::size_t scales = scalesFirst ? 2 : 4;
  const DType result = outputType(estimate, call, scalesFirst ? 6 : 3, a->dtype);
  const double packing = a->dtype == DType::Float4x2 ? 2 : 1;
  const Product product{1, toDouble(a->dims[0]), toDouble(b->dims[1]),
                        packing * toDouble(a->dims[1]), result};
  describe(estimate, *a, *b, product);
  estimate.touch(call.arg(scales)).touch(call.arg(scales + 1));
  double flops = product.flops();
  if (bias.isTensor()) {
    estimate.touch(bias);
    flops += product.outputs();
  }
  return estimate.formula("2·M·N·K (+ M·N with a bias)").done(flops);
}

/// Products of ragged groups: the rows (or the inner sizes) of all groups together are recorded,
/// so the sum over the groups needs no offsets.
OpCost groupedMm(const Call& call) {
  Estimate estimate(call);
  const ArgShape* a = estimate.tensor(0, "the first matrices");
  const ArgShape* b = estimate.tensor(1, "the second matrices");
  if (!a || !b) return estimate.unknown();
  const std::size_t rankA = a->dims.size();
  const std::size_t rankB = b->dims.size();
  if ((rankA != 2 && rankA != 3) || (rankB != 2 && rankB != 3))
    return estimate.missing("sizes of rank 2 or 3").unknown();
  if (!fits(estimate, a->dims.back(), fromEnd(*b, 2))) return estimate.unknown();
  const bool scaled = call.name.find("scaled") != std::string_view::npos;
  const ArgShape& offsets = call.arg(scaled ? 4 : 2);
  const double packing = a->dtype == DType::Float4x2 ? 2 : 1;
  Product product{1, toDouble(fromEnd(*a, 2)), toDouble(b->dims.back()),
                  packing * toDouble(a->dims.back()), DType::Unknown};
  if (rankA == 3 && rankB == 3) product.batch = toDouble(a->dims[0]);
  double flops = product.flops();
  // Two matrices cut along K: one result per group.
  if (rankA == 2 && rankB == 2) {
    if (!offsets.isTensor() || offsets.dims.empty())
      return estimate.missing("the number of groups").unknown();
    product.batch = toDouble(offsets.dims[0]);
  }
  product.result = outputType(estimate, call, scaled ? 7 : 4, scaled ? DType::BFloat16 : a->dtype);
  describe(estimate, *a, *b, product);
  estimate.touch(offsets);
  if (scaled) estimate.touch(call.arg(2)).touch(call.arg(3));
  // The weights of a group that got no rows are not read.
  if (rankA == 2 && rankB == 3 && a->dims[0] < b->dims[0]) estimate.upperBound();
  return estimate.formula("2·ΣM·N·K over the groups").done(flops);
}

/// int4 weights: the packed tensor does not say N, the scales do (groups, N, 2).
OpCost int4Pack(const Call& call) {
  Estimate estimate(call);
  const ArgShape* a = estimate.tensor(0, "the input");
  const ArgShape* packed = estimate.tensor(1, "the packed weight");
  const ArgShape* scales = estimate.tensor(3, "the scales and zeros");
  if (!packed || !rankIs(estimate, a, 2, "the input") ||
      !rankIs(estimate, scales, 3, "the scales and zeros"))
    return estimate.unknown();
  const Product product{1, toDouble(a->dims[0]), toDouble(scales->dims[1]), toDouble(a->dims[1]),
                        DType::Unknown};
  estimate.shape(text(a->dims) + " · int4 " + text(packed->dims)).compute(a->dtype).matrix();
  estimate.touch(*a).touch(*packed).touch(*scales).touch(product.outputs(), a->dtype);
  return estimate.formula("2·M·N·K").done(product.flops());
}

OpCost int8Pack(const Call& call) {
  Estimate estimate(call);
  const ArgShape* a = estimate.tensor(0, "the input");
  const ArgShape* w = estimate.tensor(1, "the weight");
  if (!rankIs(estimate, a, 2, "the input") || !rankIs(estimate, w, 2, "the weight"))
    return estimate.unknown();
  if (!fits(estimate, a->dims[1], w->dims[1])) return estimate.unknown();
  const Product product{1, toDouble(a->dims[0]), toDouble(w->dims[0]), toDouble(a->dims[1]),
                        a->dtype};
  describe(estimate, *a, *w, product);
  estimate.touch(call.arg(2));
  return estimate.formula("2·M·N·K").done(product.flops());
}

/// Contracted dims of both operands are recorded as lists.
OpCost tensordot(const Call& call) {
  Estimate estimate(call);
  const ArgShape* a = estimate.tensor(0, "the first operand");
  const ArgShape* b = estimate.tensor(1, "the second operand");
  if (!a || !b) return estimate.unknown();
  const std::optional<Dims> dims = concreteIntegers(call.arg(2).concrete);
  if (!dims) return estimate.missingConcrete("the contracted dims").unknown();
  double k = 1;
  for (std::int64_t dim : *dims) {
    if (dim < 0) dim += static_cast<std::int64_t>(a->dims.size());
    if (dim < 0 || dim >= static_cast<std::int64_t>(a->dims.size()))
      return estimate.missingConcrete("the contracted dims").unknown();
    k *= toDouble(a->dims[static_cast<std::size_t>(dim)]);
  }
  if (k <= 0) return estimate.missing("sizes above 0").unknown();
  const Product product{1, a->elements() / k, b->elements() / k, k, DType::Unknown};
  describe(estimate, *a, *b, product);
  return estimate.formula("2·Π(all index sizes)").done(product.flops());
}

/// "bij,bjk->bik": 2·Π(all index sizes) for a pair of operands.
OpCost einsum(const Call& call) {
  Estimate estimate(call);
  std::string equation = call.arg(0).concrete;
  std::erase(equation, ' ');
  const ArgShape& list = call.arg(1);
  if (equation.empty()) return estimate.missingConcrete("the equation").unknown();
  if (!list.isList() || list.list.size() != 2 || equation.find('.') != std::string::npos)
    return estimate.missing("the sizes of two operands (lists may not be recorded)").unknown();
  std::array<double, 128> sizes{};
  std::size_t operand = 0;
  std::size_t position = 0;
  std::size_t at = 0;
  for (; at < equation.size() && equation[at] != '-'; ++at) {
    if (equation[at] == ',') {
      ++operand;
      position = 0;
    } else if (operand < 2 && position < list.list[operand].size() && equation[at] > 0) {
      double& size = sizes[static_cast<std::size_t>(equation[at])];
      size = std::max(size, toDouble(list.list[operand][position++]));
    }
  }
  const std::size_t arrow = equation.find("->");
  if (arrow == std::string::npos) return estimate.missing("a result in the equation").unknown();
  double all = 1;
  double result = 1;
  for (const double size : sizes)
    if (size > 0) all *= size;
  for (const char index : std::string_view(equation).substr(arrow + 2))
    if (index > 0) result *= sizes[static_cast<std::size_t>(index)];
  estimate.shape(equation + " " + text(list.list[0]) + " · " + text(list.list[1])).matrix();
  estimate.compute(DType::Unknown).touch(list.elements() + result, DType::Unknown);
  return estimate.formula("2·Π(all index sizes)").done(2 * all);
}

/// (result, a, b, …) of libraries that write into their first argument; b is K×N.
OpCost intoFirst(const Call& call) {
  Estimate estimate(call);
  const ArgShape* out = estimate.tensor(0, "the result");
  const ArgShape* a = estimate.tensor(1, "the first matrix");
  const ArgShape* b = estimate.tensor(2, "the second matrix");
  if (!out || !rankIs(estimate, a, 2, "the first matrix") ||
      !rankIs(estimate, b, 2, "the second matrix"))
    return estimate.unknown();
  if (!fits(estimate, a->dims[1], b->dims[0])) return estimate.unknown();
  const Product product{1, toDouble(a->dims[0]), toDouble(b->dims[1]), toDouble(a->dims[1]),
                        out->dtype};
  describe(estimate, *a, *b, product);
  estimate.touch(call.arg(3)).touch(call.arg(4));
  return estimate.formula("2·M·N·K").done(product.flops());
}

/// (a, b, scale_a, scale_b, out_dtype, bias).
OpCost servingScaledMm(const Call& call) {
  Estimate estimate(call);
  const ArgShape* a = estimate.tensor(0, "the first matrix");
  const ArgShape* b = estimate.tensor(1, "the second matrix");
  if (!rankIs(estimate, a, 2, "the first matrix") || !rankIs(estimate, b, 2, "the second matrix"))
    return estimate.unknown();
  if (!fits(estimate, a->dims[1], b->dims[0])) return estimate.unknown();
  const DType result = outputType(estimate, call, 4, DType::BFloat16);
  const Product product{1, toDouble(a->dims[0]), toDouble(b->dims[1]), toDouble(a->dims[1]),
                        result};
  describe(estimate, *a, *b, product);
  estimate.touch(call.arg(2)).touch(call.arg(3));
  return estimate.formula("2·M·N·K").done(product.flops());
}

/// x (M, K) · W (N, K) with the result's type in bf16 (AMD's tuned GEMMs).
OpCost byTransposed(const Call& call) {
  return linearAt(call, 0, 1, std::nullopt);
}

OpCost mixtureOfExperts(const Call& call) {
  Estimate estimate(call);
  if (call.arg(0).isTensor()) estimate.shape(text(call.arg(0).dims));
  return estimate.missing("the experts' weights (not among the recorded inputs)").unknown();
}

constexpr std::array kRules{
    Rule{"aten::mm", kFamily, mm},
    Rule{"aten::_int_mm", kFamily, intMm},
    Rule{"aten::addmm", kFamily, addmm},
    Rule{"aten::_addmm_activation", kFamily, addmm},
    Rule{"aten::bmm", kFamily, bmm},
    Rule{"aten::baddbmm", kFamily, baddbmm},
    Rule{"aten::addbmm", kFamily, addbmm},
    Rule{"aten::linear", kFamily, linear},
    Rule{"aten::_linear", kFamily, linear},
    Rule{"aten::mkldnn_linear", kFamily, linear},
    Rule{"aten::matmul", kFamily, matmul},
    Rule{"aten::inner", kFamily, dot},
    Rule{"aten::mv", kFamily, mv},
    Rule{"aten::addmv", kFamily, addmv},
    Rule{"aten::dot", kFamily, dot},
    Rule{"aten::vdot", kFamily, dot},
    Rule{"aten::ger", kFamily, outer},
    Rule{"aten::outer", kFamily, outer},
    Rule{"aten::addr", kFamily, addr},
    Rule{"aten::einsum", kFamily, einsum},
    Rule{"aten::tensordot", kFamily, tensordot},
    Rule{"aten::_scaled_mm", kFamily, scaledMm},
    Rule{"aten::_grouped_mm", kFamily, groupedMm},
    Rule{"aten::_scaled_grouped_mm", kFamily, groupedMm},
    Rule{"aten::_weight_int4pack_mm", kFamily, int4Pack},
    Rule{"aten::_weight_int8pack_mm", kFamily, int8Pack},
    Rule{"_C::cutlass_scaled_mm", kFamily, intoFirst},
    Rule{"sgl_kernel::fp8_scaled_mm", kFamily, servingScaledMm},
    Rule{"sgl_kernel::int8_scaled_mm", kFamily, servingScaledMm},
    Rule{"vllm::rocm_unquantized_gemm_impl", kFamily, linear},
    Rule{"vllm::rocm_unquantized_gemm", kFamily, linear},
    Rule{"aiter::gemm_a16w16", kFamily, byTransposed},
    Rule{"vllm::moe_forward", kFamily, mixtureOfExperts},
    Rule{"vllm::moe_forward_shared", kFamily, mixtureOfExperts},
};

}  // namespace

std::span<const Rule> matrixRules() {
  return kRules;
}

}  // namespace ridgeline::cost
