// Element types: promotion as PyTorch does it, c10's numbers of types, hints in kernel names.

#include <algorithm>
#include <array>
#include <utility>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

enum class Kind : std::uint8_t { Flag, Whole, Floating, Complex };

Kind kindOf(DType type) {
  if (type == DType::Bool) return Kind::Flag;
  if (isComplex(type)) return Kind::Complex;
  return isFloating(type) ? Kind::Floating : Kind::Whole;
}

DType complexOf(DType floating) {
  if (floating == DType::Float64) return DType::ComplexDouble;
  return floating == DType::Float16 ? DType::ComplexHalf : DType::ComplexFloat;
}

bool isUnsigned(DType type) {
  return type == DType::UInt8 || type == DType::UInt16 || type == DType::UInt32 ||
         type == DType::UInt64;
}

DType promotedWhole(DType a, DType b) {
  if (isUnsigned(a) == isUnsigned(b)) return byteSize(a) >= byteSize(b) ? a : b;
  const DType unsignedType = isUnsigned(a) ? a : b;
  const DType signedType = isUnsigned(a) ? b : a;
  if (byteSize(signedType) > byteSize(unsignedType)) return signedType;
  switch (byteSize(unsignedType)) {
    case 1:
      return DType::Int16;
    case 2:
      return DType::Int32;
    default:
      return DType::Int64;
  }
}

/// The type of a number as Python gives it: bool, int64, or the default fp32.
std::optional<DType> numberType(const ArgShape& arg) {
  const std::string& value = arg.concrete;
  if (value.empty()) return std::nullopt;
  if (value == "True" || value == "False" || value == "true" || value == "false")
    return DType::Bool;
  if (concreteIntegers(value)) return DType::Int64;
  const bool number = value.find_first_of("0123456789") != std::string::npos || value == "inf" ||
                      value == "-inf" || value == "nan";
  return number ? std::optional(DType::Float32) : std::nullopt;
}

/// c10::combine_categories: the lower rank of operands counts only where its kind is higher.
DType combined(DType higher, DType lower) {
  if (higher == DType::Unknown) return lower;
  if (lower == DType::Unknown) return higher;
  if (isComplex(higher)) return higher;
  if (isFloating(higher)) return isComplex(lower) ? complexOf(higher) : higher;
  if (higher == DType::Bool || isFloating(lower) || isComplex(lower))
    return promoted(higher, lower);
  return higher;
}

}  // namespace

bool isFloating(DType type) {
  return type >= DType::Float64 && type <= DType::Float4x2;
}

bool isComplex(DType type) {
  return type == DType::ComplexHalf || type == DType::ComplexFloat || type == DType::ComplexDouble;
}

bool isWhole(DType type) {
  return type >= DType::Int64 && type <= DType::UInt8;
}

DType promoted(DType a, DType b) {
  if (a == DType::Unknown || b == DType::Unknown) return DType::Unknown;
  if (a == b) return a;
  if (kindOf(a) < kindOf(b)) std::swap(a, b);
  if (kindOf(a) != kindOf(b)) {
    if (isComplex(a) && isFloating(b)) return promoted(a, complexOf(b));
    return a;
  }
  switch (kindOf(a)) {
    case Kind::Whole:
      return promotedWhole(a, b);
    case Kind::Floating:
      if (byteSize(a) == 2 && byteSize(b) == 2) return DType::Float32;
      return byteSize(a) >= byteSize(b) ? a : b;
    case Kind::Complex:
      return byteSize(a) >= byteSize(b) ? a : b;
    case Kind::Flag:
      break;
  }
  return a;
}

DType promoted(std::span<const ArgShape* const> operands) {
  DType ranked = DType::Unknown;
  DType zeroRank = DType::Unknown;
  DType number = DType::Unknown;
  const auto fold = [](DType& into, DType type) {
    into = into == DType::Unknown ? type : promoted(into, type);
  };
  for (const ArgShape* operand : operands) {
    if (operand->isTensor()) {
      if (operand->dtype == DType::Unknown) return DType::Unknown;
      fold(operand->dims.empty() ? zeroRank : ranked, operand->dtype);
    } else if (const auto type = numberType(*operand)) {
      fold(number, *type);
    }
  }
  return combined(combined(ranked, zeroRank), number);
}

DType dtypeFromCode(std::string_view concrete) {
  constexpr std::array<std::pair<std::string_view, DType>, 26> kCodes{{
      {"0", DType::UInt8},        {"1", DType::Int8},           {"2", DType::Int16},
      {"3", DType::Int32},        {"4", DType::Int64},          {"5", DType::Float16},
      {"6", DType::Float32},      {"7", DType::Float64},        {"8", DType::ComplexHalf},
      {"9", DType::ComplexFloat}, {"10", DType::ComplexDouble}, {"11", DType::Bool},
      {"12", DType::Int8},        {"13", DType::UInt8},         {"14", DType::Int32},
      {"15", DType::BFloat16},    {"23", DType::Float8E5M2},    {"24", DType::Float8E4M3},
      {"25", DType::Float8E5M2},  {"26", DType::Float8E4M3},    {"27", DType::UInt16},
      {"28", DType::UInt32},      {"29", DType::UInt64},        {"44", DType::Float8E8M0},
      {"45", DType::Float4x2},    {"", DType::Unknown},
  }};
  for (const auto& [code, type] : kCodes)
    if (code == concrete) return type;
  return DType::Unknown;
}

ElementHint elementHint(std::string_view kernelName) {
  if (kernelName.empty()) return {};
  const auto has = [&](std::string_view part) {
    return kernelName.find(part) != std::string_view::npos;
  };
  if (const std::size_t at = kernelName.find("OpaqueType<"); at != std::string_view::npos) {
    const char digit = kernelName.substr(at + 11).empty() ? '\0' : kernelName[at + 11];
    for (const char size : {'1', '2', '4', '8'})
      if (digit == size) return {DType::Unknown, size - '0'};
    return {};
  }
  // Narrow storage types first: "float" also stands there as their accumulator.
  constexpr std::array<std::pair<std::string_view, DType>, 14> kMarks{{
      {"c10::BFloat16", DType::BFloat16},
      {"__nv_bfloat16", DType::BFloat16},
      {"hip_bfloat16", DType::BFloat16},
      {"bf16", DType::BFloat16},
      {"c10::Half", DType::Float16},
      {"__half", DType::Float16},
      {"hgemm", DType::Float16},
      {"h884", DType::Float16},
      {"double", DType::Float64},
      {"dgemm", DType::Float64},
      {"float", DType::Float32},
      {"sgemm", DType::Float32},
      {"scudnn", DType::Float32},
      {"<long", DType::Int64},
  }};
  for (const auto& [mark, type] : kMarks)
    if (has(mark)) return {type, byteSize(type)};
  return {};
}

}  // namespace ridgeline::cost
