// What the formulas share: gathering the parts of a cost, and texts for people.

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

Estimate::Estimate(const Call& call) : call_(call) {
  cost_.family = call.rule.family;
}

const ArgShape* Estimate::tensor(std::size_t index, std::string_view what) {
  const ArgShape& arg = call_.arg(index);
  if (arg.isTensor()) return &arg;
  missing("the size of " + std::string(what));
  return nullptr;
}

void Estimate::hintType(DType& type, int& size) {
  size = byteSize(type);
  if (size > 0) return;
  const ElementHint hint = elementHint(call_.context.kernelName);
  if (hint.size == 0) return;
  type = hint.type;
  size = hint.size;
  cost_.inferred = true;
}

Estimate& Estimate::touch(double elements, DType type) {
  if (elements <= 0) return *this;
  int size = 0;
  hintType(type, size);
  if (size == 0) {
    bytesKnown_ = false;
    typeMissing_ = true;
  }
  bytes_ += elements * size;
  return *this;
}

Estimate& Estimate::touch(const ArgShape& arg, double times) {
  return touch(touchedElements(arg) * times, arg.dtype);
}

Estimate& Estimate::bytes(double count) {
  bytes_ += count;
  return *this;
}

Estimate& Estimate::missing(std::string what) {
  if (std::find(cost_.missing.begin(), cost_.missing.end(), what) == cost_.missing.end())
    cost_.missing.push_back(std::move(what));
  return *this;
}

Estimate& Estimate::missingConcrete(std::string_view what) {
  return missing("Concrete Inputs: " + std::string(what));
}

Estimate& Estimate::shape(std::string text) {
  cost_.shape = std::move(text);
  return *this;
}

Estimate& Estimate::formula(std::string text) {
  cost_.formula = std::move(text);
  return *this;
}

Estimate& Estimate::compute(DType type) {
  int size = 0;
  hintType(type, size);
  cost_.computeType = type;
  return *this;
}

Estimate& Estimate::matrix() {
  cost_.matrixOp = true;
  return *this;
}

Estimate& Estimate::upperBound() {
  cost_.upperBound = true;
  return *this;
}

Estimate& Estimate::inferred() {
  cost_.inferred = true;
  return *this;
}

Estimate& Estimate::noBytes() {
  bytesKnown_ = false;
  return *this;
}

OpCost Estimate::done(std::optional<double> flops) {
  cost_.flops = flops;
  if (bytesKnown_) cost_.bytes = bytes_;
  // A damaged record may hold sizes that nothing has.
  const auto impossible = [](std::optional<double>& value) {
    const bool bad = value && !(*value >= 0 && std::isfinite(*value));
    if (bad) value.reset();
    return bad;
  };
  const bool badFlops = impossible(cost_.flops);
  if (impossible(cost_.bytes) || badFlops) missing("possible sizes (the record is damaged)");
  if (typeMissing_)
    missing(call_.shapes.hasTypes ? "the element type (not recorded for lists of tensors)"
                                  : "Input type (record_shapes=True)");
  return std::move(cost_);
}

OpCost Estimate::unknown() {
  bytesKnown_ = false;
  if (cost_.missing.empty()) missing("sizes that fit the op");
  return done(std::nullopt);
}

double product(std::span<const std::int64_t> dims) {
  double count = 1;
  for (const std::int64_t size : dims) count *= toDouble(size);
  return count;
}

double touchedElements(const ArgShape& arg) {
  if (!arg.isTensor() || arg.strides.size() != arg.dims.size()) return arg.elements();
  double count = 1;
  for (std::size_t i = 0; i < arg.dims.size(); ++i)
    if (arg.strides[i] != 0 || arg.dims[i] == 0) count *= toDouble(arg.dims[i]);
  return count;
}

std::optional<Dims> broadcast(std::span<const ArgShape* const> operands) {
  Dims out;
  for (const ArgShape* operand : operands) {
    if (!operand->isTensor()) continue;
    const Dims& dims = operand->dims;
    if (dims.size() > out.size()) out.insert(out.begin(), dims.size() - out.size(), 1);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      std::int64_t& size = out[out.size() - dims.size() + i];
      if (size != dims[i] && size != 1 && dims[i] != 1) return std::nullopt;
      if (size == 1) size = dims[i];
    }
  }
  return out;
}

std::string text(std::span<const std::int64_t> dims) {
  if (dims.empty()) return "scalar";
  std::string out;
  for (const std::int64_t size : dims) {
    if (!out.empty()) out += "×";
    out += std::to_string(size);
  }
  return out;
}

std::string text(const ArgShape& arg) {
  switch (arg.kind) {
    case ArgShape::Kind::Tensor:
      return text(arg.dims);
    case ArgShape::Kind::TensorList:
      return std::to_string(arg.list.size()) + (arg.list.size() == 1 ? " tensor, " : " tensors, ") +
             text(arg.elements()) + " elements";
    case ArgShape::Kind::Scalar:
    case ArgShape::Kind::None:
      break;
  }
  return "number";
}

std::string text(double value) {
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  if (error != std::errc()) return {};
  if (std::abs(value) < 1e15 && value == std::floor(value))
    return std::to_string(static_cast<std::int64_t>(value));
  return std::string(buffer, end);
}

std::optional<Dims> spatial(const ArgShape& arg, std::size_t count) {
  std::optional<Dims> values = concreteIntegers(arg.concrete);
  if (!values || values->empty()) return std::nullopt;
  if (values->size() == 1) values->assign(count, values->front());
  if (values->size() != count) return std::nullopt;
  return values;
}

std::optional<std::size_t> dimIndex(const ArgShape& arg, std::size_t rank) {
  const std::optional<Dims> values = concreteIntegers(arg.concrete);
  if (!values || values->size() != 1) return std::nullopt;
  const std::int64_t size = static_cast<std::int64_t>(rank);
  const std::int64_t index = values->front() < 0 ? values->front() + size : values->front();
  if (index < 0 || index >= size) return std::nullopt;
  return static_cast<std::size_t>(index);
}

OpCost nothing(const Call& call) {
  Estimate estimate(call);
  estimate.formula("launches nothing");
  return estimate.done(0.0);
}

}  // namespace ridgeline::cost
