#include "core/workload/op_shapes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace ridgeline {

namespace {

struct TypeInfo {
  DType type;
  int size;
  std::string_view shortName;
};

constexpr std::array kTypes{
    TypeInfo{DType::Unknown, 0, ""},
    TypeInfo{DType::Float64, 8, "fp64"},
    TypeInfo{DType::Float32, 4, "fp32"},
    TypeInfo{DType::Float16, 2, "fp16"},
    TypeInfo{DType::BFloat16, 2, "bf16"},
    TypeInfo{DType::Float8E4M3, 1, "fp8 e4m3"},
    TypeInfo{DType::Float8E5M2, 1, "fp8 e5m2"},
    TypeInfo{DType::Float8E8M0, 1, "fp8 e8m0"},
    TypeInfo{DType::Float4x2, 1, "fp4"},
    TypeInfo{DType::Int64, 8, "int64"},
    TypeInfo{DType::Int32, 4, "int32"},
    TypeInfo{DType::Int16, 2, "int16"},
    TypeInfo{DType::Int8, 1, "int8"},
    TypeInfo{DType::UInt64, 8, "uint64"},
    TypeInfo{DType::UInt32, 4, "uint32"},
    TypeInfo{DType::UInt16, 2, "uint16"},
    TypeInfo{DType::UInt8, 1, "uint8"},
    TypeInfo{DType::Bool, 1, "bool"},
    TypeInfo{DType::ComplexHalf, 4, "complex fp16"},
    TypeInfo{DType::ComplexFloat, 8, "complex fp32"},
    TypeInfo{DType::ComplexDouble, 16, "complex fp64"},
};

const TypeInfo& infoOf(DType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < kTypes.size() ? kTypes[index] : kTypes[0];
}

/// What a profiler calls its types. "Int", "Double", "Bool" (capitals) are numbers of old files.
constexpr auto kTypeNames = std::to_array<std::pair<std::string_view, DType>>({
    {"float", DType::Float32},
    {"double", DType::Float64},
    {"Half", DType::Float16},
    {"half", DType::Float16},
    {"BFloat16", DType::BFloat16},
    {"bfloat16", DType::BFloat16},
    {"float16", DType::Float16},
    {"float32", DType::Float32},
    {"float64", DType::Float64},
    {"Float8_e4m3fn", DType::Float8E4M3},
    {"Float8_e4m3fnuz", DType::Float8E4M3},
    {"Float8_e5m2", DType::Float8E5M2},
    {"Float8_e5m2fnuz", DType::Float8E5M2},
    {"Float8_e8m0fnu", DType::Float8E8M0},
    {"Float4_e2m1fn_x2", DType::Float4x2},
    {"float8_e4m3fn", DType::Float8E4M3},
    {"float8_e4m3fnuz", DType::Float8E4M3},
    {"float8_e5m2", DType::Float8E5M2},
    {"float8_e5m2fnuz", DType::Float8E5M2},
    {"float8_e8m0fnu", DType::Float8E8M0},
    {"long int", DType::Int64},
    {"long", DType::Int64},
    {"long long", DType::Int64},
    {"int64", DType::Int64},
    {"int64_t", DType::Int64},
    {"int", DType::Int32},
    {"int32", DType::Int32},
    {"short int", DType::Int16},
    {"short", DType::Int16},
    {"int16", DType::Int16},
    {"signed char", DType::Int8},
    {"char", DType::Int8},
    {"int8", DType::Int8},
    {"qint8", DType::Int8},
    {"unsigned char", DType::UInt8},
    {"uint8", DType::UInt8},
    {"quint8", DType::UInt8},
    {"qint32", DType::Int32},
    {"short unsigned int", DType::UInt16},
    {"unsigned short", DType::UInt16},
    {"unsigned int", DType::UInt32},
    {"long unsigned int", DType::UInt64},
    {"unsigned long", DType::UInt64},
    {"bool", DType::Bool},
    {"complex<Half>", DType::ComplexHalf},
    {"complex<float>", DType::ComplexFloat},
    {"complex<double>", DType::ComplexDouble},
    {"complex64", DType::ComplexFloat},
    {"complex128", DType::ComplexDouble},
});

/// A reader of the few kinds of JSON that the four lists hold. Never throws; the first thing it
/// does not understand stops it.
class ListReader {
 public:
  explicit ListReader(std::string_view text) : text_(text) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool atEnd() {
    skipSpace();
    return pos_ == text_.size();
  }
  [[nodiscard]] char peek() {
    skipSpace();
    return pos_ < text_.size() ? text_[pos_] : '\0';
  }
  /// Calls `item` before each element of the array that starts here.
  template <class Item>
  void array(Item item) {
    if (!take('[')) return;
    if (peek() == ']') {
      ++pos_;
      return;
    }
    while (ok_) {
      item();
      if (!ok_) return;
      if (peek() == ',') {
        ++pos_;
      } else {
        take(']');
        return;
      }
    }
  }
  std::int64_t integer() {
    skipSpace();
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + pos_, text_.data() + text_.size(), value);
    if (error != std::errc()) {
      ok_ = false;
      return 0;
    }
    pos_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }
  /// A string's text, or the raw text of a number, true, false; null is empty.
  std::string scalar() {
    if (peek() == '"') return quoted();
    const std::size_t start = pos_;
    while (pos_ < text_.size() && text_[pos_] != ',' && text_[pos_] != ']' && text_[pos_] != '[' &&
           text_[pos_] != '{' && text_[pos_] != '"')
      ++pos_;
    std::size_t end = pos_;
    while (end > start && isSpace(text_[end - 1])) --end;
    if (end == start) ok_ = false;
    const std::string_view word = text_.substr(start, end - start);
    return word == "null" ? std::string() : std::string(word);
  }
  void fail() { ok_ = false; }

 private:
  static bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  void skipSpace() {
    while (pos_ < text_.size() && isSpace(text_[pos_])) ++pos_;
  }
  bool take(char expected) {
    if (peek() != expected) {
      ok_ = false;
      return false;
    }
    ++pos_;
    return true;
  }
  std::string quoted() {
    std::string out;
    for (++pos_; pos_ < text_.size(); ++pos_) {
      const char c = text_[pos_];
      if (c == '"') {
        ++pos_;
        return out;
      }
      if (c == '\\' && pos_ + 1 < text_.size()) {
        const char next = text_[++pos_];
        if (next != '"' && next != '\\' && next != '/') out += '\\';
        out += next;
      } else {
        out += c;
      }
    }
    ok_ = false;
    return out;
  }

  std::string_view text_;
  std::size_t pos_ = 0;
  bool ok_ = true;
};

/// One entry of "Input Dims" or "Input Strides": the sizes of a tensor, or those of several.
struct SizesEntry {
  std::vector<std::int64_t> sizes;
  std::vector<std::vector<std::int64_t>> list;
  bool isList = false;
};

void readSizes(ListReader& reader, SizesEntry& entry, int depth) {
  std::vector<std::int64_t> sizes;
  bool nested = false;
  reader.array([&] {
    if (reader.peek() == '[') {
      nested = true;
      if (depth >= 2) return reader.fail();
      readSizes(reader, entry, depth + 1);
    } else {
      sizes.push_back(reader.integer());
    }
  });
  if (nested && !sizes.empty()) reader.fail();
  if (nested) entry.isList = true;
  if (nested) return;
  if (depth == 0) {
    entry.sizes = std::move(sizes);
  } else {
    entry.list.push_back(std::move(sizes));
  }
}

std::optional<std::vector<SizesEntry>> readAllSizes(std::string_view text) {
  std::vector<SizesEntry> out;
  ListReader reader(text);
  reader.array([&] {
    if (reader.peek() == 'n') {  // null
      if (!reader.scalar().empty()) reader.fail();
      out.emplace_back();
    } else {
      readSizes(reader, out.emplace_back(), 0);
    }
  });
  if (!reader.ok() || !reader.atEnd()) return std::nullopt;
  return out;
}

std::optional<std::vector<std::string>> readAllTexts(std::string_view text) {
  std::vector<std::string> out;
  ListReader reader(text);
  reader.array([&] { out.push_back(reader.scalar()); });
  if (!reader.ok() || !reader.atEnd()) return std::nullopt;
  return out;
}

bool isNumberType(std::string_view type) {
  return type == "Scalar" || type == "ScalarList" || type == "Int" || type == "Double" ||
         type == "Bool" || type == "GenericList" || type == "IntList" || type == "DoubleList" ||
         type == "BoolList" || type == "String" || type == "Device" || type == "SymInt" ||
         type == "SymIntList" || type == "ComplexDouble";
}

void setKind(ArgShape& arg, SizesEntry sizes, std::string_view type, bool hasTypes) {
  arg.dtype = dtypeFromText(type);
  arg.dims = std::move(sizes.sizes);
  arg.list = std::move(sizes.list);
  if (sizes.isList || type == "TensorList" || type == "OptionalTensorList") {
    arg.kind = ArgShape::Kind::TensorList;
  } else if (arg.dtype != DType::Unknown || !arg.dims.empty()) {
    arg.kind = ArgShape::Kind::Tensor;
  } else if (isNumberType(type) || (!arg.concrete.empty() && (type.empty() || !hasTypes))) {
    arg.kind = ArgShape::Kind::Scalar;
  }
}

/// Some writers put the list into a string: "\"[[1, 2]]\"".
std::string unwrapped(std::string_view text) {
  ListReader reader(text);
  if (reader.peek() != '"') return std::string(text);
  return reader.scalar();
}

}  // namespace

int byteSize(DType type) {
  return infoOf(type).size;
}

std::string_view name(DType type) {
  return infoOf(type).shortName;
}

DType dtypeFromText(std::string_view text) {
  constexpr std::array<std::string_view, 3> kPrefixes{"c10::", "at::", "torch."};
  for (const std::string_view prefix : kPrefixes)
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  if (text == "complex<c10::Half>") return DType::ComplexHalf;
  for (const auto& [known, type] : kTypeNames)
    if (known == text) return type;
  return DType::Unknown;
}

DType scalarTypeFromText(std::string_view text) {
  static constexpr auto kNames =
      std::to_array<std::pair<std::string_view, DType>>({{"Float", DType::Float32},
                                                         {"Double", DType::Float64},
                                                         {"Long", DType::Int64},
                                                         {"Int", DType::Int32},
                                                         {"Short", DType::Int16},
                                                         {"Char", DType::Int8},
                                                         {"Byte", DType::UInt8},
                                                         {"Bool", DType::Bool},
                                                         {"ComplexFloat", DType::ComplexFloat},
                                                         {"ComplexDouble", DType::ComplexDouble}});
  for (const auto& [known, type] : kNames)
    if (known == text) return type;
  return dtypeFromText(text);
}

double ArgShape::elements() const {
  const auto product = [](const std::vector<std::int64_t>& sizes) {
    double count = 1;
    for (const std::int64_t size : sizes) count *= static_cast<double>(size);
    return count;
  };
  if (kind == Kind::Tensor) return product(dims);
  double sum = 0;
  if (kind == Kind::TensorList)
    for (const auto& sizes : list) sum += product(sizes);
  return sum;
}

const ArgShape& OpShapes::arg(std::size_t index) const {
  static const ArgShape kNone;
  return index < args.size() ? args[index] : kNone;
}

std::optional<OpShapes> parseOpShapes(std::string_view dims, std::string_view types,
                                      std::string_view concrete, std::string_view strides) {
  std::vector<SizesEntry> allDims;
  std::vector<std::string> allTypes;
  std::vector<std::string> allConcrete;
  std::vector<SizesEntry> allStrides;
  const auto read = [](std::string_view text, auto& into, auto reader) {
    if (text.empty() || text == "null") return true;
    auto list = reader(unwrapped(text));
    if (list) into = std::move(*list);
    return list.has_value();
  };
  if (!read(dims, allDims, readAllSizes) || !read(types, allTypes, readAllTexts) ||
      !read(concrete, allConcrete, readAllTexts) || !read(strides, allStrides, readAllSizes))
    return std::nullopt;

  OpShapes shapes;
  shapes.hasDims = !dims.empty() && dims != "null";
  // Files of 2020/21 write "Input type": [] beside dims.
  shapes.hasTypes = !allTypes.empty() || (shapes.hasDims && allDims.empty());
  shapes.hasConcrete = !concrete.empty() && concrete != "null";
  const std::size_t count = std::max({allDims.size(), allTypes.size(), allConcrete.size()});
  shapes.args.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    ArgShape& arg = shapes.args[i];
    if (i < allConcrete.size()) arg.concrete = std::move(allConcrete[i]);
    // A type without dims beside it is no tensor of rank 0.
    const bool dimless = shapes.hasDims && i >= allDims.size();
    const std::string_view type =
        i < allTypes.size() && !dimless ? std::string_view(allTypes[i]) : std::string_view();
    setKind(arg, i < allDims.size() ? std::move(allDims[i]) : SizesEntry{}, type, shapes.hasTypes);
    if (i < allStrides.size() && arg.isTensor()) arg.strides = std::move(allStrides[i].sizes);
  }
  return shapes;
}

std::optional<std::vector<std::int64_t>> concreteIntegers(std::string_view text) {
  std::vector<std::int64_t> out;
  ListReader reader(text);
  if (reader.peek() == '[') {
    reader.array([&] { out.push_back(reader.integer()); });
  } else {
    out.push_back(reader.integer());
  }
  if (!reader.ok() || !reader.atEnd()) return std::nullopt;
  return out;
}

std::optional<bool> concreteBool(std::string_view text) {
  if (text == "True" || text == "true" || text == "1") return true;
  if (text == "False" || text == "false" || text == "0") return false;
  return std::nullopt;
}

std::optional<std::vector<bool>> concreteBools(std::string_view text) {
  std::vector<bool> out;
  ListReader reader(text);
  reader.array([&] {
    const std::optional<bool> flag = concreteBool(reader.scalar());
    if (!flag) return reader.fail();
    out.push_back(*flag);
  });
  if (!reader.ok() || !reader.atEnd()) return std::nullopt;
  return out;
}

}  // namespace ridgeline
