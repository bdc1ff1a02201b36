#include "core/simulator/simulator.h"

#include <filesystem>
#include <utility>

#include "core/simulator/engine.h"
#include "core/simulator/kineto_writer.h"
#include "core/simulator/output_file.h"
#include "core/simulator/truth_builder.h"

namespace ridgeline {
namespace {

constexpr int kMostRanks = 1024;
constexpr int kMostSteps = 100000;

Error unknownScenario(const std::string& name) {
  std::string todo = "Known are ";
  for (const ScenarioName& scenario : scenarioNames()) {
    if (&scenario != &scenarioNames().front()) todo += ", ";
    todo += scenario.name;
  }
  return {"there is no scenario '" + name + "'", "", todo};
}

Error unknownDevice(const std::string& name) {
  std::string todo = "Known are";
  for (const std::string& device : deviceNames()) todo += ' ' + device;
  return {"there is no device '" + name + "' to simulate", "", todo};
}

}  // namespace

std::span<const ScenarioName> scenarioNames() {
  static const std::vector<ScenarioName> kNames = [] {
    std::vector<ScenarioName> names;
    for (const simulator::Scenario& s : simulator::scenarios()) {
      names.push_back({s.name, s.sentence});
    }
    return names;
  }();
  return kNames;
}

std::vector<std::string> deviceNames() {
  std::vector<std::string> names;
  for (const simulator::Machine& machine : simulator::machines()) names.emplace_back(machine.key);
  return names;
}

Simulation simulator::runPlan(std::shared_ptr<const Plan> plan, const SimulationOptions& options) {
  Simulation simulation;
  simulation.options = options;
  simulation.perturbed = plan->perturbed;
  simulation.world = plan->world;
  Engine engine(*plan);
  TruthBuilder truth(*plan);
  engine.observe([&](int rank, int step, TimeSpan host,
                     const RankState& state) { truth.stepDone(rank, step, host, state); },
                 [&](int rank, bool device, std::uint64_t correlation, TimeSpan span,
                     StringId name) { truth.dropped(rank, device, correlation, span, name); });
  const std::vector<TimeSpan> recordings = engine.run();
  simulation.truth.bottleneck = plan->scenario.bottleneck;
  simulation.truth.noise = plan->perturbed ? kClockNoise : 0;
  simulation.truth.ranks = truth.finish(recordings);
  simulation.plan = std::move(plan);
  return simulation;
}

Result<Simulation> simulate(const SimulationOptions& options) {
  const simulator::Scenario* scenario = simulator::findScenario(options.scenario);
  if (!scenario) return unknownScenario(options.scenario);
  const simulator::Machine* machine = simulator::findMachine(options.device);
  if (!machine) return unknownDevice(options.device);
  if (options.ranks < 1 || options.ranks > kMostRanks) {
    return Error{"cannot simulate " + std::to_string(options.ranks) + " ranks", "",
                 "Choose from 1 to " + std::to_string(kMostRanks)};
  }
  if (options.steps < 1 || options.steps > kMostSteps) {
    return Error{"cannot simulate " + std::to_string(options.steps) + " steps", "",
                 "Choose from 1 to " + std::to_string(kMostSteps)};
  }
  return simulator::runPlan(simulator::makePlan(*scenario, *machine, options), options);
}

Result<std::uint64_t> writeKineto(const Simulation& simulation, int rank, const std::string& path) {
  if (rank < 0 || rank >= simulation.options.ranks) {
    return Error{"there is no rank " + std::to_string(rank) + " to write", path,
                 "Simulate more ranks"};
  }
  auto file = simulator::OutputFile::create(path);
  if (!file.ok()) return file.error();
  const simulator::Plan& plan = *simulation.plan;
  simulator::KinetoWriter writer(plan, rank, *file.value());
  writer.header();
  // Two runs, because the file has the whole CPU part before the device's part and the second would
  // have to be kept somewhere meanwhile.
  {
    simulator::Engine engine(plan);
    engine.record(rank, [&](const simulator::Records& records) { writer.hostPart(records); });
    engine.run();
  }
  simulator::Engine engine(plan);
  engine.record(rank, [&](const simulator::Records& records) { writer.devicePart(records); });
  const std::vector<TimeSpan> recordings = engine.run();
  std::string name = std::filesystem::path(path).filename().string();
  std::erase_if(name,
                [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 32; });
  writer.footer(recordings[static_cast<std::size_t>(rank)], name);
  const Status status = file.value()->commit();
  if (!status.ok()) return status.error();
  return writer.events();
}

std::string rankPath(const std::string& path, int rank) {
  std::string suffix;
  std::string stem = path;
  for (const std::string_view ending : {".gz", ".zst", ".json"}) {
    if (!stem.ends_with(ending)) continue;
    suffix.insert(0, ending);
    stem.resize(stem.size() - ending.size());
  }
  return stem + ".rank" + std::to_string(rank) + suffix;
}

}  // namespace ridgeline
