// Reductions, scans, sorts, Fourier transforms (ANALYSIS 3.4).

#include <algorithm>
#include <array>
#include <cmath>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

constexpr OpFamily kReduction = OpFamily::Reduction;
constexpr OpFamily kScan = OpFamily::Scan;

/// Elements of the result after the dims of `dims` are gone; empty where they are not recorded.
std::optional<double> reducedElements(const Call& call, const ArgShape& x, std::size_t dimsIndex) {
  const ArgShape& dims = call.arg(dimsIndex);
  // sum(x, dtype), norm(x, p), var(x, unbiased) and max(x) have no dims: one result.
  if (call.shapes.args.size() <= 2 && !call.name.ends_with("count_nonzero")) return 1;
  if (call.context.inferredOutput) return product(*call.context.inferredOutput);
  if (!call.shapes.hasConcrete) return std::nullopt;
  const std::optional<Dims> list = concreteIntegers(dims.concrete);
  if (!list || list->empty()) return 1;
  double elements = x.elements();
  for (std::int64_t dim : *list) {
    const auto rank = static_cast<std::int64_t>(x.dims.size());
    if (dim < 0) dim += rank;
    if (dim < 0 || dim >= rank) return rank == 0 ? std::optional(1.0) : std::nullopt;
    const double size = toDouble(x.dims[static_cast<std::size_t>(dim)]);
    if (size > 0) elements /= size;
  }
  return elements;
}

DType accumulated(DType type) {
  return isWhole(type) || type == DType::Bool ? DType::Int64 : type;
}

DType reducedType(const Call& call, const ArgShape& x) {
  switch (call.rule.result) {
    case ResultType::Boolean:
      return DType::Bool;
    case ResultType::Index:
      return DType::Int64;
    default:
      break;
  }
  // sum(x, dims, keepdim, dtype) or sum(x, dtype).
  const bool sums = call.rule.result == ResultType::Accumulated;
  if (sums || call.rule.name == "aten::mean") {
    const std::size_t index = call.shapes.args.size() <= 2 ? 1 : 3;
    const DType asked = dtypeFromCode(call.arg(index).concrete);
    if (asked != DType::Unknown) return asked;
  }
  return sums ? accumulated(x.dtype) : x.dtype;
}

/// `span` is the position of the dims, `weight` the operations per element.
OpCost reduce(const Call& call, double results, bool withIndices) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the input");
  if (!x) return estimate.unknown();
  const std::size_t dimsIndex = static_cast<std::size_t>(call.rule.span);
  const double n = x->elements();
  const std::string& dims = call.arg(dimsIndex).concrete;
  estimate.compute(x->dtype).touch(*x);
  estimate.shape(text(x->dims) + (dims.empty() || dims == "[]" ? "" : " over " + dims));
  if (const std::optional<double> out = reducedElements(call, *x, dimsIndex)) {
    if (call.context.inferredOutput && !call.shapes.hasConcrete) estimate.inferred();
    estimate.touch(results * *out, reducedType(call, *x));
    if (withIndices) estimate.touch(*out, DType::Int64);
  } else {
    estimate.missingConcrete("dim (the result's size is left out of the bytes)");
  }
  const double weight = call.rule.weight;
  return estimate.formula(weight == 1 ? "n" : text(weight) + "·n").done(weight * n);
}

OpCost reduction(const Call& call) {
  return reduce(call, 1, false);
}
OpCost twoResults(const Call& call) {
  return reduce(call, 2, false);
}

/// max(x), max(x, dim, keepdim) with indices, max(x, other).
OpCost extreme(const Call& call) {
  if (call.arg(1).isTensor() && call.shapes.args.size() <= 3) {
    Rule binary = call.rule;
    binary.family = OpFamily::Elementwise;
    binary.span = 2;
    binary.result = ResultType::Promoted;
    return elementwise({call.name, binary, call.shapes, call.context, call.inPlace});
  }
  return reduce(call, 1, call.shapes.args.size() > 2);
}

/// cumsum and its like: as long as their input.
OpCost scan(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the input");
  if (!x) return estimate.unknown();
  const DType asked = dtypeFromCode(call.arg(2).concrete);
  DType result = x->dtype;
  if (call.rule.result == ResultType::Accumulated)
    result = asked != DType::Unknown ? asked : accumulated(x->dtype);
  if (call.inPlace) result = x->dtype;
  estimate.compute(x->dtype).shape(text(x->dims)).touch(*x).touch(x->elements(), result);
  if (call.rule.result == ResultType::Index) estimate.touch(x->elements(), DType::Int64);
  return estimate.formula("n").done(x->elements());
}

/// The length that is sorted: the named dim, the last one by default.
double sortedLength(const Call& call, const ArgShape& x, std::size_t dimIndexAt) {
  if (x.dims.empty()) return 1;
  const auto index = dimIndex(call.arg(dimIndexAt), x.dims.size());
  return toDouble(index ? x.dims[*index] : x.dims.back());
}

OpCost sort(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the input");
  if (!x) return estimate.unknown();
  const bool stable = concreteBool(call.arg(1).concrete).has_value() &&
                      call.shapes.args.size() >= 4;  // sort(x, stable, dim, descending)
  const double length = sortedLength(call, *x, stable ? 2 : 1);
  const double n = x->elements();
  estimate.compute(x->dtype).shape(text(x->dims));
  estimate.touch(*x).touch(n, x->dtype).touch(n, DType::Int64);
  return estimate.formula("n·log2(length), nominal; one pass of memory")
      .done(length > 1 ? n * std::log2(length) : 0);
}

OpCost topk(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the input");
  if (!x) return estimate.unknown();
  const double n = x->elements();
  estimate.compute(x->dtype).shape(text(x->dims) + " top " + call.arg(1).concrete).touch(*x);
  const auto k = spatial(call.arg(1), 1);
  const double length = sortedLength(call, *x, 2);
  if (k && length > 0) {
    const double results = n / length * toDouble(k->front());
    estimate.touch(results, x->dtype).touch(results, DType::Int64);
  } else {
    estimate.missingConcrete("k (the result is left out of the bytes)");
  }
  return estimate.formula("n").done(n);
}

/// searchsorted(sorted, x) and bucketize(x, sorted): a binary search per element.
OpCost binarySearch(const Call& call) {
  Estimate estimate(call);
  const bool sortedFirst = call.name.ends_with("searchsorted");
  const ArgShape* sorted = estimate.tensor(sortedFirst ? 0 : 1, "the boundaries");
  const ArgShape* x = estimate.tensor(sortedFirst ? 1 : 0, "the values");
  if (!sorted || !x) return estimate.unknown();
  const double length = sorted->dims.empty() ? 1 : toDouble(sorted->dims.back());
  const bool int32 = concreteBool(call.arg(2).concrete).value_or(false);
  const double n = x->elements();
  estimate.compute(x->dtype).shape(text(x->dims) + " in " + text(sorted->dims));
  estimate.touch(*sorted).touch(*x).touch(n, int32 ? DType::Int32 : DType::Int64);
  return estimate.formula("n·log2(boundaries)").done(length > 1 ? n * std::log2(length) : n);
}

/// Signal length and count of a transform over `dims` of x.
std::optional<double> signalLength(const Call& call, const ArgShape& x) {
  const auto dims = concreteIntegers(call.arg(1).concrete);
  if (!dims) return std::nullopt;
  double length = 1;
  for (std::int64_t dim : *dims) {
    if (dim < 0) dim += static_cast<std::int64_t>(x.dims.size());
    if (dim < 0 || dim >= static_cast<std::int64_t>(x.dims.size())) return std::nullopt;
    length *= toDouble(x.dims[static_cast<std::size_t>(dim)]);
  }
  return length;
}

/// The usual 5·n·log2(length) of a complex transform, half of it for real signals.
OpCost fourier(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the signal");
  if (!x) return estimate.unknown();
  estimate.compute(x->dtype).shape(text(x->dims));
  std::optional<double> length = signalLength(call, *x);
  if (!length) return estimate.missingConcrete("the transformed dims").unknown();
  const double complexSize = isComplex(x->dtype) ? byteSize(x->dtype) : 2.0 * byteSize(x->dtype);
  double n = x->elements();
  estimate.touch(*x);
  if (call.name.ends_with("c2c")) {
    estimate.bytes(n * complexSize);
    return estimate.formula("5·n·log2(length)").done(5 * n * std::log2(*length));
  }
  const auto dims = concreteIntegers(call.arg(1).concrete);
  if (dims->empty()) return estimate.missingConcrete("the transformed dims").unknown();
  std::int64_t last = dims->back();
  if (last < 0) last += static_cast<std::int64_t>(x->dims.size());
  const double recorded = toDouble(x->dims[static_cast<std::size_t>(last)]);
  if (recorded <= 0) return estimate.missing("sizes above 0").unknown();
  if (call.name.ends_with("r2c")) {
    const bool half = concreteBool(call.arg(3).concrete).value_or(true);
    const double kept = half ? std::floor(recorded / 2) + 1 : recorded;
    estimate.bytes(n / recorded * kept * complexSize);
  } else {
    const auto size = spatial(call.arg(3), 1);
    if (!size) return estimate.missingConcrete("last_dim_size").unknown();
    n = n / recorded * toDouble(size->front());
    length = *length / recorded * toDouble(size->front());
    estimate.bytes(n * complexSize / 2);
  }
  return estimate.formula("2.5·n·log2(length)").done(2.5 * n * std::log2(*length));
}

constexpr Rule reducing(std::string_view name, int dims, double weight, ResultType result) {
  return {name, kReduction, reduction, dims, weight, result};
}

using enum ResultType;

constexpr std::array kRules{
    reducing("aten::sum", 1, 1, Accumulated),
    reducing("aten::nansum", 1, 1, Accumulated),
    reducing("aten::prod", 1, 1, Accumulated),
    reducing("aten::mean", 1, 1, Promoted),
    reducing("aten::nanmean", 1, 1, Promoted),
    reducing("aten::amax", 1, 1, Promoted),
    reducing("aten::amin", 1, 1, Promoted),
    reducing("aten::any", 1, 1, Boolean),
    reducing("aten::all", 1, 1, Boolean),
    reducing("aten::argmax", 1, 1, Index),
    reducing("aten::argmin", 1, 1, Index),
    reducing("aten::count_nonzero", 1, 1, Index),
    reducing("aten::norm", 2, 1, Promoted),
    reducing("aten::linalg_vector_norm", 2, 1, Promoted),
    reducing("aten::frobenius_norm", 1, 1, Promoted),
    reducing("aten::logsumexp", 1, 3, Promoted),
    reducing("aten::var", 1, 3, Promoted),
    reducing("aten::std", 1, 3, Promoted),
    Rule{"aten::var_mean", kReduction, twoResults, 1, 3},
    Rule{"aten::std_mean", kReduction, twoResults, 1, 3},
    Rule{"aten::aminmax", kReduction, twoResults, 1, 2},
    Rule{"aten::_aminmax", kReduction, twoResults, 1, 2},
    Rule{"aten::max", kReduction, extreme},
    Rule{"aten::min", kReduction, extreme},
    Rule{"aten::median", kReduction, extreme},
    Rule{"aten::cumsum", kScan, scan, 1, 1, Accumulated},
    Rule{"aten::cumprod", kScan, scan, 1, 1, Accumulated},
    Rule{"aten::logcumsumexp", kScan, scan},
    Rule{"aten::cummax", kScan, scan, 1, 1, Index},
    Rule{"aten::cummin", kScan, scan, 1, 1, Index},
    Rule{"aten::sort", kScan, sort},
    Rule{"aten::argsort", kScan, sort},
    Rule{"aten::msort", kScan, sort},
    Rule{"aten::topk", kScan, topk},
    Rule{"aten::searchsorted", kScan, binarySearch},
    Rule{"aten::bucketize", kScan, binarySearch},
    Rule{"fbgemm::asynchronous_complete_cumsum", kScan, scan},
    Rule{"fb::asynchronous_complete_cumsum", kScan, scan},
    Rule{"aten::_fft_c2c", OpFamily::Fourier, fourier},
    Rule{"aten::_fft_r2c", OpFamily::Fourier, fourier},
    Rule{"aten::_fft_c2r", OpFamily::Fourier, fourier},
};

}  // namespace

std::span<const Rule> reductionRules() {
  return kRules;
}

}  // namespace ridgeline::cost
