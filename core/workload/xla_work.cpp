#include "core/workload/xla_work.h"

#include <array>

namespace ridgeline {

namespace {

struct Word {
  std::string_view text;
  KernelClass kernelClass;
  std::string_view subclass;
  std::string_view rule;
  std::string_view oracleCategory;
};

/// Searched in this order; the first word that the text contains decides. Source: the categories
/// of XLA's HloInstruction::ToCategory and the opcodes in its instruction names.
constexpr std::array kWords = {
    Word{"all-reduce", KernelClass::collective, "all-reduce", "xla.collective", "communication"},
    Word{"all_reduce", KernelClass::collective, "all-reduce", "xla.collective", "communication"},
    Word{"all-gather", KernelClass::collective, "all-gather", "xla.collective", "communication"},
    Word{"reduce-scatter", KernelClass::collective, "reduce-scatter", "xla.collective",
         "communication"},
    Word{"all-to-all", KernelClass::collective, "all-to-all", "xla.collective", "communication"},
    Word{"collective-permute", KernelClass::collective, "send-recv", "xla.collective",
         "communication"},
    Word{"collective", KernelClass::collective, "generic", "xla.collective", "communication"},
    Word{"send", KernelClass::collective, "send-recv", "xla.collective", "communication"},
    Word{"recv", KernelClass::collective, "send-recv", "xla.collective", "communication"},
    Word{"convolution", KernelClass::matmul, "gemm", "xla.matmul", "gemm"},
    Word{"gemm", KernelClass::matmul, "gemm", "xla.matmul", "gemm"},
    Word{"dot", KernelClass::matmul, "gemm", "xla.matmul", "gemm"},
    Word{"attention", KernelClass::attention, "", "xla.attention", "attention"},
    Word{"softmax", KernelClass::softmax, "", "xla.softmax", "softmax"},
    Word{"select-and-scatter", KernelClass::reduction, "", "xla.reduction", "reduction"},
    Word{"reduce", KernelClass::reduction, "", "xla.reduction", "reduction"},
    Word{"input fusion", KernelClass::reduction, "", "xla.reduction", "reduction"},
    Word{"scatter", KernelClass::indexing, "", "xla.indexing", "indexing"},
    Word{"gather", KernelClass::indexing, "", "xla.indexing", "indexing"},
    Word{"dynamic", KernelClass::indexing, "", "xla.indexing", "indexing"},
    Word{"sort", KernelClass::indexing, "sort", "xla.indexing", "indexing"},
    Word{"rng", KernelClass::rng, "", "xla.rng", "rng"},
    Word{"infeed", KernelClass::memcpy, "HtoD", "xla.infeed", "memcpy"},
    Word{"outfeed", KernelClass::memcpy, "DtoH", "xla.outfeed", "memcpy"},
    Word{"copy", KernelClass::copy, "", "xla.copy", "copy"},
    Word{"data formatting", KernelClass::copy, "", "xla.copy", "copy"},
    Word{"transpose", KernelClass::copy, "transpose", "xla.copy", "copy"},
    Word{"concatenate", KernelClass::copy, "concat", "xla.copy", "copy"},
    Word{"slice", KernelClass::copy, "", "xla.copy", "copy"},
    Word{"pad", KernelClass::copy, "", "xla.copy", "copy"},
    Word{"fusion", KernelClass::elementwise, "", "xla.elementwise", "elementwise"},
    Word{"wrapped_", KernelClass::elementwise, "", "xla.elementwise", "elementwise"},
    Word{"elementwise", KernelClass::elementwise, "", "xla.elementwise", "elementwise"},
    Word{"broadcast", KernelClass::elementwise, "", "xla.elementwise", "elementwise"},
    Word{"convert", KernelClass::elementwise, "cast", "xla.elementwise", "elementwise"}};

const Word* wordIn(std::string_view text) {
  for (const Word& word : kWords)
    if (text.find(word.text) != text.npos) return &word;
  return nullptr;
}

DType typeOf(std::string_view shape) {
  struct Name {
    std::string_view text;
    DType type;
  };
  static constexpr Name kNames[] = {
      {"bf16", DType::BFloat16},    {"f64", DType::Float64},       {"f32", DType::Float32},
      {"f16", DType::Float16},      {"f8e4m3", DType::Float8E4M3}, {"f8e5m2", DType::Float8E5M2},
      {"s64", DType::Int64},        {"s32", DType::Int32},         {"s16", DType::Int16},
      {"s8", DType::Int8},          {"u64", DType::UInt64},        {"u32", DType::UInt32},
      {"u16", DType::UInt16},       {"u8", DType::UInt8},          {"pred", DType::Bool},
      {"c64", DType::ComplexFloat}, {"c128", DType::ComplexDouble}};
  while (shape.starts_with("(") || shape.starts_with("%")) shape.remove_prefix(1);
  for (const Name& name : kNames)
    if (shape.starts_with(name.text)) return name.type;
  return DType::Unknown;
}

}  // namespace

KernelLabel labelOfHlo(std::string_view category, std::string_view instruction,
                       std::string_view frameworkOp) {
  KernelLabel label;
  // "custom-call" and "custom fusion" tell less than the name.
  const bool telling = !category.empty() && !category.starts_with("custom");
  const Word* word = telling ? wordIn(category) : nullptr;
  // A category such as "async-done" says when, not what: the name does.
  if (word == nullptr) word = wordIn(instruction);
  if (word != nullptr) {
    label.kernelClass = word->kernelClass;
    label.subclass = word->subclass;
    label.rule = word->rule;
    label.oracleCategory = word->oracleCategory;
  }
  if (label.kernelClass == KernelClass::matmul) {
    label.matrixUnit = MatrixUnit::yes;
    if (frameworkOp.find("conv_general") != frameworkOp.npos) {
      label.kernelClass = KernelClass::convolution;
      label.subclass = "";
      label.rule = "xla.convolution";
      label.oracleCategory = "convolution";
    }
  } else if (label.kernelClass != KernelClass::unknown) {
    label.matrixUnit = MatrixUnit::no;
  }
  return label;
}

OpCost compilerCost(const XlaArgs& args, std::string_view category, std::string_view shape) {
  OpCost cost;
  cost.byCompiler = true;
  if (args.flops >= 0) cost.flops = static_cast<double>(args.flops);
  if (args.bytes >= 0) cost.bytes = static_cast<double>(args.bytes);
  cost.computeType = typeOf(shape);
  cost.matrixOp = category.find("convolution") != category.npos ||
                  category.find("dot") != category.npos || category.find("gemm") != category.npos;
  cost.family = cost.matrixOp ? OpFamily::MatrixProduct : OpFamily::Unknown;
  cost.shape = shape.substr(0, shape.find('{'));
  cost.formula = "counted by the compiler (XLA: model_flops, raw_bytes_accessed)";
  if (!cost.flops) cost.missing.push_back("model_flops (the compiler did not record it)");
  if (!cost.bytes) cost.missing.push_back("raw_bytes_accessed (the compiler did not record it)");
  return cost;
}

}  // namespace ridgeline
