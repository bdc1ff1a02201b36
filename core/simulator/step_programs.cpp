#include "core/simulator/step_programs.h"

#include "core/simulator/kernel_names.h"
#include "core/simulator/training_ops.h"

namespace ridgeline::simulator {
namespace {

using Code = Instruction::Code;

/// Builds one program with a fresh builder.
template <class Body>
Program program(const Scenario& scenario, const Machine& machine, int world, Catalogue& catalogue,
                const Body& body) {
  OpBuilder builder(catalogue, machine);
  builder.setHostScale(scenario.hostScale);
  if (scenario.decode) builder.setInference();
  LayerOps layer(builder, scenario.shape);
  TrainingOps training(builder, scenario, world);
  body(builder, layer, training);
  return builder.take();
}

void thread(OpBuilder& builder, Code code, std::int32_t ns) {
  Instruction instruction;
  instruction.code = code;
  instruction.activity = Activity::handOver;
  instruction.ns = builder.scaled(ns);
  builder.emit(instruction);
}

/// A cached block goes back to the driver, which waits for the device.
void freeBlock(OpBuilder& builder, std::int32_t ns, bool flag) {
  Instruction free;
  free.code = Code::drain;
  free.activity = Activity::allocation;
  free.call = Call::free;
  free.ns = ns;
  free.flag = flag;
  builder.emit(free);
}

/// The allocator gives cached blocks back, which waits for the device, and takes new ones.
void allocatorRetry(OpBuilder& builder) {
  builder.open("aten::empty", {scalarList({268435456}), scalar("15"), scalar("0"), none(),
                               scalar("False"), none()});
  builder.setActivity(Activity::allocation);
  for (int i = 0; i < 3; ++i) freeBlock(builder, 310'000, false);
  builder.call(Call::malloc, 640'000);
  builder.call(Call::malloc, 880'000);
  builder.setActivity(Activity::hostOp);
  builder.close();
}

void overhead(OpBuilder& builder, std::int32_t ns) {
  Instruction instruction;
  instruction.code = Code::overhead;
  instruction.activity = Activity::profiler;
  instruction.ns = ns;
  instruction.name = builder.intern("Activity Buffer Request");
  builder.emit(instruction);
}

/// What Python does with a value that it read back, such as sharing tokens out among experts.
constexpr std::int32_t kPlanningNs = 250'000;
constexpr std::int64_t kWorkspace = 96 << 20;

/// Before each block a workspace is used that nothing else fits into: all that is cached goes back
/// to the driver, and what the block needs is taken again, piece by piece.
void allocatorThrash(OpBuilder& builder) {
  builder.emptyTensor(kWorkspace, {kWorkspace}, 0);
  builder.release();

  builder.open("aten::empty", {scalarList({67108864}), scalar("15"), scalar("0"), none(),
                               scalar("False"), none()});
  builder.setActivity(Activity::allocation);
  for (int i = 0; i < 3; ++i) freeBlock(builder, 210'000, i == 0);
  builder.setActivity(Activity::hostOp);
  builder.close();
}

/// Dynamo and Inductor at work; each of the timed parts is an annotation.
void compile(OpBuilder& builder, int step) {
  const std::int32_t ms = step == 0 ? 1'000'000 : 300'000;
  builder.setActivity(Activity::compileLoad);
  builder.openAnnotation("_compile.compile_inner (dynamo_timed)");
  builder.host(41 * ms);
  builder.openAnnotation("create_aot_dispatcher_function (dynamo_timed)");
  builder.host(23 * ms);
  builder.openAnnotation("compile_fx_inner (dynamo_timed)");
  builder.host(37 * ms);
  builder.openAnnotation("async_compile.wait (dynamo_timed)");
  builder.host(90 * ms);
  builder.call(Call::moduleLoad, ms / 4);
  for (int i = 0; i < 4; ++i) builder.close();
  builder.setActivity(Activity::hostOp);
  builder.python(12'000);
}

constexpr std::string_view kRegion = "Torch-Compiled Region: 0/0";
constexpr std::string_view kForwardGraph =
    "## Call CompiledFxGraph fal4xpiah2v6blbfmwwonu52dvevbsmlh743q5tkclrt4gcqpzea ##";
constexpr std::string_view kBackwardGraph =
    "## Call CompiledFxGraph fjs75i4jmhjizyb52gwp7gln7sgi42fcmh5xdwningderuqcuslv ##";

void compiledBlock(OpBuilder& b, LayerOps& layer) {
  b.openPlain("TorchDynamo Cache Lookup");
  b.host(18'000);
  b.close();
  b.openPlain(kRegion);
  b.openPlain("CompiledFunction", Sequence::forward);
  b.openAnnotation(kForwardGraph);
  b.setInference();
  layer.setCompiled(true);
  layer.block();
  for (int i = 0; i < 3; ++i) b.close();
}

void compiledBlockBackward(OpBuilder& b, LayerOps& layer, const Dims& dims, bool accumulate) {
  layer.backwardNode("CompiledFunctionBackward", tensor(dims));
  b.openAnnotation(kBackwardGraph);
  b.setInference();
  layer.setCompiled(true);
  layer.blockBackward(accumulate);
  layer.setCompiled(false);
  b.close();
  layer.endBackwardNode();
}

/// torch.utils.checkpoint, the reentrant kind: only the input of the block is kept.
void checkpointedBlock(OpBuilder& b, LayerOps& layer, const Dims& dims) {
  b.open("CheckpointFunction", {tensor(dims)}, Sequence::forward);
  b.setInference();
  layer.block();
  b.close();
  b.release(b.allocated() - 1);
}

void checkpointedBlockBackward(OpBuilder& b, LayerOps& layer, const Dims& dims, bool accumulate) {
  layer.backwardNode("CheckpointFunctionBackward", tensor(dims));
  layer.block();
  layer.blockBackward(accumulate);
  b.release();
  layer.endBackwardNode();
}

/// A frozen branch beside the block, on a stream of its own; the block's end waits for it.
void blockWithBranch(OpBuilder& b, LayerOps& layer, const ModelShape& shape) {
  constexpr std::uint32_t kFork = 2;
  constexpr std::uint32_t kJoin = 3;
  b.record(Stream::compute, kFork);
  b.wait(Stream::side, kFork);
  b.setStream(Stream::side);
  b.setInference();
  layer.linear(shape.hidden, shape.hidden, false);
  layer.linear(shape.hidden, shape.feedForward, false);
  b.release(2);
  b.record(Stream::side, kJoin);
  b.setStream(Stream::compute);
  b.setInference(false);
  layer.block();
  b.wait(Stream::compute, kJoin);
  layer.pointwise({"aten::mul", names::kMul, "", 1, 2, 2}, layer.activation());
  b.release();
}

void lateHook(OpBuilder& b, TimeNs ns) {
  b.openPlain("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad");
  b.openPlain("torch::autograd::AccumulateGrad");
  b.host(static_cast<std::int32_t>(ns));
  b.close();
  b.close();
}

}  // namespace

std::uint64_t launchesOf(const Program& program) {
  std::uint64_t launches = 0;
  for (const Instruction& instruction : program) {
    if (instruction.code == Code::launch) launches += instruction.count;
  }
  return launches;
}

Program replayOf(const StepPrograms& programs, int layers, Catalogue& catalogue) {
  Instruction replay;
  replay.code = Code::launch;
  replay.activity = Activity::launchCall;
  replay.call = Call::graphLaunch;
  replay.index = static_cast<std::uint32_t>(catalogue.works.size());
  replay.count = 0;
  const auto capture = [&](const Program& program) {
    for (const Instruction& instruction : program) {
      if (instruction.code != Code::launch) continue;
      catalogue.works.push_back(DeviceWork(catalogue.works[instruction.index]));
      ++replay.count;
    }
  };
  capture(programs.front);
  for (int layer = 0; layer < layers; ++layer) capture(programs.block);
  capture(programs.head);
  // About a third of a microsecond a node, and as much as three plain launches to begin with.
  replay.ns = 14'000 + 320 * static_cast<std::int32_t>(replay.count);
  return {replay};
}

StepPrograms buildStepPrograms(const Scenario& scenario, const Machine& machine, int world,
                               Catalogue& catalogue) {
  const auto make = [&](const auto& body) {
    return program(scenario, machine, world, catalogue, body);
  };
  StepPrograms p;
  p.begin = make([](OpBuilder&, LayerOps&, TrainingOps& t) { t.zeroGrad(); });
  p.batch = make([](OpBuilder&, LayerOps&, TrainingOps& t) { t.nextBatch(); });
  p.front = make([&](OpBuilder& b, LayerOps&, TrainingOps& t) {
    t.front();
    if (scenario.decode) b.releaseAll();
  });
  p.block = make([&](OpBuilder& b, LayerOps& l, TrainingOps&) {
    if (scenario.compiled) return compiledBlock(b, l);
    if (scenario.recompute) return checkpointedBlock(b, l, l.activation());
    if (scenario.sideBranch) return blockWithBranch(b, l, scenario.shape);
    l.block();
    if (scenario.decode) b.releaseAll();
  });
  p.head = make([&](OpBuilder& b, LayerOps&, TrainingOps& t) {
    scenario.decode ? t.nextToken() : t.head();
    if (scenario.decode) b.releaseAll();
  });
  if (scenario.decode)
    p.readBack = make([](OpBuilder&, LayerOps&, TrainingOps& t) { t.readToken(); });
  if (scenario.graph) {
    p.replayBegin = make([](OpBuilder& b, LayerOps&, TrainingOps&) { b.python(38'000); });
  }
  p.headBackward = make([](OpBuilder& b, LayerOps&, TrainingOps& t) {
    thread(b, Code::toAutograd, 38'000);
    t.headBackward();
  });
  for (const bool accumulate : {false, true}) {
    p.blockBackward[accumulate] = make([&](OpBuilder& b, LayerOps& l, TrainingOps&) {
      const Dims dims = l.activation();
      if (scenario.compiled) return compiledBlockBackward(b, l, dims, accumulate);
      if (scenario.recompute) return checkpointedBlockBackward(b, l, dims, accumulate);
      l.blockBackward(accumulate);
    });
    p.frontBackward[accumulate] =
        make([&](OpBuilder&, LayerOps&, TrainingOps& t) { t.frontBackward(accumulate); });
  }
  if (scenario.gradients != Gradients::local) {
    p.bucket = make([&](OpBuilder&, LayerOps&, TrainingOps& t) {
      t.allReduce(scenario.shape.blockParameters());
    });
    p.tailBucket = make([&](OpBuilder& b, LayerOps&, TrainingOps& t) {
      if (scenario.lateBucketNs > 0) lateHook(b, scenario.lateBucketNs);
      t.allReduce(scenario.bigTail ? t.tailParameters() : t.tailParameters() / 4);
      b.wait(Stream::compute, 1);
    });
  }
  p.backwardEnd =
      make([](OpBuilder& b, LayerOps&, TrainingOps&) { thread(b, Code::toMain, 24'000); });
  p.normBlock = make([](OpBuilder&, LayerOps&, TrainingOps& t) { t.gradientNorm(); });
  p.optimizerBegin = make([](OpBuilder& b, LayerOps&, TrainingOps& t) {
    t.clipGradients();
    b.openAnnotation("Optimizer.step#AdamW.step");
    b.python(22'000);
  });
  p.optimizerBlock = make([](OpBuilder&, LayerOps&, TrainingOps& t) { t.optimizer(); });
  p.optimizerEnd = make([](OpBuilder& b, LayerOps&, TrainingOps&) { b.close(); });
  p.finish = make([](OpBuilder&, LayerOps&, TrainingOps& t) { t.lossToHost(); });
  p.filler = make([](OpBuilder&, LayerOps&, TrainingOps& t) { t.metric(); });
  p.syncInForward = make([&](OpBuilder& b, LayerOps&, TrainingOps& t) {
    t.metric();
    t.lossToHost();
    if (scenario.hostSyncs) b.python(kPlanningNs);
  });
  if (scenario.thrash) {
    p.allocatorThrash = make([](OpBuilder& b, LayerOps&, TrainingOps&) { allocatorThrash(b); });
  }
  for (const int step : {0, 1}) {
    if (!scenario.compiled) break;
    p.compile[step] = make([&](OpBuilder& b, LayerOps&, TrainingOps&) { compile(b, step); });
  }
  p.allocatorRetry = make([](OpBuilder& b, LayerOps&, TrainingOps&) { allocatorRetry(b); });
  p.profilerStop = make([](OpBuilder& b, LayerOps&, TrainingOps&) { overhead(b, 3'400'000); });
  p.lateBatch = make([](OpBuilder& b, LayerOps&, TrainingOps&) {
    b.setActivity(Activity::input);
    b.openAnnotation("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
    b.host(24'000'000);
    b.close();
  });
  return p;
}

}  // namespace ridgeline::simulator
