// Copies, fills, casts, concatenation, random numbers, dropout, memcpy records; and the ops that
// launch nothing (ANALYSIS 3.4, 3.5).

#include <algorithm>
#include <array>
#include <cmath>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

constexpr OpFamily kCopy = OpFamily::Copy;

/// copy_(to, from).
OpCost copyInto(const Call& call) {
  Estimate estimate(call);
  const ArgShape* to = estimate.tensor(0, "the destination");
  const ArgShape* from = estimate.tensor(1, "the source");
  if (!to || !from) return estimate.unknown();
  estimate.shape(text(to->dims) + (to->dims == from->dims ? "" : " ← " + text(from->dims)));
  estimate.compute(to->dtype).touch(*from).touch(to->elements(), to->dtype);
  return estimate.formula("0; read once, written once").done(0.0);
}

/// The same elements anew: clone, contiguous, flip, roll, tril, …
OpCost copyOf(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the source");
  if (!x) return estimate.unknown();
  estimate.compute(x->dtype).shape(text(x->dims)).touch(*x).touch(x->elements(), x->dtype);
  return estimate.formula("0; read once, written once").done(0.0);
}

/// _to_copy(x, dtype, …), to(x, dtype, …), type_as(x, other).
OpCost cast(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the source");
  if (!x) return estimate.unknown();
  DType result = x->dtype;
  const ArgShape& target = call.arg(1);
  if (target.isTensor()) {
    result = target.dtype;
  } else if (!call.shapes.hasConcrete) {
    estimate.missingConcrete("dtype").noBytes();
  } else if (const DType asked = dtypeFromCode(target.concrete); asked != DType::Unknown) {
    result = asked;
  }
  estimate.compute(result).shape(text(x->dims)).touch(*x).touch(x->elements(), result);
  return estimate.formula("0; read once, written once").done(0.0);
}

/// fill_, zero_, zeros_like: written once.
OpCost fill(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "what is filled");
  if (!x) return estimate.unknown();
  estimate.compute(x->dtype).shape(text(x->dims)).touch(x->elements(), x->dtype);
  return estimate.formula("0; written once").done(0.0);
}

/// zeros(size, dtype, …), new_zeros(x, size, dtype, …), full(size, value, dtype, …).
OpCost create(const Call& call) {
  Estimate estimate(call);
  const bool isNew = call.name.starts_with("aten::new_");
  const std::optional<Dims> size = concreteIntegers(call.arg(isNew ? 1 : 0).concrete);
  if (!size) return estimate.missingConcrete("size").unknown();
  const bool valued = call.name.find("full") != std::string_view::npos;
  DType type = dtypeFromCode(call.arg((isNew ? 2 : 1) + (valued ? 1 : 0)).concrete);
  if (type == DType::Unknown && isNew) type = call.arg(0).dtype;
  estimate.shape(text(*size)).compute(type);
  if (type == DType::Unknown) {
    estimate.missingConcrete("dtype").noBytes();
  } else {
    estimate.touch(product(*size), type);
  }
  return estimate.formula("0; written once").done(0.0);
}

/// arange(start, end, step, out).
OpCost range(const Call& call) {
  Estimate estimate(call);
  std::vector<double> numbers;
  DType type = DType::Unknown;
  for (const ArgShape& arg : call.shapes.args) {
    if (arg.isTensor()) type = arg.dtype;
    if (arg.kind != ArgShape::Kind::Scalar || numbers.size() >= 3) continue;
    const auto value = concreteIntegers(arg.concrete);
    if (!value || value->size() != 1) break;
    numbers.push_back(toDouble(value->front()));
  }
  if (numbers.empty()) return estimate.missingConcrete("start, end, step").unknown();
  const double start = numbers.size() > 1 ? numbers[0] : 0;
  const double end = numbers.size() > 1 ? numbers[1] : numbers[0];
  const double step = numbers.size() > 2 && type != DType::Unknown ? numbers[2] : 1;
  if (step == 0) return estimate.missingConcrete("start, end, step").unknown();
  const double n = std::max(0.0, std::ceil((end - start) / step));
  estimate.shape(text(n)).compute(type);
  if (type == DType::Unknown) {
    estimate.missing("the result's type").noBytes();
  } else {
    estimate.touch(n, type);
  }
  return estimate.formula("0; written once").done(0.0);
}

/// cat(tensors, dim), stack(tensors, dim).
OpCost concatenate(const Call& call) {
  Estimate estimate(call);
  const ArgShape& list = call.arg(0);
  if (!list.isList() || list.list.empty() || call.shapes.args.size() > 3) {
    return estimate.missing("the sizes in the list (recorded since PyTorch 2.1, up to 30 tensors)")
        .unknown();
  }
  std::string shape;
  for (std::size_t i = 0; i < list.list.size() && i < 4; ++i)
    shape += (i > 0 ? ", " : "") + text(list.list[i]);
  if (list.list.size() > 4) shape += ", … " + text(toDouble(std::ssize(list.list))) + " tensors";
  const DType type = call.arg(2).isTensor() ? call.arg(2).dtype : DType::Unknown;
  estimate.shape(shape).compute(type).touch(2 * list.elements(), type);
  return estimate.formula("0; read once, written once").done(0.0);
}

/// repeat(x, times), tile.
OpCost repeat(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the source");
  if (!x) return estimate.unknown();
  const std::optional<Dims> times = concreteIntegers(call.arg(1).concrete);
  if (!times) return estimate.missingConcrete("repeats").unknown();
  estimate.compute(x->dtype).shape(text(x->dims) + " repeated " + text(*times));
  estimate.touch(*x).touch(x->elements() * product(*times), x->dtype);
  return estimate.formula("0; read once, written repeatedly").done(0.0);
}

/// constant_pad_nd(x, [left, right, …] from the last dim, value).
OpCost pad(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the source");
  if (!x) return estimate.unknown();
  const std::optional<Dims> sides = concreteIntegers(call.arg(1).concrete);
  if (!sides || sides->size() % 2 != 0 || sides->size() / 2 > x->dims.size())
    return estimate.missingConcrete("pad").unknown();
  Dims out = x->dims;
  for (std::size_t i = 0; i + 1 < sides->size(); i += 2)
    out[out.size() - 1 - i / 2] += (*sides)[i] + (*sides)[i + 1];
  estimate.compute(x->dtype).shape(text(x->dims) + " → " + text(out));
  estimate.touch(*x).touch(product(out), x->dtype);
  return estimate.formula("0; read once, written once").done(0.0);
}

/// One value to the host.
OpCost readScalar(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the value");
  if (!x) return estimate.unknown();
  return estimate.shape("scalar").touch(1, x->dtype).formula("0").done(0.0);
}

/// normal_, uniform_, bernoulli_, …: written once.
OpCost random(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "what is filled");
  if (!x) return estimate.unknown();
  const double n = x->elements();
  estimate.compute(x->dtype).shape(text(x->dims)).touch(n, x->dtype);
  return estimate.formula("n").done(n);
}

/// native_dropout(x, p, train): the result and a mask of flags.
OpCost dropout(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the input");
  if (!x) return estimate.unknown();
  const double n = x->elements();
  estimate.compute(x->dtype).shape(text(x->dims));
  if (call.name == "aten::dropout" && !concreteBool(call.arg(2).concrete).value_or(true))
    return estimate.formula("off: launches nothing").done(0.0);
  estimate.touch(*x).touch(n, x->dtype).bytes(n);
  return estimate.formula("2·n").done(2 * n);
}

OpCost dropoutBackward(const Call& call) {
  Estimate estimate(call);
  const ArgShape* grad = estimate.tensor(0, "the gradient");
  const ArgShape* mask = estimate.tensor(1, "the mask");
  if (!grad || !mask) return estimate.unknown();
  const double n = grad->elements();
  estimate.compute(grad->dtype).shape(text(grad->dims));
  estimate.touch(*grad).touch(*mask).touch(n, grad->dtype);
  return estimate.formula("2·n").done(2 * n);
}

constexpr Rule copies(std::string_view name, OpCost (*cost)(const Call&)) {
  return {name, kCopy, cost};
}
constexpr Rule randoms(std::string_view name) {
  return {name, OpFamily::Random, random};
}

constexpr std::array kRules{
    copies("aten::copy_", copyInto),
    copies("aten::copy", copyInto),
    copies("aten::_copy_from", copyInto),
    copies("aten::clone", copyOf),
    copies("aten::contiguous", copyOf),
    copies("aten::flip", copyOf),
    copies("aten::roll", copyOf),
    copies("aten::tril", copyOf),
    copies("aten::triu", copyOf),
    copies("aten::channel_shuffle", copyOf),
    copies("aten::native_channel_shuffle", copyOf),
    copies("aten::pixel_shuffle", copyOf),
    copies("aten::pixel_unshuffle", copyOf),
    copies("aten::view_copy", copyOf),
    copies("aten::permute_copy", copyOf),
    copies("aten::transpose_copy", copyOf),
    copies("aten::_to_copy", cast),
    copies("aten::to", cast),
    copies("aten::type_as", cast),
    copies("aten::fill", fill),
    copies("aten::zero", fill),
    copies("aten::zeros_like", fill),
    copies("aten::ones_like", fill),
    copies("aten::full_like", fill),
    copies("aten::eye", fill),
    copies("aten::zeros", create),
    copies("aten::ones", create),
    copies("aten::full", create),
    copies("aten::new_zeros", create),
    copies("aten::new_ones", create),
    copies("aten::new_full", create),
    copies("aten::arange", range),
    copies("aten::cat", concatenate),
    copies("aten::_cat", concatenate),
    copies("aten::concat", concatenate),
    copies("aten::concatenate", concatenate),
    copies("aten::stack", concatenate),
    copies("aten::_stack", concatenate),
    copies("aten::flatten_dense_tensors", concatenate),
    copies("aten::repeat", repeat),
    copies("aten::tile", repeat),
    copies("aten::constant_pad_nd", pad),
    copies("aten::_local_scalar_dense", readScalar),
    randoms("aten::normal"),
    randoms("aten::uniform"),
    randoms("aten::bernoulli"),
    randoms("aten::random"),
    randoms("aten::exponential"),
    randoms("aten::log_normal"),
    randoms("aten::cauchy"),
    randoms("aten::geometric"),
    randoms("aten::rand_like"),
    randoms("aten::randn_like"),
    Rule{"aten::dropout", OpFamily::Dropout, dropout},
    Rule{"aten::native_dropout", OpFamily::Dropout, dropout},
    Rule{"aten::_fused_dropout", OpFamily::Dropout, dropout},
    Rule{"aten::native_dropout_backward", OpFamily::Dropout, dropoutBackward},
};

/// Ops that change how memory is seen, reserve it, or ask about it.
constexpr auto kViews = std::to_array<std::string_view>({"aten::view",
                                                         "aten::_unsafe_view",
                                                         "aten::reshape",
                                                         "aten::_reshape_alias",
                                                         "aten::reshape_as",
                                                         "aten::view_as",
                                                         "aten::t",
                                                         "aten::transpose",
                                                         "aten::permute",
                                                         "aten::expand",
                                                         "aten::expand_as",
                                                         "aten::broadcast_to",
                                                         "aten::broadcast_tensors",
                                                         "aten::slice",
                                                         "aten::select",
                                                         "aten::narrow",
                                                         "aten::squeeze",
                                                         "aten::unsqueeze",
                                                         "aten::as_strided",
                                                         "aten::detach",
                                                         "aten::alias",
                                                         "aten::flatten",
                                                         "aten::unflatten",
                                                         "aten::ravel",
                                                         "aten::split",
                                                         "aten::split_with_sizes",
                                                         "aten::tensor_split",
                                                         "aten::unsafe_split",
                                                         "aten::unsafe_split_with_sizes",
                                                         "aten::chunk",
                                                         "aten::unsafe_chunk",
                                                         "aten::unbind",
                                                         "aten::unfold",
                                                         "aten::diagonal",
                                                         "aten::movedim",
                                                         "aten::moveaxis",
                                                         "aten::swapaxes",
                                                         "aten::swapdims",
                                                         "aten::numpy_T",
                                                         "aten::matrix_H",
                                                         "aten::mT",
                                                         "aten::mH",
                                                         "aten::adjoint",
                                                         "aten::real",
                                                         "aten::imag",
                                                         "aten::view_as_real",
                                                         "aten::view_as_complex",
                                                         "aten::_conj",
                                                         "aten::conj",
                                                         "aten::_neg_view",
                                                         "aten::resolve_conj",
                                                         "aten::resolve_neg",
                                                         "aten::lift",
                                                         "aten::lift_fresh",
                                                         "aten::empty",
                                                         "aten::empty_like",
                                                         "aten::empty_strided",
                                                         "aten::new_empty",
                                                         "aten::new_empty_strided",
                                                         "aten::resize",
                                                         "aten::resize_as",
                                                         "aten::_resize_output",
                                                         "aten::set",
                                                         "aten::set_data",
                                                         "aten::item",
                                                         "aten::is_nonzero",
                                                         "aten::is_pinned",
                                                         "aten::is_floating_point",
                                                         "aten::is_complex",
                                                         "aten::is_same_size",
                                                         "aten::result_type",
                                                         "aten::can_cast",
                                                         "aten::record_stream",
                                                         "aten::requires_grad",
                                                         "aten::retain_grad",
                                                         "aten::output_nr",
                                                         "aten::_version",
                                                         "aten::size",
                                                         "aten::stride",
                                                         "aten::storage_offset",
                                                         "aten::numel",
                                                         "aten::dim",
                                                         "aten::sym_size",
                                                         "aten::pin_memory",
                                                         "aten::_pin_memory",
                                                         "aten::_has_compatible_shallow_copy_type",
                                                         "aten::_nested_view_from_buffer",
                                                         "aten::unflatten_dense_tensors",
                                                         "aten::_cudnn_init_dropout_state",
                                                         "aten::atleast_1d",
                                                         "aten::atleast_2d",
                                                         "aten::meshgrid",
                                                         "aten::hsplit",
                                                         "aten::vsplit",
                                                         "aten::dsplit",
                                                         "aten::_coalesced",
                                                         "aten::data",
                                                         "aten::values",
                                                         "aten::indices",
                                                         "detach",
                                                         "detach_",
                                                         "_c10d_functional::wait_tensor",
                                                         "c10d_functional::wait_tensor"});

OpCost memoryRecord(const Call& call) {
  Estimate estimate(call);
  const std::size_t open = call.name.find(' ');
  estimate.shape(std::string(open == std::string_view::npos
                                 ? ""
                                 : call.name.substr(open + 1, call.name.find('(') - open - 2)));
  if (!call.context.transferBytes) return estimate.missing("bytes").unknown();
  // Device to device: read and written in the same memory.
  const bool twice = call.name.find("DtoD") != std::string_view::npos ||
                     call.name.find("Device -> Device") != std::string_view::npos;
  estimate.bytes((twice ? 2 : 1) * toDouble(*call.context.transferBytes));
  return estimate.formula(twice ? "0; read and written" : "0; bytes as recorded").done(0.0);
}

constexpr Rule kMemoryRecord{"memcpy", OpFamily::Transfer, memoryRecord};

}  // namespace

std::span<const Rule> copyRules() {
  return kRules;
}

std::span<const Rule> viewRules() {
  static const std::vector<Rule> kRulesOfViews = [] {
    std::vector<Rule> out;
    for (const std::string_view name : kViews) out.push_back({name, OpFamily::View, nothing});
    return out;
  }();
  return kRulesOfViews;
}

const Rule* patternRule(std::string_view name) {
  constexpr std::array<std::string_view, 8> kRecords{"Memcpy ",
                                                     "Memset ",
                                                     "memcpy",
                                                     "memset",
                                                     "CopyHostToDevice",
                                                     "CopyDeviceToHost",
                                                     "CopyDeviceToDevice",
                                                     "FillBuffer"};
  for (const std::string_view prefix : kRecords)
    if (name.starts_with(prefix)) return &kMemoryRecord;
  if (const Rule* rule = foreachRule(name)) return rule;
  if (const Rule* rule = tritonRule(name)) return rule;
  return collectivePattern(name);
}

}  // namespace ridgeline::cost
