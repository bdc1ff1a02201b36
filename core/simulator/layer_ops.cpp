#include "core/simulator/layer_ops.h"

#include <algorithm>
#include <string>

#include "core/simulator/kernel_names.h"

namespace ridgeline::simulator {
namespace {

std::int64_t product(const Dims& dims) {
  std::int64_t n = 1;
  for (const std::int64_t dim : dims) n *= dim;
  return n;
}

double real(std::int64_t n) {
  return static_cast<double>(n);
}

constexpr Pointwise kResidual{"aten::add", names::kAdd, "AddBackward0", 1, 2, 2};
constexpr Pointwise kGelu{"aten::gelu", names::kGelu, "GeluBackward0", 8, 1, 2};
constexpr Pointwise kScale{"aten::mul", names::kMulScalar, "MulBackward0", 1, 1, 2};
constexpr Pointwise kSquare{"aten::pow", names::kPow, "PowBackward0", 1, 1, 4};
constexpr Pointwise kNormalise{"aten::mul", names::kMulFloat, "MulBackward0", 1, 1, 4};
constexpr Pointwise kWeight{"aten::mul", names::kMul, "MulBackward0", 1, 1, 2};

std::string_view typeOf(int elementBytes) {
  return elementBytes == 4 ? "float" : "c10::BFloat16";
}

}  // namespace

std::uint32_t LayerOps::gemm(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
                             std::string_view layout) {
  // The library takes the largest tile that still fills the device once.
  static constexpr std::int64_t kTiles[][2] = {{256, 128}, {128, 128}, {128, 64}, {64, 64}};
  const int sms = b_.machine().sms;
  std::int64_t rows = 64, columns = 64, tiles = 1;
  for (const auto& tile : kTiles) {
    rows = tile[0];
    columns = tile[1];
    tiles = batch * ((m + rows - 1) / rows) * ((n + columns - 1) / columns);
    if (tiles >= sms) break;
  }
  const std::int64_t waves = (tiles + sms - 1) / sms;
  double efficiency = real(tiles) / real(waves * sms);
  if (tiles < sms) efficiency = std::max(efficiency, 0.6);  // split K fills the rest
  efficiency *= real(k) / (real(k) + 64);                   // prologue and epilogue of each tile
  const KernelWork work{.flops = 2 * real(batch) * real(m) * real(n) * real(k),
                        .bytes = 2 * real(batch) * (real(m * k) + real(k * n) + real(m * n)),
                        .matrix = true,
                        .efficiency = efficiency};
  return b_.kernel(gemmName(b_.machine().hopper, rows, columns, layout), TruthPathCause::matmul,
                   work, tiles, rows * columns > 8192 ? 256 : 128, 168, 98304);
}

std::uint32_t LayerOps::elementwise(std::string_view functor, std::int64_t elements, double bytes,
                                    double flops, int operands, TruthPathCause cause) {
  return b_.kernel(elementwiseName(functor, operands), cause,
                   {.flops = flops, .bytes = bytes, .matrix = false, .efficiency = 1},
                   (elements + 511) / 512, 128, 26);
}

/// A Triton kernel of Inductor, as an operator and its kernel of the same name.
void LayerOps::fused(std::string_view kind, std::string_view op, const std::vector<Arg>& args,
                     TruthPathCause cause, const KernelWork& work) {
  std::string name = "triton_";
  name.append(kind).append("_fused_").append(op.substr(op.rfind(':') + 1)) += "_0";
  std::vector<Arg> all = args;
  all.push_back(scalar("1"));
  b_.open(name, all);
  b_.launch(b_.kernel(name, cause, work, static_cast<std::int64_t>(work.bytes) / 4096 + 1, 128, 32),
            Call::launchKernelDriver);
  b_.close();
}

void LayerOps::backwardNode(std::string_view name, const Arg& grad) {
  if (compiled_) return;
  const std::string evaluate = "autograd::engine::evaluate_function: " + std::string(name);
  b_.openPlain(evaluate, Sequence::evaluate);
  b_.open(name, {grad}, Sequence::backward);
}

void LayerOps::endBackwardNode() {
  if (compiled_) return;
  b_.close();
  b_.close();
}

void LayerOps::accumulateGrad(const Dims& dims, bool accumulate) {
  if (compiled_ && !accumulate) return;
  b_.openPlain("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad");
  b_.open("torch::autograd::AccumulateGrad", {tensor(dims)});
  if (accumulate) {
    const std::int64_t n = product(dims);
    b_.open("aten::add_", {tensor(dims), tensor(dims), scalar("1")});
    b_.launch(elementwise(names::kAdd, n, 6 * real(n), real(n), 3));
    b_.close();
  } else {
    b_.leaf("aten::detach", {tensor(dims)}, 700);
  }
  b_.close();
  b_.close();
}

void LayerOps::linear(std::int64_t in, std::int64_t out, bool bias) {
  const std::int64_t rows = s_.tokens();
  const Dims input{s_.batch, s_.sequence, in};
  b_.open("aten::linear", {tensor(input), tensor({out, in}), bias ? tensor({out}) : none()});
  b_.open("aten::t", {tensor({out, in})}, Sequence::forward);
  b_.view("aten::transpose", {tensor({out, in}), scalar("0"), scalar("1")});
  b_.close();
  if (!bias) b_.open("aten::matmul", {tensor(input), transposed(in, out)});
  b_.open("aten::view", {tensor(input), scalarList({rows, in})}, Sequence::forward);
  b_.close();
  if (bias) {
    b_.open("aten::addmm",
            {tensor({out}), tensor({rows, in}), transposed(in, out), scalar("1"), scalar("1")},
            Sequence::forward);
  } else {
    b_.open("aten::mm", {tensor({rows, in}), transposed(in, out)}, Sequence::forward);
  }
  b_.host(3200);  // the library picks an algorithm
  b_.alloc(rows * out * 2);
  b_.call(Call::occupancy, 800);
  b_.launch(gemm(1, rows, out, in, "tn"), Call::launchKernelExC);
  b_.close();
  b_.open(bias ? "aten::view" : "aten::_unsafe_view",
          {tensor({rows, out}), scalarList({s_.batch, s_.sequence, out})}, Sequence::forward);
  b_.close();
  if (!bias) b_.close();
  b_.close();
  b_.python(5200);
}

void LayerOps::linearBackward(std::int64_t in, std::int64_t out, bool bias, bool accumulate) {
  const std::int64_t rows = s_.tokens();
  backwardNode(bias ? "ViewBackward0" : "UnsafeViewBackward0",
               tensor({s_.batch, s_.sequence, out}));
  b_.leaf("aten::view", {tensor({s_.batch, s_.sequence, out}), scalarList({rows, out})}, 700);
  endBackwardNode();
  backwardNode(bias ? "AddmmBackward0" : "MmBackward0", tensor({rows, out}));
  b_.transposeOp({in, out});
  b_.open("aten::mm", {tensor({rows, out}), tensor({out, in})});
  b_.host(2600);
  b_.alloc(rows * in * 2);
  b_.launch(gemm(1, rows, in, out, "nn"), Call::launchKernelExC);
  b_.close();
  b_.transposeOp({rows, out});
  b_.open("aten::mm", {transposed(out, rows), tensor({rows, in})});
  b_.host(2600);
  b_.launch(gemm(1, out, in, rows, "nt"), Call::launchKernelExC);
  b_.close();
  b_.transposeOp({out, in});
  if (bias) {
    b_.open("aten::sum", {tensor({rows, out}), scalarList({0}), scalar("True"), none()});
    b_.launch(b_.kernel(names::kSum, TruthPathCause::reduction,
                        {.flops = real(rows * out), .bytes = 2 * real(rows * out)}, (out + 31) / 32,
                        512, 32, 16384));
    b_.close();
  }
  b_.release(2);
  endBackwardNode();
  if (bias) accumulateGrad({out}, accumulate);
  backwardNode("ViewBackward0", tensor({rows, in}));
  b_.leaf("aten::view", {tensor({rows, in}), scalarList({s_.batch, s_.sequence, in})}, 700);
  endBackwardNode();
  backwardNode("TBackward0", transposed(in, out));
  b_.transposeOp({in, out});
  endBackwardNode();
  accumulateGrad({out, in}, accumulate);
}

void LayerOps::layerNorm() {
  const Dims dims = activation();
  const std::int64_t n = product(dims);
  const std::int64_t rows = s_.tokens();
  const Arg weight = tensor({s_.hidden});
  const KernelWork work{.flops = 5 * real(n),
                        .bytes = 4 * real(n) + 8 * real(rows) + 4 * real(s_.hidden)};
  if (compiled_) {
    const Arg mean = tensor({rows}, "float");
    b_.alloc(n * 2);
    b_.alloc(rows * 4);
    b_.alloc(rows * 4);
    return fused("per", "aten::native_layer_norm",
                 {tensor(dims), weight, weight, mean, mean, tensor(dims)},
                 TruthPathCause::normalization, work);
  }
  b_.open("aten::layer_norm", {tensor(dims), scalarList({s_.hidden}), weight, weight,
                               scalar("1.0000000000000001e-05"), scalar("True")});
  b_.open("aten::native_layer_norm",
          {tensor(dims), scalarList({s_.hidden}), weight, weight, scalar("1.0000000000000001e-05")},
          Sequence::forward);
  b_.emptyTensor(n * 2, dims);
  b_.emptyTensor(rows * 4, {rows}, 6);
  b_.emptyTensor(rows * 4, {rows}, 6);
  b_.launch(b_.kernel(names::kLayerNorm, TruthPathCause::normalization, work, rows, 128, 40, 24));
  b_.leaf("aten::view", {tensor({rows}, "float"), scalarList({s_.batch, s_.sequence, 1})}, 700);
  b_.leaf("aten::view", {tensor({rows}, "float"), scalarList({s_.batch, s_.sequence, 1})}, 700);
  b_.close();
  b_.close();
  b_.python(4400);
}

void LayerOps::layerNormBackward(bool accumulate) {
  const Dims dims = activation();
  const std::int64_t n = product(dims);
  const std::int64_t rows = s_.tokens();
  if (compiled_) {
    b_.alloc(n * 2);
    fused("red", "aten::native_layer_norm_backward", {tensor(dims), tensor(dims), tensor(dims)},
          TruthPathCause::normalization, {.flops = 13 * real(n), .bytes = 6 * real(n)});
    return b_.release(4);
  }
  backwardNode("NativeLayerNormBackward0", tensor(dims));
  b_.open("aten::native_layer_norm_backward",
          {tensor(dims), tensor(dims), scalarList({s_.hidden}),
           tensor({s_.batch, s_.sequence, 1}, "float"), tensor({s_.batch, s_.sequence, 1}, "float"),
           tensor({s_.hidden}), tensor({s_.hidden}), scalarList({1, 1, 1})});
  b_.emptyTensor(n * 2, dims);
  b_.launch(b_.kernel(names::kLayerNormBackward, TruthPathCause::normalization,
                      {.flops = 9 * real(n), .bytes = 6 * real(n)}, rows, 128, 48, 16));
  b_.launch(b_.kernel(names::kGammaBetaBackward, TruthPathCause::normalization,
                      {.flops = 4 * real(n), .bytes = 4 * real(n)}, (s_.hidden + 31) / 32, 1024, 40,
                      8448));
  b_.close();
  b_.release(4);
  endBackwardNode();
  accumulateGrad({s_.hidden}, accumulate);
  accumulateGrad({s_.hidden}, accumulate);
}

void LayerOps::pointwise(const Pointwise& op, const Dims& dims) {
  const std::int64_t n = product(dims);
  std::vector<Arg> args(static_cast<std::size_t>(op.inputs), tensor(dims, typeOf(op.elementBytes)));
  if (op.inputs == 1) args.push_back(op.op == "aten::gelu" ? scalar("none") : scalar("2"));
  if (op.op == "aten::add") args.push_back(scalar("1"));
  if (compiled_) {
    args.push_back(args.front());  // the output
    b_.alloc(n * op.elementBytes);
    return fused(
        "poi", op.op, args, TruthPathCause::elementwise,
        {.flops = op.flops * real(n), .bytes = real(n) * op.elementBytes * (op.inputs + 1)});
  }
  b_.open(op.op, args, op.node.empty() ? Sequence::none : Sequence::forward);
  b_.alloc(n * op.elementBytes);
  b_.launch(elementwise(op.functor, n, real(n) * op.elementBytes * (op.inputs + 1),
                        op.flops * real(n), op.inputs + 1));
  b_.close();
  b_.python(3600);
}

void LayerOps::pointwiseBackward(const Pointwise& op, const Dims& dims) {
  const std::int64_t n = product(dims);
  const Arg grad = tensor(dims, typeOf(op.elementBytes));
  if (compiled_) {
    fused("poi", op.node, {grad, grad, grad}, TruthPathCause::elementwise,
          {.flops = (op.flops + 1) * real(n), .bytes = real(n) * op.elementBytes * 3});
    return b_.release();
  }
  backwardNode(op.node, grad);
  if (op.node == "GeluBackward0") {
    b_.open("aten::gelu_backward", {grad, grad, scalar("none")});
    b_.alloc(n * op.elementBytes);
    b_.launch(elementwise(names::kGeluBackward, n, real(n) * op.elementBytes * 3, 12 * real(n), 3));
    b_.release();
    b_.close();
  } else if (op.node != "AddBackward0") {
    b_.open("aten::mul", {grad, grad});
    b_.alloc(n * op.elementBytes);
    b_.launch(elementwise(op.elementBytes == 4 ? names::kMulFloat : names::kMul, n,
                          real(n) * op.elementBytes * 3, real(n), 3));
    b_.release();
    b_.close();
  }
  b_.release();
  endBackwardNode();
}

void LayerOps::residual() {
  pointwise(kResidual, activation());
}
void LayerOps::residualBackward() {
  pointwiseBackward(kResidual, activation());
  // The two gradients that meet at the fork are added by the engine.
  const std::int64_t n = product(activation());
  b_.open("aten::add_", {tensor(activation()), tensor(activation()), scalar("1")});
  b_.launch(elementwise(names::kAdd, n, 6 * real(n), real(n), 3));
  b_.close();
}

void LayerOps::cast(std::string_view functor, const Dims& dims, std::string_view from) {
  const std::int64_t n = product(dims);
  const bool toFloat = from != "float";
  b_.open("aten::to", {tensor(dims, from), scalar(toFloat ? "6" : "15"), scalar("False"),
                       scalar("False"), none()});
  b_.open("aten::_to_copy", {tensor(dims, from), scalar(toFloat ? "6" : "15"), none(), none(),
                             none(), scalar("False"), none()});
  b_.leaf("aten::empty_strided", {scalarList(dims), none(), none(), none(), none(), none()}, 1200);
  b_.open("aten::copy_",
          {tensor(dims, toFloat ? "float" : "c10::BFloat16"), tensor(dims, from), scalar("False")});
  b_.launch(elementwise(functor, n, 6 * real(n), 0, 2, TruthPathCause::copy));
  b_.close();
  b_.close();
  b_.close();
  b_.python(2600);
}

void LayerOps::rmsNorm() {
  const Dims dims = activation();
  const Dims row{s_.batch, s_.sequence, 1};
  const std::int64_t n = product(dims);
  cast(names::kCopyToFloat, dims, "c10::BFloat16");
  pointwise(kSquare, dims);
  b_.open("aten::mean", {tensor(dims, "float"), scalarList({-1}), scalar("True"), none()});
  b_.launch(b_.kernel(names::kMean, TruthPathCause::reduction,
                      {.flops = real(n), .bytes = 4 * real(n)}, s_.tokens() / 4, 512, 32, 16));
  b_.close();
  b_.open("aten::add", {tensor(row, "float"), scalar("9.9999999999999995e-07"), scalar("1")});
  b_.launch(
      elementwise(names::kAddScalar, s_.tokens(), 8 * real(s_.tokens()), real(s_.tokens()), 2));
  b_.close();
  b_.open("aten::rsqrt", {tensor(row, "float")});
  b_.launch(elementwise(names::kRsqrt, s_.tokens(), 8 * real(s_.tokens()), real(s_.tokens()), 2));
  b_.close();
  pointwise(kNormalise, dims);
  cast(names::kCopyToBFloat16, dims, "float");
  pointwise(kWeight, dims);
}

void LayerOps::rmsNormBackward(bool accumulate) {
  const Dims dims = activation();
  const std::int64_t n = product(dims);
  pointwiseBackward(kWeight, dims);
  b_.open("aten::sum", {tensor(dims), scalarList({0, 1}), scalar("True"), none()});
  b_.launch(b_.kernel(names::kSum, TruthPathCause::reduction,
                      {.flops = real(n), .bytes = 2 * real(n)}, (s_.hidden + 31) / 32, 512, 32,
                      16384));
  b_.close();
  accumulateGrad({s_.hidden}, accumulate);
  cast(names::kCopyToFloat, dims, "c10::BFloat16");
  pointwiseBackward(kNormalise, dims);
  pointwiseBackward(kSquare, dims);
  cast(names::kCopyToBFloat16, dims, "float");
}

void LayerOps::block() {
  norm();
  attention();
  if (s_.residualScale) pointwise(kScale, activation());
  residual();
  norm();
  linear(s_.hidden, s_.feedForward, true);
  pointwise(kGelu, {s_.batch, s_.sequence, s_.feedForward});
  linear(s_.feedForward, s_.hidden, true);
  if (s_.residualScale) pointwise(kScale, activation());
  residual();
}

void LayerOps::blockBackward(bool accumulate) {
  residualBackward();
  if (s_.residualScale) pointwiseBackward(kScale, activation());
  linearBackward(s_.feedForward, s_.hidden, true, accumulate);
  pointwiseBackward(kGelu, {s_.batch, s_.sequence, s_.feedForward});
  linearBackward(s_.hidden, s_.feedForward, true, accumulate);
  normBackward(accumulate);
  residualBackward();
  if (s_.residualScale) pointwiseBackward(kScale, activation());
  attentionBackward(accumulate);
  normBackward(accumulate);
}

}  // namespace ridgeline::simulator
