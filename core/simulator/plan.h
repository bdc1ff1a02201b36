#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/simulator/simulator.h"
#include "core/simulator/step_programs.h"

namespace ridgeline::simulator {

/// Everything from which a job is run, decided before: a run of the same plan gives the same
/// schedule to the nanosecond, as often as it is run.
struct Plan {
  Scenario scenario;
  Machine machine;
  std::uint64_t seed = 1;
  bool perturbed = false;
  int world = 1;
  int ranks = 1;
  int steps = 1;
  int layers = 1;
  int microBatches = 1;         ///< decode: tokens a step
  int fillers = 0;              ///< small operators a step, to meet the wanted number of events
  bool lockstep = false;        ///< all ranks draw the same noise, so that none waits for another
  int firstStep = 0;            ///< number of the first ProfilerStep
  TimeNs start = 0;             ///< of the recording
  TimeNs launchLatency = 1500;  ///< from the end of a launch call to the start of its work
  Catalogue catalogue;
  StepPrograms programs;
  Program replay;  ///< of a token, with a graph
  std::vector<StringId> stepNames;
};

[[nodiscard]] std::shared_ptr<const Plan> makePlan(const Scenario& scenario, const Machine& machine,
                                                   const SimulationOptions& options);

/// Runs the plan once and keeps its truth. `options` are those that it was made for.
[[nodiscard]] Simulation runPlan(std::shared_ptr<const Plan> plan,
                                 const SimulationOptions& options);

/// A number that depends on all of the arguments and on nothing else (splitmix64).
[[nodiscard]] std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0);

/// Which incident, if any, the step with this index has.
enum class Incident : std::uint8_t { none, lateBatch, syncs, allocatorRetry, profilerStop };
[[nodiscard]] Incident incidentOf(const Plan& plan, int step);

/// Whether the recorder loses the launch call or the device record with this correlation.
/// (`piece`: which of the work of a graph).
[[nodiscard]] bool isDropped(const Plan& plan, int rank, std::uint64_t correlation, bool device,
                             std::uint32_t piece = 0);
/// How far the clock of `rank` is ahead.
[[nodiscard]] TimeNs clockOffset(const Plan& plan, int rank);
/// What the recorder adds to a device time; `which` is 0 for the start, 1 for the end.
[[nodiscard]] TimeNs clockNoise(const Plan& plan, int rank, std::uint64_t correlation, int which,
                                std::uint32_t piece = 0);
inline constexpr TimeNs kClockNoise = 150;
/// Added to the engine's count of calls, to make the ids in the file.
inline constexpr std::uint64_t kFirstCorrelation = 50000;

}  // namespace ridgeline::simulator
