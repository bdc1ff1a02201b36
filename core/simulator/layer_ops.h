#pragma once

#include <cstdint>
#include <string_view>

#include "core/simulator/op_builder.h"

namespace ridgeline::simulator {

/// The sizes of a transformer, and how its parts are written.
struct ModelShape {
  std::int64_t batch = 8;
  std::int64_t sequence = 1024;
  std::int64_t hidden = 2048;
  std::int64_t heads = 16;
  std::int64_t feedForward = 8192;
  std::int64_t vocabulary = 50304;
  std::int64_t context = 0;    ///< decode: tokens in the KV cache
  bool fusedAttention = true;  ///< else bmm, softmax, bmm
  bool fusedNorm = true;       ///< else RMS norm written with elementwise operators
  bool residualScale = false;  ///< each branch is scaled before it is added

  [[nodiscard]] std::int64_t tokens() const { return batch * sequence; }
  [[nodiscard]] std::int64_t headSize() const { return hidden / heads; }
  /// Parameters of one block: four attention and two feed-forward matrices, biases, norms.
  [[nodiscard]] std::int64_t blockParameters() const {
    return 4 * hidden * hidden + 2 * hidden * feedForward + 9 * hidden + feedForward;
  }
};

/// One elementwise operator: `functor` over tensors of `dims`.
struct Pointwise {
  std::string_view op;
  std::string_view functor;
  std::string_view node;  ///< its backward node; empty when it has none
  double flops = 1;       ///< an element
  int inputs = 1;         ///< full-size inputs
  int elementBytes = 2;
};

/// The operators of a transformer, forward and backward, written into an OpBuilder. Every forward
/// operator that takes a sequence number has its backward node written by the function of the same
/// name with `Backward`, which must be called in reverse order.
class LayerOps {
 public:
  LayerOps(OpBuilder& builder, const ModelShape& shape) : b_(builder), s_(shape) {}

  void linear(std::int64_t in, std::int64_t out, bool bias);
  void linearBackward(std::int64_t in, std::int64_t out, bool bias, bool accumulate);
  void layerNorm();
  void layerNormBackward(bool accumulate);
  void pointwise(const Pointwise& op, const Dims& dims);
  void pointwiseBackward(const Pointwise& op, const Dims& dims);
  void attention();
  void attentionBackward(bool accumulate);
  void block();
  void blockBackward(bool accumulate);
  /// From here on as Inductor compiles it: Triton kernels for norms and elementwise operators, and
  /// no node of autograd for each.
  void setCompiled(bool compiled) { compiled_ = compiled; }

  void accumulateGrad(const Dims& dims, bool accumulate);
  void backwardNode(std::string_view name, const Arg& grad);
  void endBackwardNode();
  std::uint32_t gemm(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
                     std::string_view layout);
  std::uint32_t elementwise(std::string_view functor, std::int64_t elements, double bytes,
                            double flops, int operands,
                            TruthPathCause cause = TruthPathCause::elementwise);
  /// (batch, sequence, hidden)
  [[nodiscard]] Dims activation() const { return {s_.batch, s_.sequence, s_.hidden}; }

 private:
  void rmsNorm();
  void rmsNormBackward(bool accumulate);
  void fusedAttention();
  void fusedAttentionBackward();
  void unfusedAttention();
  void unfusedAttentionBackward();
  void splitHeads();
  void residual();
  void residualBackward();
  void norm() { s_.fusedNorm ? layerNorm() : rmsNorm(); }
  void normBackward(bool accumulate) {
    s_.fusedNorm ? layerNormBackward(accumulate) : rmsNormBackward(accumulate);
  }
  void cast(std::string_view functor, const Dims& dims, std::string_view from);
  void fused(std::string_view kind, std::string_view op, const std::vector<Arg>& args,
             TruthPathCause cause, const KernelWork& work);

  OpBuilder& b_;
  const ModelShape& s_;
  bool compiled_ = false;
};

}  // namespace ridgeline::simulator
