#include "core/simulator/plan.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/simulator/engine.h"

namespace ridgeline::simulator {
namespace {

/// Apart from the numbers of ranks.
constexpr std::uint64_t kPieces = 1 << 20;

/// Events of a step for `layers` and `micro`, without what happens at first use only.
std::uint64_t stepEvents(const Plan& plan, std::uint64_t layers, std::uint64_t micro) {
  const StepPrograms& p = plan.programs;
  const std::uint64_t forward = eventsOf(p.front) + eventsOf(p.head) + layers * eventsOf(p.block);
  if (plan.scenario.graph) {
    const std::uint64_t launches =
        launchesOf(p.front) + launchesOf(p.head) + layers * launchesOf(p.block);
    return 1 + micro * (eventsOf(p.readBack) + 2 + 2 * launches);
  }
  if (plan.scenario.decode) return 1 + micro * (forward + eventsOf(p.readBack));
  const auto backward = [&](int accumulate) {
    return eventsOf(p.headBackward) + eventsOf(p.frontBackward[accumulate]) +
           layers * eventsOf(p.blockBackward[accumulate]);
  };
  const std::uint64_t
      annotations =  // as the device sees them: the step, the optimizer, collectives
      plan.scenario.gradients == Gradients::local ? 2 : 2 + micro * (1 + layers);
  std::uint64_t events =
      1 + annotations + eventsOf(p.begin) + eventsOf(p.backwardEnd) + eventsOf(p.optimizerBegin) +
      layers * (eventsOf(p.normBlock) + eventsOf(p.optimizerBlock)) + eventsOf(p.finish);
  events +=
      micro * (eventsOf(p.batch) + forward + eventsOf(p.tailBucket) + layers * eventsOf(p.bucket)) +
      backward(0);
  return events + (micro - 1) * backward(1);
}

/// Events of the whole recording that happen once: metadata, kernels loaded at their first use, and
/// memory that the allocator asks the driver for.
std::uint64_t onceEvents(const Plan& plan, int layers) {
  std::set<StringId> kernels;
  for (const DeviceWork& work : plan.catalogue.works) kernels.insert(work.name);
  CachingAllocator allocator;
  std::uint64_t grown = 0;
  const auto walk = [&](const Program& program) {
    for (const Instruction& instruction : program) {
      if (instruction.code == Instruction::Code::release) allocator.giveBack();
      if (instruction.code != Instruction::Code::alloc) continue;
      if (allocator.take(instruction.bytes)) ++grown;
    }
  };
  walk(plan.programs.batch);
  walk(plan.programs.front);
  for (int layer = 0; layer < layers; ++layer) walk(plan.programs.block);
  walk(plan.programs.head);
  return 20 + kernels.size() + grown;
}

/// Chooses layers, micro-batches and fillers such that a step has about `wanted` events: the
/// natural depth where possible, deeper when that is too few, micro-batches when the memory of the
/// device is full.
void fit(Plan& plan, std::uint64_t wanted) {
  const auto most = static_cast<std::uint64_t>(plan.scenario.mostLayers);
  std::uint64_t layers = 1;
  std::uint64_t micro = 1;
  while (layers < most && stepEvents(plan, layers + 1, 1) <= wanted) ++layers;
  if (layers == most) {
    const std::uint64_t one = stepEvents(plan, most, 2) - stepEvents(plan, most, 1);
    if (wanted > stepEvents(plan, most, 1)) micro += (wanted - stepEvents(plan, most, 1)) / one;
    // A few layers less in each of one micro-batch more may come closer.
    if (stepEvents(plan, layers, micro) < wanted) {
      ++micro;
      while (layers > 1 && stepEvents(plan, layers, micro) > wanted) --layers;
    }
  }
  plan.fillers = 0;
  plan.layers = static_cast<int>(layers);
  plan.microBatches = static_cast<int>(micro);
  const std::uint64_t have = stepEvents(plan, layers, micro);
  const std::uint64_t filler = eventsOf(plan.programs.filler);
  if (have < wanted) plan.fillers = static_cast<int>((wanted - have) / filler);
}

}  // namespace

std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t z = a + 0x9E3779B97F4A7C15ull * (b + 1) + 0xD1B54A32D192ED03ull * (c + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

Incident incidentOf(const Plan& plan, int step) {
  if (!plan.scenario.incidents) return Incident::none;
  static constexpr Incident kIncidents[] = {Incident::none,         Incident::syncs,
                                            Incident::lateBatch,    Incident::allocatorRetry,
                                            Incident::profilerStop, Incident::none};
  return kIncidents[step % 6];
}

bool isDropped(const Plan& plan, int rank, std::uint64_t correlation, bool device,
               std::uint32_t piece) {
  if (!plan.perturbed) return false;
  const auto who = static_cast<std::uint64_t>(rank) * 2 + (device ? 1 : 0) + piece * kPieces;
  return mix(plan.seed, correlation, who) % 500 == 0;
}

TimeNs clockOffset(const Plan& plan, int rank) {
  if (!plan.perturbed || rank == 0) return 0;
  return static_cast<TimeNs>(mix(plan.seed, 77, static_cast<std::uint64_t>(rank)) % 80001) - 40000;
}

TimeNs clockNoise(const Plan& plan, int rank, std::uint64_t correlation, int which,
                  std::uint32_t piece) {
  if (!plan.perturbed) return 0;
  const auto who =
      static_cast<std::uint64_t>(rank) * 2 + static_cast<std::uint64_t>(which) + piece * kPieces;
  return static_cast<TimeNs>(mix(plan.seed + 5, correlation, who) % (2 * kClockNoise + 1)) -
         kClockNoise;
}

std::shared_ptr<const Plan> makePlan(const Scenario& scenario, const Machine& machine,
                                     const SimulationOptions& options) {
  auto plan = std::make_shared<Plan>();
  plan->scenario = scenario;
  plan->machine = machine;
  plan->seed = options.seed;
  plan->perturbed = options.perturb.value_or(options.seed % 2 == 1);
  plan->ranks = options.ranks;
  plan->world = options.ranks > 1 ? options.ranks : scenario.world;
  if (plan->world > 1 && scenario.gradients == Gradients::local && !scenario.decode) {
    // Several ranks of a job that says nothing of communication: a fast, overlapped reduction.
    plan->scenario.gradients = Gradients::overlapped;
    plan->scenario.busBandwidth = 230e9;
  }
  plan->steps = options.steps;
  plan->firstStep = 0;
  plan->start = 4'458'676'388'068'751 + static_cast<TimeNs>(options.seed % 1000) * 1'000'003;
  plan->programs = buildStepPrograms(plan->scenario, machine, plan->world, plan->catalogue);
  for (int step = 0; step < plan->steps; ++step) {
    plan->stepNames.push_back(
        plan->catalogue.texts.intern("ProfilerStep#" + std::to_string(plan->firstStep + step)));
  }
  plan->layers = scenario.layers;
  plan->microBatches = scenario.decode ? 4 : 1;
  if (options.events > 0) {
    const auto steps = static_cast<std::uint64_t>(plan->steps);
    fit(*plan, options.events / steps);
    const std::uint64_t once = onceEvents(*plan, plan->layers);
    fit(*plan, options.events > once ? (options.events - once) / steps : 1);
  }
  if (scenario.graph) {
    plan->fillers = 0;
    plan->replay = replayOf(plan->programs, plan->layers, plan->catalogue);
  }
  return plan;
}

}  // namespace ridgeline::simulator
