#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/trace/trace.h"
#include "core/workload/op_cost.h"

namespace ridgeline {

/// Costs of the op calls of one Trace, each distinct one computed once. Takes from neighbouring ops
/// what an op's own record lacks: a convolution's output from the op that consumes it (recordings
/// without Concrete Inputs), a backward's weight from the op around it. One thread.
class OpCallCosts {
 public:
  explicit OpCallCosts(const Trace& trace);

  /// Index into costs() for a call of `op` (may be invalid) that launched `deviceWork`.
  [[nodiscard]] std::uint32_t indexOf(SliceId op, SliceId deviceWork);
  [[nodiscard]] std::vector<OpCost> takeCosts() { return std::move(costs_); }

 private:
  struct Key {
    std::uint32_t op, shape, kernel, parentShape;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& k) const noexcept;
  };
  struct Known {
    std::uint32_t cost = 0;
    bool needsConsumer = false;  ///< a convolution whose output has to be inferred per call
  };

  [[nodiscard]] std::uint32_t add(OpCost cost);
  [[nodiscard]] std::uint32_t withoutOp(SliceId deviceWork);
  [[nodiscard]] std::optional<std::uint32_t> byCompiler(SliceId deviceWork);
  [[nodiscard]] Known compute(SliceId op, SliceId kernel);
  [[nodiscard]] CostContext contextOf(SliceId op, SliceId kernel);
  [[nodiscard]] std::uint32_t withConsumer(SliceId op, SliceId kernel, const Key& key,
                                           std::uint32_t otherwise);
  [[nodiscard]] std::optional<std::vector<std::int64_t>> consumerInput(SliceId op);
  [[nodiscard]] std::optional<std::vector<std::int64_t>> backwardGradient(SliceId op);
  void indexBackwards();
  [[nodiscard]] const std::vector<SliceId>& opsOf(TrackId track);
  [[nodiscard]] const OpShapes& shapesOf(SliceId op);
  [[nodiscard]] SliceId parentOp(SliceId op) const;

  const Trace& trace_;
  std::vector<OpCost> costs_;
  std::vector<std::optional<OpShapes>> shapes_;  ///< by ShapeId, parsed on demand
  OpShapes noShapes_;
  std::unordered_map<Key, Known, KeyHash> known_;
  std::map<std::string, std::uint32_t> inferred_;
  std::map<std::string, std::uint32_t> opless_;
  std::unordered_map<XlaId, std::uint32_t> xla_;
  std::unordered_map<TrackId, std::vector<SliceId>> opsOfTrack_;
  /// Size of the gradient by the sizes of input and weight, of all convolution backwards; no size
  /// where two of them differ.
  std::map<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>,
           std::optional<std::vector<std::int64_t>>>
      gradientOf_;
  bool backwardsIndexed_ = false;
};

}  // namespace ridgeline
