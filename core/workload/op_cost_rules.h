#pragma once

// Private to op_cost*.cpp: the table that maps an operator's name to its formula, and what the
// formulas share.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/workload/op_cost.h"

namespace ridgeline::cost {

struct Call;
using Dims = std::vector<std::int64_t>;

/// Which type a result has.
enum class ResultType : std::uint8_t {
  Promoted,       ///< PyTorch's promotion of the operands
  PromotedFloat,  ///< the same, but whole numbers become fp32 (exp, sqrt, true division)
  Boolean,        ///< comparisons
  OfFirst,        ///< the first operand's (fills by mask, backward of an activation)
  OfRest,         ///< promotion without the first operand (where)
  Index,          ///< int64 (argmax)
  Accumulated,    ///< whole numbers and flags become int64 (sum, cumsum)
};

/// One operator. `span`, `weight` and `result` are parameters of its formula where it has any.
struct Rule {
  std::string_view name;
  OpFamily family;
  OpCost (*cost)(const Call&);
  int span = 1;       ///< how many leading arguments may be tensor operands
  double weight = 1;  ///< nominal operations per element
  ResultType result = ResultType::Promoted;
};

/// One question to a rule.
struct Call {
  std::string_view name;
  const Rule& rule;
  const OpShapes& shapes;
  const CostContext& context;
  bool inPlace = false;  ///< named with a trailing "_": the first operand is the result

  [[nodiscard]] const ArgShape& arg(std::size_t index) const { return shapes.arg(index); }
};

/// Gathers the parts of one OpCost; a part that cannot be known ends up in `missing`.
class Estimate {
 public:
  explicit Estimate(const Call& call);

  /// The argument if it is a tensor, else nullptr and a missing input named `what`.
  const ArgShape* tensor(std::size_t index, std::string_view what);
  /// Adds the memory of a tensor or a list, once; broadcast dims (stride 0) count once.
  Estimate& touch(const ArgShape& arg, double times = 1);
  /// Adds `elements` values of `type` (Unknown: the type of what the op's kernel works on).
  Estimate& touch(double elements, DType type);
  /// Adds bytes that have no type.
  Estimate& bytes(double count);
  /// Names something that is not known. FLOPs and bytes that were given stay.
  Estimate& missing(std::string what);
  /// As missing, for a value of "Concrete Inputs".
  Estimate& missingConcrete(std::string_view what);
  Estimate& shape(std::string text);
  Estimate& formula(std::string text);
  Estimate& compute(DType type);
  Estimate& matrix();
  Estimate& upperBound();
  Estimate& inferred();
  Estimate& noBytes();  ///< bytes stay unknown

  /// The cost with what was gathered; `flops` unknown only beside something missing.
  OpCost done(std::optional<double> flops);
  /// The cost of which nothing is known but what is missing.
  OpCost unknown();

 private:
  void hintType(DType& type, int& size);

  const Call& call_;
  OpCost cost_;
  double bytes_ = 0;
  bool bytesKnown_ = true;
  bool typeMissing_ = false;
};

/// The element type that a kernel's name tells (template arguments, GEMM names); size only for
/// byte-copying kernels (OpaqueType<2u>), 0 = not told.
struct ElementHint {
  DType type = DType::Unknown;
  int size = 0;
};
[[nodiscard]] ElementHint elementHint(std::string_view kernelName);

[[nodiscard]] bool isFloating(DType type);
[[nodiscard]] bool isComplex(DType type);
[[nodiscard]] bool isWhole(DType type);  ///< integers, not flags
/// The smallest type that holds both (c10::promoteTypes); Unknown if one is.
[[nodiscard]] DType promoted(DType a, DType b);
/// The type PyTorch computes an elementwise op in: tensors of rank 0 and numbers do not promote
/// within their kind (c10::result_type).
[[nodiscard]] DType promoted(std::span<const ArgShape* const> operands);
/// The type behind c10's number of it, as "Concrete Inputs" writes dtypes ("15" = bf16).
[[nodiscard]] DType dtypeFromCode(std::string_view concrete);

[[nodiscard]] double product(std::span<const std::int64_t> dims);
/// As ArgShape::elements(), with dims of stride 0 counted once.
[[nodiscard]] double touchedElements(const ArgShape& arg);
/// NumPy broadcasting; empty if the shapes do not fit.
[[nodiscard]] std::optional<Dims> broadcast(std::span<const ArgShape* const> operands);
/// "4096×1024"; "scalar" for rank 0.
[[nodiscard]] std::string text(std::span<const std::int64_t> dims);
/// "4096×1024", "3 tensors of 1,234 elements", …
[[nodiscard]] std::string text(const ArgShape& arg);
/// A whole number value as text; a fraction with what digits it needs.
[[nodiscard]] std::string text(double value);
/// A recorded list of `count` numbers; one number stands for all.
[[nodiscard]] std::optional<Dims> spatial(const ArgShape& arg, std::size_t count);
/// A recorded dim, counted from the end where negative.
[[nodiscard]] std::optional<std::size_t> dimIndex(const ArgShape& arg, std::size_t rank);

inline double toDouble(std::int64_t value) {
  return static_cast<double>(value);
}

/// The cost of something that launches nothing.
[[nodiscard]] OpCost nothing(const Call& call);
/// Elementwise work on the leading `rule.span` arguments.
[[nodiscard]] OpCost elementwise(const Call& call);
/// The nominal operations per element of a known pointwise op (its base name, without "aten::").
[[nodiscard]] std::optional<double> pointwiseWeight(std::string_view base);

[[nodiscard]] std::span<const Rule> matrixRules();
[[nodiscard]] std::span<const Rule> convolutionRules();
[[nodiscard]] std::span<const Rule> attentionRules();
[[nodiscard]] std::span<const Rule> normalizationRules();
[[nodiscard]] std::span<const Rule> softmaxAndLossRules();
[[nodiscard]] std::span<const Rule> elementwiseRules();
[[nodiscard]] std::span<const Rule> reductionRules();
[[nodiscard]] std::span<const Rule> copyRules();
[[nodiscard]] std::span<const Rule> viewRules();
[[nodiscard]] std::span<const Rule> indexingRules();
[[nodiscard]] std::span<const Rule> poolingRules();
[[nodiscard]] std::span<const Rule> optimizerRules();
[[nodiscard]] std::span<const Rule> collectiveRules();
[[nodiscard]] std::span<const Rule> servingRules();
/// Ops of the forms "aten::_foreach_…", "nccl:…", "triton_…", "Memcpy …": by pattern.
[[nodiscard]] const Rule* patternRule(std::string_view name);
[[nodiscard]] const Rule* foreachRule(std::string_view name);
[[nodiscard]] const Rule* collectivePattern(std::string_view name);
[[nodiscard]] const Rule* tritonRule(std::string_view name);

}  // namespace ridgeline::cost
