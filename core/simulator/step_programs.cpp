#include "core/simulator/step_programs.h"

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

/// The allocator gives cached blocks back, which waits for the device, and takes new ones.
void allocatorRetry(OpBuilder& builder) {
  builder.open("aten::empty", {scalarList({268435456}), scalar("15"), scalar("0"), none(),
                               scalar("False"), none()});
  builder.setActivity(Activity::allocation);
  for (int i = 0; i < 3; ++i) {
    Instruction free;
    free.code = Code::drain;
    free.activity = Activity::allocation;
    free.call = Call::free;
    free.ns = 310'000;
    builder.emit(free);
  }
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

}  // namespace

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
    l.block();
    if (scenario.decode) b.releaseAll();
  });
  p.head = make(
      [&](OpBuilder&, LayerOps&, TrainingOps& t) { scenario.decode ? t.nextToken() : t.head(); });
  p.headBackward = make([](OpBuilder& b, LayerOps&, TrainingOps& t) {
    thread(b, Code::toAutograd, 38'000);
    t.headBackward();
  });
  for (const bool accumulate : {false, true}) {
    p.blockBackward[accumulate] =
        make([&](OpBuilder&, LayerOps& l, TrainingOps&) { l.blockBackward(accumulate); });
    p.frontBackward[accumulate] =
        make([&](OpBuilder&, LayerOps&, TrainingOps& t) { t.frontBackward(accumulate); });
  }
  if (scenario.gradients != Gradients::local) {
    p.bucket = make([&](OpBuilder&, LayerOps&, TrainingOps& t) {
      t.allReduce(scenario.shape.blockParameters());
    });
    p.tailBucket = make([&](OpBuilder& b, LayerOps&, TrainingOps& t) {
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
  p.syncInForward = make([](OpBuilder&, LayerOps&, TrainingOps& t) {
    t.metric();
    t.lossToHost();
  });
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
