#include "core/simulator/training_ops.h"

#include <cmath>
#include <string>

#include "core/simulator/kernel_names.h"

namespace ridgeline::simulator {
namespace {

constexpr double kPinnedBytesPerSecond = 24e9;  // PCIe 4 x16
constexpr double kPageableBytesPerSecond = 10.5e9;
constexpr std::int64_t kPatch = 16;
constexpr std::int64_t kImage = 224;

double real(std::int64_t n) {
  return static_cast<double>(n);
}

ModelShape headOf(const Scenario& scenario) {
  ModelShape shape = scenario.shape;
  if (scenario.images) shape.sequence = 1;  // a class an image
  return shape;
}

}  // namespace

TrainingOps::TrainingOps(OpBuilder& builder, const Scenario& scenario, int world)
    : b_(builder),
      scenario_(scenario),
      s_(scenario.shape),
      headShape_(headOf(scenario)),
      layer_(builder, s_),
      headLayer_(builder, headShape_),
      world_(world) {}

std::int64_t TrainingOps::tailParameters() const {
  return scenario_.images ? s_.hidden * 3 * kPatch * kPatch : s_.vocabulary * s_.hidden;
}

void TrainingOps::decodeImages() {
  const Dims raw{kImage, kImage, 3};
  const Dims chw{3, kImage, kImage};
  for (std::int64_t i = 0; i < s_.batch; ++i) {
    b_.host(1'050'000);  // read and decompress one image
    b_.view("aten::permute", {tensor(raw, "unsigned char"), scalarList({2, 0, 1})});
    b_.open("aten::to", {tensor(chw, "unsigned char"), scalar("6"), scalar("False"), none()});
    b_.leaf("aten::copy_", {tensor(chw, "float"), tensor(chw, "unsigned char"), scalar("False")},
            120'000);
    b_.close();
    b_.leaf("aten::div", {tensor(chw, "float"), scalar("255")}, 60'000);
    b_.leaf("aten::sub_", {tensor(chw, "float"), tensor({3, 1, 1}, "float"), scalar("1")}, 55'000);
    b_.leaf("aten::div_", {tensor(chw, "float"), tensor({3, 1, 1}, "float")}, 55'000);
  }
  b_.leaf("aten::stack", {tensorList({chw}, "float"), scalar("0")}, 5'200'000);
}

void TrainingOps::toDevice(const Dims& dims, std::string_view type, std::int64_t elementBytes,
                           bool pinned) {
  std::int64_t bytes = elementBytes;
  for (const std::int64_t dim : dims) bytes *= dim;
  b_.open("aten::to", {tensor(dims, type), none(), none(), scalar("0"), none(),
                       scalar(pinned ? "True" : "False"), scalar("False"), none()});
  b_.open("aten::_to_copy",
          {tensor(dims, type), none(), none(), none(), none(), scalar("False"), none()});
  b_.open("aten::empty_strided", {scalarList(dims), none(), none(), none(), none(), none()});
  b_.alloc(bytes);
  b_.close();
  b_.open("aten::copy_",
          {tensor(dims, type), tensor(dims, type), scalar(pinned ? "True" : "False")});
  b_.copy(pinned ? "Memcpy HtoD (Pinned -> Device)" : "Memcpy HtoD (Pageable -> Device)", bytes,
          pinned ? kPinnedBytesPerSecond : kPageableBytesPerSecond, !pinned);
  b_.close();
  b_.close();
  b_.close();
}

void TrainingOps::nextBatch() {
  const bool inProcess = scenario_.input == Input::inProcess;
  b_.setActivity(Activity::input);
  b_.openAnnotation(inProcess ? "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
                              : "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
  b_.host(12'000);
  if (inProcess) {
    decodeImages();
  } else {
    Instruction wait;
    wait.code = Instruction::Code::nextBatch;
    wait.activity = Activity::input;
    b_.emit(wait);
    b_.host(6'000);
  }
  b_.close();
  if (scenario_.images) {
    const bool pinned = !inProcess && !scenario_.pageable;
    toDevice({s_.batch, 3, kImage, kImage}, "float", 4, pinned);
    toDevice({s_.batch}, "long", 8, pinned);
  } else {
    toDevice({s_.batch, s_.sequence}, "long", 8, true);
    toDevice({s_.batch, s_.sequence}, "long", 8, true);
  }
  b_.setActivity(Activity::hostOp);
  b_.python(9'000);
}

void TrainingOps::embedding() {
  const std::int64_t n = s_.tokens() * s_.hidden;
  b_.open("aten::embedding",
          {tensor({s_.vocabulary, s_.hidden}), tensor({s_.batch, s_.sequence}, "long"),
           scalar("-1"), scalar("False"), scalar("False")},
          Sequence::forward);
  b_.leaf("aten::reshape", {tensor({s_.batch, s_.sequence}, "long"), scalarList({-1})}, 900);
  b_.open("aten::index_select",
          {tensor({s_.vocabulary, s_.hidden}), scalar("0"), tensor({s_.tokens()}, "long")});
  b_.alloc(n * 2);
  b_.launch(b_.kernel(names::kIndexSelect, TruthPathCause::indexing,
                      {.flops = 0, .bytes = 4 * real(n) + 8 * real(s_.tokens())}, n / 1024 + 1,
                      128));
  b_.close();
  b_.leaf("aten::view", {tensor({s_.tokens(), s_.hidden}), scalarList(layer_.activation())}, 700);
  b_.close();
  b_.python(4'000);
}

void TrainingOps::patches() {
  const Dims image{s_.batch, 3, kImage, kImage};
  const Dims weight{s_.hidden, 3, kPatch, kPatch};
  const std::int64_t out = s_.tokens() * s_.hidden;
  b_.open("aten::conv2d",
          {tensor(image), tensor(weight), tensor({s_.hidden}), scalarList({kPatch, kPatch}),
           scalarList({0, 0}), scalarList({1, 1}), scalar("1")});
  b_.open(
      "aten::convolution",
      {tensor(image), tensor(weight), tensor({s_.hidden}), scalarList({kPatch, kPatch}),
       scalarList({0, 0}), scalarList({1, 1}), scalar("False"), scalarList({0, 0}), scalar("1")},
      Sequence::forward);
  b_.open("aten::_convolution",
          {tensor(image), tensor(weight), tensor({s_.hidden}), scalarList({kPatch, kPatch}),
           scalarList({0, 0}), scalarList({1, 1}), scalar("False"), scalarList({0, 0}), scalar("1"),
           scalar("False"), scalar("False"), scalar("True"), scalar("True")});
  b_.open("aten::cudnn_convolution",
          {tensor(image), tensor(weight), scalarList({0, 0}), scalarList({kPatch, kPatch}),
           scalarList({1, 1}), scalar("1"), scalar("False"), scalar("False"), scalar("True")});
  b_.host(9'000);
  b_.alloc(out * 2);
  b_.launch(b_.kernel(names::kConvForward, TruthPathCause::convolution,
                      {.flops = 2 * real(out) * 3 * kPatch * kPatch,
                       .bytes = 2 * (real(s_.batch * 3 * kImage * kImage) + real(out) +
                                     real(s_.hidden * 3 * kPatch * kPatch)),
                       .matrix = true,
                       .efficiency = 0.7},
                      s_.tokens() / 128 * (s_.hidden / 128), 256, 234, 98304),
            Call::launchKernelExC);
  b_.close();
  b_.close();
  b_.close();
  b_.close();
  b_.view("aten::flatten", {tensor({s_.batch, s_.hidden, kImage / kPatch, kImage / kPatch}),
                            scalar("2"), scalar("-1")});
  b_.view("aten::transpose",
          {tensor({s_.batch, s_.hidden, s_.sequence}), scalar("1"), scalar("2")});
  b_.python(6'000);
}

void TrainingOps::front() {
  scenario_.images ? patches() : embedding();
}

void TrainingOps::frontBackward(bool accumulate) {
  const std::int64_t n = s_.tokens() * s_.hidden;
  const Arg grad = tensor(layer_.activation());
  if (scenario_.images) {
    const Dims weight{s_.hidden, 3, kPatch, kPatch};
    const Dims out{s_.batch, s_.hidden, kImage / kPatch, kImage / kPatch};
    layer_.backwardNode("ConvolutionBackward0", tensor(out));
    b_.open("aten::convolution_backward",
            {tensor(out), tensor({s_.batch, 3, kImage, kImage}), tensor(weight),
             scalarList({s_.hidden}), scalarList({kPatch, kPatch}), scalarList({0, 0}),
             scalarList({1, 1}), scalar("False"), scalarList({0, 0}), scalar("1"),
             Arg{"[]", "[]", "ScalarList", "[False, True, True]"}});
    b_.host(9'000);
    b_.launch(b_.kernel(names::kConvWeightGrad, TruthPathCause::convolution,
                        {.flops = 2 * real(n) * 3 * kPatch * kPatch,
                         .bytes = 2 * (real(s_.batch * 3 * kImage * kImage) + real(n) +
                                       real(s_.hidden * 3 * kPatch * kPatch)),
                         .matrix = true,
                         .efficiency = 0.6},
                        s_.hidden * 3 * kPatch * kPatch / (128 * 128), 128, 234, 98304),
              Call::launchKernelExC);
    b_.launch(b_.kernel(names::kSum, TruthPathCause::reduction,
                        {.flops = real(n), .bytes = 2 * real(n)}, (s_.hidden + 31) / 32, 512, 32,
                        16384));  // the bias
    b_.close();
    b_.release();
    layer_.endBackwardNode();
    layer_.accumulateGrad(weight, accumulate);
  } else {
    layer_.backwardNode("EmbeddingBackward0", grad);
    b_.open("aten::embedding_backward",
            {grad, tensor({s_.batch, s_.sequence}, "long"), scalar(std::to_string(s_.vocabulary)),
             scalar("-1"), scalar("False"), scalar("False")});
    b_.open("aten::embedding_dense_backward",
            {grad, tensor({s_.batch, s_.sequence}, "long"), scalar(std::to_string(s_.vocabulary)),
             scalar("-1"), scalar("False")});
    b_.memset(s_.vocabulary * s_.hidden * 2);
    b_.launch(b_.kernel(names::kEmbeddingBackward, TruthPathCause::indexing,
                        {.flops = real(n), .bytes = 6 * real(n)}, s_.hidden / 32 * 8, 256, 40,
                        8192));
    b_.close();
    b_.close();
    b_.release();
    layer_.endBackwardNode();
    layer_.accumulateGrad({s_.vocabulary, s_.hidden}, accumulate);
  }
  b_.release(2);  // the batch
}

void TrainingOps::head() {
  const std::int64_t rows = headShape_.tokens();
  const std::int64_t n = rows * s_.vocabulary;
  const Arg logits = tensor({rows, s_.vocabulary});
  const Arg target = tensor({rows}, "long");
  headLayer_.layerNorm();
  headLayer_.linear(s_.hidden, s_.vocabulary, false);
  b_.open("aten::cross_entropy_loss",
          {logits, target, none(), scalar("1"), scalar("-100"), scalar("0.")});
  b_.open("aten::log_softmax", {logits, scalar("1"), none()});
  b_.open("aten::_log_softmax", {logits, scalar("1"), scalar("False")}, Sequence::forward);
  b_.alloc(n * 2);
  b_.launch(b_.kernel(names::kLogSoftmax, TruthPathCause::softmax,
                      {.flops = 5 * real(n), .bytes = 4 * real(n)}, rows, 1024, 32, 4096));
  b_.close();
  b_.close();
  b_.open("aten::nll_loss_nd", {logits, target, none(), scalar("1"), scalar("-100")});
  b_.open("aten::nll_loss", {logits, target, none(), scalar("1"), scalar("-100")});
  b_.open("aten::nll_loss_forward", {logits, target, none(), scalar("1"), scalar("-100")},
          Sequence::forward);
  b_.alloc(512);
  b_.launch(b_.kernel(names::kNllLoss, TruthPathCause::softmax,
                      {.flops = real(rows), .bytes = 40 * real(rows)}, 1, 32));
  b_.close();
  b_.close();
  b_.close();
  b_.close();
  b_.python(14'000);
}

void TrainingOps::headBackward() {
  const std::int64_t rows = headShape_.tokens();
  const std::int64_t n = rows * s_.vocabulary;
  const Arg logits = tensor({rows, s_.vocabulary});
  layer_.backwardNode("NllLossBackward0", tensor({}));
  b_.open("aten::nll_loss_backward", {tensor({}), logits, tensor({rows}, "long"), none(),
                                      scalar("1"), scalar("-100"), tensor({})});
  b_.memset(n * 2);
  b_.launch(b_.kernel(names::kNllLossBackward, TruthPathCause::softmax,
                      {.flops = real(rows), .bytes = 40 * real(rows)}, 1, 32));
  b_.close();
  b_.release();
  layer_.endBackwardNode();
  layer_.backwardNode("LogSoftmaxBackward0", logits);
  b_.open("aten::_log_softmax_backward_data", {logits, logits, scalar("1"), scalar("15")});
  b_.launch(b_.kernel(names::kLogSoftmaxBackward, TruthPathCause::softmax,
                      {.flops = 4 * real(n), .bytes = 6 * real(n)}, rows, 1024, 32, 4096));
  b_.close();
  b_.release();
  layer_.endBackwardNode();
  headLayer_.linearBackward(s_.hidden, s_.vocabulary, false, false);
  headLayer_.layerNormBackward(false);
}

void TrainingOps::nextToken() {
  const std::int64_t n = s_.batch * s_.vocabulary;
  layer_.layerNorm();
  layer_.linear(s_.hidden, s_.vocabulary, false);
  b_.open("aten::argmax", {tensor({s_.batch, s_.vocabulary}), scalar("-1"), scalar("False")});
  b_.launch(b_.kernel(names::kArgMax, TruthPathCause::reduction,
                      {.flops = real(n), .bytes = 2 * real(n)}, s_.batch, 512, 32, 4096));
  b_.close();
}

void TrainingOps::readToken() {
  b_.python(4'000);
  b_.open("aten::to",
          {tensor({s_.batch}, "long"), none(), none(), none(), none(), scalar("False")});
  b_.open("aten::copy_", {tensor({s_.batch}, "long"), tensor({s_.batch}, "long"), scalar("False")});
  b_.copy("Memcpy DtoH (Device -> Pageable)", s_.batch * 8, kPageableBytesPerSecond, false);
  b_.synchronize(Stream::compute);
  b_.close();
  b_.close();
  b_.releaseAll();
  b_.python(30'000);  // append the tokens, look for the end
}

void TrainingOps::allReduce(std::int64_t elements) {
  std::string ranks = "[";
  for (int rank = 0; rank < world_; ++rank) ranks += (rank > 0 ? ", " : "") + std::to_string(rank);
  ranks += ']';
  const std::string count = std::to_string(elements);
  const std::string size = std::to_string(world_);
  const std::string common =
      "\"Collective name\": \"allreduce\", \"In msg nelems\": " + count +
      ", \"Out msg nelems\": " + count + ", \"Group size\": " + size +
      ", \"dtype\": \"BFloat16\", \"In split size\": \"[]\", \"Out split size\": "
      "\"[]\", \"Process Group Name\": \"0\", \"Process Group Description\": "
      "\"default_pg\", \"Process Group Ranks\": \"" +
      ranks + '"';
  const Arg list = tensorList({{elements}}, "c10::BFloat16");
  DeviceWork work;
  work.name = b_.intern(names::kAllReduce);
  work.args = b_.intern(
      "\"registers per thread\": 96, \"shared memory\": 82240, \"blocks per SM\": 0.222222, "
      "\"warps per SM\": 3.777778, \"grid\": [24, 1, 1], \"block\": [544, 1, 1], "
      "\"est. achieved occupancy %\": 0, " +
      common);
  work.pathCause = TruthPathCause::collective;
  work.isCollective = true;
  // A ring moves 2 (n-1)/n of the buffer over each link.
  const double seconds = 2.0 * (world_ - 1) / world_ * real(elements) * 2 / scenario_.busBandwidth;
  work.duration = 18'000 + static_cast<TimeNs>(std::llround(seconds * 1e9));
  b_.open("c10d::allreduce_", {list, none(), none(), none(), scalar("-1")});
  b_.openText("record_param_comms",
              common + ", \"Rank\": 0, \"Global rank start\": 0, \"Global rank stride\": 1, " +
                  argsText({list, none(), none(), scalar("0"), none(), scalarList({}),
                            scalarList({}), scalar("0"), scalar("1"), scalar(size)}));
  b_.openAnnotation("nccl:all_reduce");
  b_.call(Call::streamIsCapturing, 600);
  b_.record(Stream::compute, 0);
  b_.wait(Stream::communication, 0);
  Instruction launch;
  launch.code = Instruction::Code::collective;
  launch.activity = Activity::launchCall;
  launch.call = Call::launchKernelExC;
  launch.stream = Stream::communication;
  launch.ns = b_.scaled(9'000);
  launch.index = b_.add(work);
  b_.emit(launch);
  b_.record(Stream::communication, 1);
  b_.close();
  b_.close();
  b_.close();
}

void TrainingOps::zeroGrad() {
  b_.openAnnotation("Optimizer.zero_grad#AdamW.zero_grad");
  b_.python(16'000);
  b_.close();
  b_.python(4'000);
}

void TrainingOps::gradientNorm() {
  const std::vector<Dims> all{{3 * s_.hidden, s_.hidden},
                              {s_.hidden, s_.hidden},
                              {s_.feedForward, s_.hidden},
                              {s_.hidden, s_.feedForward}};
  const std::int64_t n = s_.blockParameters();
  b_.open("aten::_foreach_norm", {tensorList(all, "c10::BFloat16"), scalar("2")});
  b_.launch(b_.kernel(names::kForeachNorm, TruthPathCause::reduction,
                      {.flops = 2 * real(n), .bytes = 2 * real(n)}, 320, 512, 40));
  b_.close();
  b_.python(2'000);
}

void TrainingOps::clipGradients() {
  b_.python(7'000);
  const Pointwise scale{"aten::mul_", names::kMulFloat, "", 1, 1, 4};
  layer_.pointwise(scale, {1});
  b_.release();
}

void TrainingOps::adamOf(const Dims& dims) {
  std::int64_t n = 1;
  for (const std::int64_t dim : dims) n *= dim;
  struct Part {
    std::string_view op, functor;
    int operands;
  };
  static constexpr Part kParts[] = {
      {"aten::mul_", names::kMulScalar, 1}, {"aten::lerp_", names::kLerp, 2},
      {"aten::mul_", names::kMulScalar, 1}, {"aten::addcmul_", names::kAddcmul, 3},
      {"aten::sqrt", names::kSqrt, 1},      {"aten::div", names::kDivScalar, 1},
      {"aten::add_", names::kAddScalar, 1}, {"aten::addcdiv_", names::kAddcdiv, 3}};
  for (const Part& part : kParts) {
    std::vector<Arg> args(static_cast<std::size_t>(part.operands), tensor(dims));
    args.push_back(scalar("0.001"));
    b_.open(part.op, args);
    b_.launch(layer_.elementwise(part.functor, n, 2 * real(n) * (part.operands + 1), real(n),
                                 part.operands + 1, TruthPathCause::elementwise));
    b_.close();
    b_.python(1'500);
  }
}

void TrainingOps::optimizer() {
  if (!scenario_.fusedOptimizer) {
    for (const Dims& dims :
         {Dims{3 * s_.hidden, s_.hidden}, Dims{3 * s_.hidden}, Dims{s_.hidden, s_.hidden},
          Dims{s_.hidden}, Dims{s_.feedForward, s_.hidden}, Dims{s_.feedForward},
          Dims{s_.hidden, s_.feedForward}, Dims{s_.hidden}, Dims{s_.hidden}, Dims{s_.hidden}}) {
      adamOf(dims);
    }
    return;
  }
  const std::vector<Dims> all{{3 * s_.hidden, s_.hidden},
                              {s_.hidden, s_.hidden},
                              {s_.feedForward, s_.hidden},
                              {s_.hidden, s_.feedForward}};
  const Arg list = tensorList(all, "c10::BFloat16");
  const double n = real(s_.blockParameters());
  b_.open("aten::_fused_adamw_",
          {list, list, list, list, none(), none(), scalar("0.0001"), scalar("0.9"), scalar("0.95"),
           scalar("0.10000000000000001"), scalar("1e-08"), scalar("False"), scalar("False"), none(),
           none()});
  b_.launch(b_.kernel(names::kFusedAdam, TruthPathCause::optimizer,
                      {.flops = 14 * n, .bytes = 14 * n}, 320, 512, 64));
  b_.close();
  b_.python(2'000);
}

void TrainingOps::lossToHost() {
  b_.open("aten::item", {tensor({})});
  b_.open("aten::_local_scalar_dense", {tensor({})});
  b_.copy("Memcpy DtoH (Device -> Pinned)", 2, kPinnedBytesPerSecond, false);
  b_.synchronize(Stream::compute);
  b_.close();
  b_.close();
  b_.python(12'000);
}

void TrainingOps::metric() {
  const Pointwise op{"aten::mul", names::kMulScalar, "", 1, 1, 2};
  layer_.pointwise(op, {1024});
  b_.release();
}

}  // namespace ridgeline::simulator
