#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/workload/op_shapes.h"

namespace ridgeline {

/// What kind of work an operator does; decides which formula applies.
enum class OpFamily : std::uint8_t {
  Unknown,
  View,  ///< changes only how a tensor is seen (or reserves memory): no kernel, no cost
  MatrixProduct,
  Convolution,
  Attention,
  Normalization,
  Softmax,
  Loss,
  Elementwise,
  Reduction,
  Scan,  ///< cumsum, sort, topk
  Copy,  ///< copies, fills, casts, concatenation
  Random,
  Dropout,
  Pooling,
  Resampling,
  Fourier,
  Embedding,
  Indexing,
  Optimizer,
  Collective,
  Transfer,  ///< memcpy and memset records
};
/// "matrix product", "convolution", …
[[nodiscard]] std::string_view name(OpFamily family);

/// How attended pairs of a causal attention are counted (ANALYSIS 3.3).
enum class CausalCount : std::uint8_t {
  Exact,       ///< the pairs that the mask lets through
  HalfSquare,  ///< Nq·Nkv/2, as TraceLens and the FlashAttention benchmark
  Dense,       ///< all pairs, as PyTorch's flop counter
};

/// Which bytes (and FLOPs of a norm's backward) are counted for normalizations (ANALYSIS 3.4).
enum class NormCount : std::uint8_t {
  Physical,   ///< what a fused kernel must move at least
  TraceLens,  ///< the convention of TraceLens' reports, for comparison with them
};

/// What the caller knows beyond the operator's own record. All of it is optional.
struct CostContext {
  CausalCount causal = CausalCount::Exact;
  NormCount norm = NormCount::Physical;
  /// The size of the result, taken from the op that consumes it. Makes the cost `inferred`.
  std::optional<std::vector<std::int64_t>> inferredOutput;
  /// The size of a convolution's weight, taken from its forward op. Makes the cost `inferred`.
  std::optional<std::vector<std::int64_t>> inferredWeight;
  /// A kernel that the op launched: tells the element type where the record lacks it (tensor lists
  /// carry none), which makes the cost `inferred`. Only read during the call.
  std::string_view kernelName;
  /// The op that this one was called from, where it is recorded: tells what the record lacks (an
  /// old cudnn_convolution_backward_weight does not say the weight's size, its caller does).
  std::string_view parentName;
  const OpShapes* parentShapes = nullptr;
  /// Ranks of a collective's process group.
  std::optional<std::int64_t> groupSize;
  /// The "bytes" argument of a memcpy or memset record.
  std::optional<std::int64_t> transferBytes;
};

/// What an operator's formula says about its work.
/// Invariant: `flops` or `bytes` empty ⇒ `missing` says why.
struct OpCost {
  std::optional<double> flops;         ///< nominal useful operations of one call
  std::optional<double> bytes;         ///< least device-memory traffic of one call, in bytes
  DType computeType = DType::Unknown;  ///< what the arithmetic is done on: which peak applies
  bool matrixOp = false;               ///< matrix units may be used, if the kernel does
  bool upperBound = false;  ///< the real work may be less (masks, ragged lengths are not recorded)
  bool byCompiler = false;  ///< counted by the compiler of the program (XLA), not by a formula here
  bool inferred = false;    ///< uses a size or type that the caller took from elsewhere
  OpFamily family = OpFamily::Unknown;
  std::string shape;    ///< for people and as a grouping key: "4096×1024 · 1024×4096"
  std::string formula;  ///< how it was counted: "2·M·N·K + M·N"
  std::vector<std::string> missing;  ///< in plain words: "Input Dims (record_shapes=True)"
};

/// FLOPs and bytes of one call of an operator (ANALYSIS section 3), from its recorded name and
/// shapes alone. Pure; unknown stays unknown and is named in `missing`.
[[nodiscard]] OpCost costOf(std::string_view opName, const OpShapes& shapes,
                            const CostContext& context = {});

/// The family of an operator by its name alone (for ops without shapes).
[[nodiscard]] OpFamily familyOf(std::string_view opName);

}  // namespace ridgeline
