#include "core/workload/op_call_costs.h"

#include <algorithm>
#include <set>

#include "core/base/seeded_hash.h"
#include "core/workload/xla_work.h"

namespace ridgeline {

namespace {

/// How many ops after a convolution may stand between it and the op that takes its result.
constexpr int kConsumerReach = 40;

bool isBackward(std::string_view opName) {
  return opName.find("backward") != std::string_view::npos;
}

}  // namespace

OpCallCosts::OpCallCosts(const Trace& trace) : trace_(trace) {
  shapes_.resize(trace.shapes().size());
}

std::size_t OpCallCosts::KeyHash::operator()(const Key& k) const noexcept {
  const std::uint64_t a = (std::uint64_t{k.op} << 32) | k.shape;
  const std::uint64_t b = (std::uint64_t{k.kernel} << 32) | k.parentShape;
  return mixHash(mixHash(0, a), b);
}

std::uint32_t OpCallCosts::add(OpCost cost) {
  costs_.push_back(std::move(cost));
  return static_cast<std::uint32_t>(costs_.size() - 1);
}

const OpShapes& OpCallCosts::shapesOf(SliceId op) {
  const ShapeId id = trace_.slices().shape[op.index()];
  if (!id.valid()) return noShapes_;
  std::optional<OpShapes>& parsed = shapes_[id.index()];
  if (!parsed) {
    const ShapeTexts& texts = trace_.shapes()[id.index()];
    parsed = parseOpShapes(trace_.text(texts.dims), trace_.text(texts.types),
                           trace_.text(texts.concrete), trace_.text(texts.strides))
                 .value_or(OpShapes());
  }
  return *parsed;
}

SliceId OpCallCosts::parentOp(SliceId op) const {
  const SliceTable& s = trace_.slices();
  SliceId at = s.parent[op.index()];
  while (at.valid() && s.category[at.index()] != Category::cpuOp) at = s.parent[at.index()];
  return at;
}

const std::vector<SliceId>& OpCallCosts::opsOf(TrackId track) {
  const auto [it, isNew] = opsOfTrack_.try_emplace(track);
  if (!isNew) return it->second;
  const SliceTable& s = trace_.slices();
  for (const Row& row : trace_.rowsOf(track))
    for (std::uint32_t i = row.first; i < row.last; ++i)
      if (s.category[i] == Category::cpuOp && s.shape[i].valid()) it->second.push_back(SliceId(i));
  std::sort(it->second.begin(), it->second.end(), [&](SliceId a, SliceId b) {
    return s.start[a.index()] != s.start[b.index()] ? s.start[a.index()] < s.start[b.index()]
                                                    : s.end[a.index()] > s.end[b.index()];
  });
  return it->second;
}

std::optional<std::vector<std::int64_t>> OpCallCosts::consumerInput(SliceId op) {
  const OpShapes& own = shapesOf(op);
  const ArgShape& input = own.arg(0);
  const ArgShape& weight = own.arg(1);
  if (!input.isTensor() || !weight.isTensor() || input.dims.size() < 3 ||
      weight.dims.size() != input.dims.size())
    return std::nullopt;
  const SliceTable& s = trace_.slices();
  const std::vector<SliceId>& ops = opsOf(trace_.trackOf(op));
  const TimeNs end = s.end[op.index()];
  auto it = std::lower_bound(ops.begin(), ops.end(), end,
                             [&](SliceId a, TimeNs t) { return s.start[a.index()] < t; });
  for (int k = 0; k < kConsumerReach && it != ops.end(); ++k, ++it) {
    const ArgShape& taken = shapesOf(*it).arg(0);
    const bool fits = taken.isTensor() && taken.dims.size() == input.dims.size() &&
                      taken.dims[0] == input.dims[0] && taken.dims[1] == weight.dims[0];
    if (fits) {
      // The spatial size of a convolution's result never exceeds its input by more than the kernel.
      for (std::size_t d = 2; d < taken.dims.size(); ++d)
        if (taken.dims[d] > input.dims[d] + 2 * weight.dims[d]) return std::nullopt;
      return taken.dims;
    }
    if (familyOf(trace_.name(*it)) == OpFamily::Convolution) break;
  }
  return std::nullopt;
}

void OpCallCosts::indexBackwards() {
  backwardsIndexed_ = true;
  const SliceTable& s = trace_.slices();
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.category[i] != Category::cpuOp || !s.shape[i].valid() ||
        !seen.emplace(s.name[i].value, s.shape[i].value).second)
      continue;
    const SliceId op{static_cast<std::uint32_t>(i)};
    const std::string_view opName = trace_.name(op);
    // (dy, x, w, …) of ATen's own, (x, dy, w, …) of the libraries'; their parts end otherwise.
    const bool own = opName == "aten::convolution_backward";
    if (!own && !opName.ends_with("convolution_backward")) continue;
    const OpShapes& shapes = shapesOf(op);
    const ArgShape& gradient = shapes.arg(own ? 0 : 1);
    const ArgShape& input = shapes.arg(own ? 1 : 0);
    const ArgShape& weight = shapes.arg(2);
    if (!gradient.isTensor() || !input.isTensor() || !weight.isTensor()) continue;
    const auto [it, isNew] = gradientOf_.try_emplace({input.dims, weight.dims}, gradient.dims);
    if (!isNew && it->second != gradient.dims) it->second.reset();
  }
}

std::optional<std::vector<std::int64_t>> OpCallCosts::backwardGradient(SliceId op) {
  if (!backwardsIndexed_) indexBackwards();
  const OpShapes& own = shapesOf(op);
  const auto it = gradientOf_.find({own.arg(0).dims, own.arg(1).dims});
  return it == gradientOf_.end() ? std::nullopt : it->second;
}

CostContext OpCallCosts::contextOf(SliceId op, SliceId kernel) {
  CostContext context;
  context.kernelName = trace_.name(kernel);
  context.transferBytes = trace_.slices().bytes.get(kernel);
  const SliceId parent = parentOp(op);
  if (!parent.valid()) return context;
  // cudnn_convolution_backward(x, dy, w) around a gradient holds what that one's record lacks.
  context.parentName = trace_.name(parent);
  context.parentShapes = &shapesOf(parent);
  return context;
}

OpCallCosts::Known OpCallCosts::compute(SliceId op, SliceId kernel) {
  const std::string_view opName = trace_.name(op);
  OpCost cost = costOf(opName, shapesOf(op), contextOf(op, kernel));
  const bool lacks = !cost.flops && cost.family == OpFamily::Convolution;
  Known known;
  known.needsConsumer = lacks && !isBackward(opName) && shapesOf(op).hasDims;
  known.cost = add(std::move(cost));
  return known;
}

std::uint32_t OpCallCosts::withConsumer(SliceId op, SliceId kernel, const Key& key,
                                        std::uint32_t otherwise) {
  auto output = backwardGradient(op);
  if (!output) output = consumerInput(op);
  if (!output) return otherwise;
  std::string text = std::to_string(key.op) + ' ' + std::to_string(key.shape);
  for (const std::int64_t dim : *output) text += ' ' + std::to_string(dim);
  const auto [it, isNew] = inferred_.try_emplace(std::move(text), otherwise);
  if (!isNew) return it->second;
  CostContext context = contextOf(op, kernel);
  context.inferredOutput = std::move(output);
  OpCost cost = costOf(trace_.name(op), shapesOf(op), context);
  if (cost.flops) it->second = add(std::move(cost));
  return it->second;
}

std::uint32_t OpCallCosts::withoutOp(SliceId deviceWork) {
  const SliceTable& s = trace_.slices();
  const bool transfer = s.category[deviceWork.index()] != Category::kernel;
  const auto bytes = s.bytes.get(deviceWork);
  const bool graph = s.graphId.get(deviceWork).value_or(0) > 0;
  const bool launched = trace_.launchOf(deviceWork).valid();
  const bool xla = !transfer && trace_.xlaOf(deviceWork) != nullptr;
  std::string key = xla ? "xla" : graph ? "graph" : launched ? "launched" : "unlaunched";
  if (transfer)
    key = std::string(trace_.name(deviceWork)) + ' ' + std::to_string(bytes.value_or(-1));
  const auto [it, isNew] = opless_.try_emplace(std::move(key), 0);
  if (!isNew) return it->second;
  OpCost cost;
  if (transfer) {
    CostContext context;
    context.kernelName = trace_.name(deviceWork);
    context.transferBytes = bytes;
    cost = costOf(trace_.name(deviceWork), noShapes_, context);
  } else if (xla) {
    cost.missing.push_back(
        "the compiler's costs (model_flops, raw_bytes_accessed), which this "
        "recording of XLA does not hold");
  } else if (graph) {
    cost.missing.push_back("the operator (kernels replayed from a graph name none)");
  } else if (launched) {
    cost.missing.push_back("an operator around the launch");
  } else {
    cost.missing.push_back("the launch (not in the recording), and with it the operator");
  }
  it->second = add(std::move(cost));
  return it->second;
}

/// XLA's own figures, where the recording holds them.
std::optional<std::uint32_t> OpCallCosts::byCompiler(SliceId deviceWork) {
  const auto id = trace_.slices().xla.get(deviceWork);
  if (!id) return std::nullopt;
  const XlaArgs& args = trace_.xla()[id->index()];
  if (args.flops == EventArgs::kAbsent && args.bytes == EventArgs::kAbsent) return std::nullopt;
  const auto [it, isNew] = xla_.try_emplace(*id, 0);
  if (isNew)
    it->second = add(compilerCost(args, trace_.text(args.category), trace_.text(args.shape)));
  return it->second;
}

std::uint32_t OpCallCosts::indexOf(SliceId op, SliceId deviceWork) {
  if (const auto counted = byCompiler(deviceWork)) return *counted;
  if (!op.valid()) return withoutOp(deviceWork);
  const SliceTable& s = trace_.slices();
  const SliceId parent = parentOp(op);
  const Key key{s.name[op.index()].value, s.shape[op.index()].value,
                s.name[deviceWork.index()].value,
                parent.valid() ? s.shape[parent.index()].value : ShapeId::kNone};
  auto it = known_.find(key);
  if (it == known_.end()) it = known_.emplace(key, compute(op, deviceWork)).first;
  if (!it->second.needsConsumer) return it->second.cost;
  return withConsumer(op, deviceWork, key, it->second.cost);
}

}  // namespace ridgeline
