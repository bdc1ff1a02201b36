#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline {

/// The element type of a recorded tensor, or Unknown where none was recorded.
enum class DType : std::uint8_t {
  Unknown,
  Float64,
  Float32,
  Float16,
  BFloat16,
  Float8E4M3,
  Float8E5M2,
  Float8E8M0,
  Float4x2,  ///< two 4-bit values in one byte
  Int64,
  Int32,
  Int16,
  Int8,
  UInt64,
  UInt32,
  UInt16,
  UInt8,
  Bool,
  ComplexHalf,
  ComplexFloat,
  ComplexDouble,
};

/// Bytes of one element; 0 for Unknown. Source: the scalar types of c10.
[[nodiscard]] int byteSize(DType type);
/// A short name for people and for JSON: "fp32", "bf16", "fp8 e4m3", "int64", …; "" for Unknown.
[[nodiscard]] std::string_view name(DType type);
/// The type behind a name as profilers write it ("c10::BFloat16", "long int", "float",
/// "BFloat16", "torch.float16"); Unknown for what is no tensor type ("Scalar", "Int", "", …).
[[nodiscard]] DType dtypeFromText(std::string_view text);
/// The same of a collective's record, which has the names of c10::ScalarType ("Float", "Long"). In
/// the shapes of an operator "Int" is a plain number's type, not a tensor's.
[[nodiscard]] DType scalarTypeFromText(std::string_view text);

/// One recorded argument of an operator.
struct ArgShape {
  enum class Kind : std::uint8_t {
    None,        ///< missing (an optional tensor not given) or not recorded
    Tensor,      ///< `dims` and `dtype`; no dims = a tensor of rank 0
    TensorList,  ///< `list`, one entry per tensor; profilers record no dtype for these
    Scalar,      ///< a number, flag, text or list of numbers; its value, if recorded, in `concrete`
  };
  Kind kind = Kind::None;
  DType dtype = DType::Unknown;
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> strides;            ///< in elements; empty = not recorded
  std::vector<std::vector<std::int64_t>> list;  ///< dims of each tensor of a TensorList
  std::string concrete;                         ///< "1e-05", "[1, 1]", "True"; empty = not recorded

  [[nodiscard]] bool isTensor() const { return kind == Kind::Tensor; }
  [[nodiscard]] bool isList() const { return kind == Kind::TensorList; }
  /// Elements of the tensor, or of all tensors of the list; 0 for other kinds.
  [[nodiscard]] double elements() const;

  bool operator==(const ArgShape&) const = default;
};

/// What a profiler recorded of an operator's inputs.
/// Invariant: `args` has as many entries as the longest of the recorded lists.
struct OpShapes {
  std::vector<ArgShape> args;
  bool hasDims = false;      ///< "Input Dims" was recorded (record_shapes=True)
  bool hasTypes = false;     ///< "Input type" was recorded and is not empty beside dims
  bool hasConcrete = false;  ///< "Concrete Inputs" was recorded (PyTorch 2.1 and later)

  /// The argument, or one of kind None where there are fewer.
  [[nodiscard]] const ArgShape& arg(std::size_t index) const;
};

/// Reads the raw JSON texts of "Input Dims", "Input type", "Concrete Inputs" and "Input Strides"
/// (each a JSON array; an empty text = not recorded). Empty result if one of them is no such array.
[[nodiscard]] std::optional<OpShapes> parseOpShapes(std::string_view dims, std::string_view types,
                                                    std::string_view concrete = {},
                                                    std::string_view strides = {});

/// Whole numbers of a recorded value: "[1, 1]" → {1, 1}, "3" → {3}. Empty if it holds anything
/// else (or nothing at all).
[[nodiscard]] std::optional<std::vector<std::int64_t>> concreteIntegers(std::string_view text);
/// "True"/"true"/"1" and "False"/"false"/"0".
[[nodiscard]] std::optional<bool> concreteBool(std::string_view text);
/// Flags of "[True, False, True]".
[[nodiscard]] std::optional<std::vector<bool>> concreteBools(std::string_view text);

}  // namespace ridgeline
