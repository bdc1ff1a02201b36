// Collectives: the message's bytes, as ANALYSIS 3.5 counts them (all-gather: the output,
// reduce-scatter and all-to-all: the input, else the buffer). No FLOPs.

#include <algorithm>
#include <array>
#include <string>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

/// Which recorded buffer is the message.
enum class Message : std::uint8_t {
  Buffer,      ///< the first tensor or list
  Second,      ///< of (output, input) the input
  InputTimes,  ///< the first tensor × ranks: an all-gather whose output is not recorded
  Nothing,     ///< a barrier
};

Message messageOf(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("barrier")) return Message::Nothing;
  const bool c10d = name.starts_with("c10d::");
  if (has("allgather") || has("all_gather")) return c10d ? Message::Buffer : Message::InputTimes;
  if (c10d && (has("reduce_scatter") || has("alltoall") || has("scatter_") || has("gather_")))
    return Message::Second;
  return Message::Buffer;
}

/// Ranks of the group: recorded with the functional ops and vLLM's all-gather, else the caller's.
std::optional<double> ranksOf(const Call& call) {
  for (const auto& [name, index] :
       {std::pair<std::string_view, std::size_t>{"all_gather_into_tensor", 1},
        {"vllm::all_gather", 2}}) {
    if (call.name.find(name) == std::string_view::npos) continue;
    const auto size = spatial(call.arg(index), 1);
    if (size && size->front() > 0) return toDouble(size->front());
  }
  if (call.context.groupSize) return toDouble(*call.context.groupSize);
  return std::nullopt;
}

OpCost collective(const Call& call) {
  Estimate estimate(call);
  const Message message = messageOf(call.name);
  estimate.formula("0; bytes of the message");
  if (message == Message::Nothing) return estimate.done(0.0);
  const ArgShape& buffer = call.arg(message == Message::Second ? 1 : 0);
  if (buffer.kind == ArgShape::Kind::None || buffer.kind == ArgShape::Kind::Scalar ||
      (buffer.isList() && buffer.list.empty())) {
    estimate.missing("the message's size").noBytes();
    return estimate.done(0.0);
  }
  double times = 1;
  if (message == Message::InputTimes) {
    const std::optional<double> ranks = ranksOf(call);
    if (!ranks) {
      estimate.missing("the group's size").noBytes();
    } else {
      times = *ranks;
    }
  }
  estimate.compute(buffer.dtype).shape(text(buffer)).touch(buffer.elements() * times, buffer.dtype);
  return estimate.done(0.0);
}

constexpr Rule kCollective{"collective", OpFamily::Collective, collective};

constexpr std::array kRules{
    Rule{"record_param_comms", OpFamily::Collective, collective},
    Rule{"vllm::all_reduce", OpFamily::Collective, collective},
    Rule{"vllm::all_gather", OpFamily::Collective, collective},
    Rule{"vllm::reduce_scatter", OpFamily::Collective, collective},
    Rule{"_C_custom_ar::all_reduce", OpFamily::Collective, collective},
    Rule{"symm_mem::multimem_all_reduce_", OpFamily::Collective, collective},
    Rule{"symm_mem::one_shot_all_reduce", OpFamily::Collective, collective},
    Rule{"symm_mem::two_shot_all_reduce_", OpFamily::Collective, collective},
};

}  // namespace

std::span<const Rule> collectiveRules() {
  return kRules;
}

const Rule* collectivePattern(std::string_view name) {
  constexpr std::array<std::string_view, 8> kPrefixes{
      "c10d::",           "nccl:", "gloo:", "mpi:", "ucc:", "xccl:", "_c10d_functional::",
      "c10d_functional::"};
  for (const std::string_view prefix : kPrefixes)
    if (name.starts_with(prefix)) return &kCollective;
  return nullptr;
}

}  // namespace ridgeline::cost
