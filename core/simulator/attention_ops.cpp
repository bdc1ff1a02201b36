#include "core/simulator/kernel_names.h"
#include "core/simulator/layer_ops.h"

namespace ridgeline::simulator {
namespace {

double real(std::int64_t n) {
  return static_cast<double>(n);
}

}  // namespace

void LayerOps::attention() {
  linear(s_.hidden, 3 * s_.hidden, true);
  splitHeads();
  s_.fusedAttention ? fusedAttention() : unfusedAttention();
  linear(s_.hidden, s_.hidden, true);
}

void LayerOps::attentionBackward(bool accumulate) {
  linearBackward(s_.hidden, s_.hidden, true, accumulate);
  s_.fusedAttention ? fusedAttentionBackward() : unfusedAttentionBackward();
  // SplitBackward0 puts the three gradients beside each other.
  const Dims part{s_.batch, s_.sequence, s_.hidden};
  const double bytes = 2.0 * 2 * 3 * real(s_.tokens() * s_.hidden);
  backwardNode("SplitBackward0", tensor(part));
  b_.open("aten::cat", {tensorList({part, part, part}, "c10::BFloat16"), scalar("2")});
  b_.alloc(s_.tokens() * s_.hidden * 6);
  b_.launch(b_.kernel(names::kCat, TruthPathCause::copy, {.flops = 0, .bytes = bytes},
                      3 * s_.tokens() / 4, 512, 32));
  b_.release();
  b_.close();
  endBackwardNode();
  linearBackward(s_.hidden, 3 * s_.hidden, true, accumulate);
}

void LayerOps::splitHeads() {
  const Dims all{s_.batch, s_.sequence, 3 * s_.hidden};
  const Dims part{s_.batch, s_.sequence, s_.hidden};
  const Dims heads{s_.batch, s_.sequence, s_.heads, s_.headSize()};
  b_.open("aten::split", {tensor(all), scalar(std::to_string(s_.hidden)), scalar("2")},
          Sequence::forward);
  for (int i = 0; i < 3; ++i) {
    b_.view("aten::narrow", {tensor(all), scalar("2"), scalar(std::to_string(i * s_.hidden)),
                             scalar(std::to_string(s_.hidden))});
  }
  b_.close();
  for (int i = 0; i < 3; ++i) {
    b_.python(1800);
    b_.leaf("aten::view", {tensor(part), scalarList(heads)}, 700);
    b_.view("aten::transpose", {tensor(heads), scalar("1"), scalar("2")});
  }
  b_.python(2400);
}

void LayerOps::fusedAttention() {
  const std::int64_t keys = s_.context > 0 ? s_.context : s_.sequence;
  const Dims q{s_.batch, s_.heads, s_.sequence, s_.headSize()};
  const Dims kv{s_.batch, s_.heads, keys, s_.headSize()};
  const bool causal = s_.context == 0;
  const double pairs =
      causal ? real(s_.sequence) * real(s_.sequence + 1) / 2 : real(s_.sequence) * real(keys);
  const KernelWork work{.flops = 4 * real(s_.batch * s_.heads * s_.headSize()) * pairs,
                        .bytes = 2 * real(s_.batch * s_.hidden) * 2 * real(s_.sequence + keys),
                        .matrix = true,
                        .efficiency = 0.72};
  const Arg flag = scalar(causal ? "True" : "False");
  b_.open("aten::scaled_dot_product_attention",
          {tensor(q), tensor(kv), tensor(kv), none(), scalar("0."), flag, none(), scalar("False")});
  b_.open("aten::_scaled_dot_product_flash_attention",
          {tensor(q), tensor(kv), tensor(kv), scalar("0."), flag, scalar("False"), none()},
          Sequence::forward);
  for (int i = 0; i < 3; ++i) {
    b_.view("aten::transpose", {tensor(i == 0 ? q : kv), scalar("1"), scalar("2")});
  }
  const Dims qt{s_.batch, s_.sequence, s_.heads, s_.headSize()};
  const Dims kvt{s_.batch, keys, s_.heads, s_.headSize()};
  b_.open("aten::_flash_attention_forward",
          {tensor(qt), tensor(kvt), tensor(kvt), none(), none(),
           scalar(std::to_string(s_.sequence)), scalar(std::to_string(keys)), scalar("0."), flag,
           scalar("False"), none(), none(), none(), none(), none()});
  b_.emptyTensor(s_.tokens() * s_.hidden * 2, qt);
  b_.emptyTensor(s_.batch * s_.heads * s_.sequence * 4, {s_.batch, s_.heads, s_.sequence}, 6);
  b_.launch(b_.kernel(
      s_.context > 0 ? names::kFlashSplit : names::kFlashForward, TruthPathCause::attention, work,
      s_.batch * s_.heads * ((s_.context > 0 ? keys : s_.sequence) + 127) / 128, 128, 255, 65536));
  b_.close();
  b_.view("aten::transpose", {tensor(qt), scalar("1"), scalar("2")});
  b_.close();
  b_.close();
  b_.view("aten::transpose", {tensor(q), scalar("1"), scalar("2")});
  b_.leaf("aten::view", {tensor(qt), scalarList(activation())}, 700);
  b_.python(6200);
}

void LayerOps::fusedAttentionBackward() {
  const Dims q{s_.batch, s_.heads, s_.sequence, s_.headSize()};
  const Arg t = tensor(q);
  const double pairs = real(s_.sequence) * real(s_.sequence + 1) / 2;
  const double n = real(s_.tokens() * s_.hidden);
  const std::int64_t blocks = s_.batch * s_.heads * (s_.sequence + 127) / 128;
  backwardNode("ScaledDotProductFlashAttentionBackward0", t);
  b_.open("aten::_scaled_dot_product_flash_attention_backward",
          {t, t, t, t, t, tensor({s_.batch, s_.heads, s_.sequence}, "float"), none(), none(),
           scalar(std::to_string(s_.sequence)), scalar(std::to_string(s_.sequence)), scalar("0."),
           scalar("True"), tensor({}, "long"), tensor({}, "long"), none()});
  const Arg flat = tensor({s_.batch, s_.sequence, s_.heads, s_.headSize()});
  const Arg length = scalar(std::to_string(s_.sequence));
  b_.open("aten::_flash_attention_backward",
          {flat, flat, flat, flat, flat, tensor({s_.batch, s_.heads, s_.sequence}, "float"), none(),
           none(), length, length, scalar("0."), scalar("True"), tensor({}, "long"),
           tensor({}, "long"), none(), none(), none()});
  b_.emptyTensor(s_.tokens() * s_.hidden * 2, q);
  b_.emptyTensor(s_.tokens() * s_.hidden * 2, q);
  b_.emptyTensor(s_.tokens() * s_.hidden * 2, q);
  b_.launch(b_.kernel(names::kFlashBackwardDot, TruthPathCause::attention,
                      {.flops = 2 * n, .bytes = 8 * n}, blocks, 256, 64, 1024));
  b_.launch(b_.kernel(names::kFlashBackward, TruthPathCause::attention,
                      {.flops = 10 * real(s_.batch * s_.heads * s_.headSize()) * pairs,
                       .bytes = 16 * n,
                       .matrix = true,
                       .efficiency = 0.6},
                      blocks, 256, 255, 147456));
  b_.launch(b_.kernel(names::kFlashBackwardConvert, TruthPathCause::attention,
                      {.flops = n, .bytes = 6 * n}, blocks, 256, 40, 16384));
  b_.close();
  b_.close();
  b_.release(5);
  endBackwardNode();
}

void LayerOps::unfusedAttention() {
  const std::int64_t batch = s_.batch * s_.heads;
  const Dims q{batch, s_.sequence, s_.headSize()};
  const Dims scores{s_.batch, s_.heads, s_.sequence, s_.sequence};
  const std::int64_t n = batch * s_.sequence * s_.sequence;
  b_.open("aten::bmm", {tensor(q), tensor({batch, s_.headSize(), s_.sequence})}, Sequence::forward);
  b_.alloc(n * 2);
  b_.launch(gemm(batch, s_.sequence, s_.sequence, s_.headSize(), "tn"), Call::launchKernelExC);
  b_.close();
  b_.python(3000);
  pointwise({"aten::mul", names::kMulScalar, "MulBackward0", 1, 1, 2}, scores);
  b_.open("aten::softmax", {tensor(scores), scalar("-1"), none()});
  b_.open("aten::_softmax", {tensor(scores), scalar("-1"), scalar("False")}, Sequence::forward);
  b_.alloc(n * 2);
  b_.launch(b_.kernel(names::kSoftmax, TruthPathCause::softmax,
                      {.flops = 5 * real(n), .bytes = 4 * real(n)}, batch * s_.sequence / 8 + 1,
                      128, 40));
  b_.close();
  b_.close();
  b_.python(3000);
  b_.open("aten::bmm", {tensor({batch, s_.sequence, s_.sequence}), tensor(q)}, Sequence::forward);
  b_.alloc(s_.tokens() * s_.hidden * 2);
  b_.launch(gemm(batch, s_.sequence, s_.headSize(), s_.sequence, "nn"), Call::launchKernelExC);
  b_.close();
  b_.view("aten::transpose", {tensor(q), scalar("1"), scalar("2")});
  b_.leaf("aten::reshape", {tensor(q), scalarList(activation())}, 900);
  b_.python(4200);
}

void LayerOps::unfusedAttentionBackward() {
  const std::int64_t batch = s_.batch * s_.heads;
  const Dims q{batch, s_.sequence, s_.headSize()};
  const Dims qt{batch, s_.headSize(), s_.sequence};
  const Dims scores{s_.batch, s_.heads, s_.sequence, s_.sequence};
  const Dims flat{batch, s_.sequence, s_.sequence};
  const std::int64_t n = batch * s_.sequence * s_.sequence;
  const auto product = [&](const Dims& a, const Dims& c, std::int64_t m, std::int64_t columns,
                           std::int64_t k) {
    b_.open("aten::bmm", {tensor(a), tensor(c)});
    b_.launch(gemm(batch, m, columns, k, "nn"), Call::launchKernelExC);
    b_.close();
  };
  backwardNode("BmmBackward0", tensor(q));
  product(flat, q, s_.sequence, s_.headSize(), s_.sequence);
  product(q, qt, s_.sequence, s_.sequence, s_.headSize());
  b_.release();
  endBackwardNode();
  backwardNode("SoftmaxBackward0", tensor(scores));
  b_.open("aten::_softmax_backward_data",
          {tensor(scores), tensor(scores), scalar("-1"), scalar("15")});
  b_.launch(b_.kernel(names::kSoftmaxBackward, TruthPathCause::softmax,
                      {.flops = 4 * real(n), .bytes = 6 * real(n)}, batch * s_.sequence / 8 + 1,
                      128, 40));
  b_.close();
  b_.release();
  endBackwardNode();
  pointwiseBackward({"aten::mul", names::kMulScalar, "MulBackward0", 1, 1, 2}, scores);
  backwardNode("BmmBackward0", tensor(flat));
  product(flat, q, s_.sequence, s_.headSize(), s_.sequence);
  product(qt, flat, s_.headSize(), s_.sequence, s_.sequence);
  b_.release();
  endBackwardNode();
}

}  // namespace ridgeline::simulator
