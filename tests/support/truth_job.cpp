#include "tests/support/truth_job.h"

#include <QTemporaryDir>

#include "core/io/load_trace.h"
#include "core/simulator/scenario.h"

namespace ridgeline::test {

namespace {

SimulationOptions optionsOf(const simulator::Scenario& scenario, std::uint64_t seed, int steps) {
  SimulationOptions options;
  options.scenario = scenario.name;
  options.seed = seed;
  options.steps = steps;
  options.perturb = false;
  return options;
}

}  // namespace

simulator::Scenario drawnScenario(std::string_view name, std::uint64_t seed) {
  const simulator::Scenario* known = simulator::findScenario(name);
  if (!known) qFatal("no such scenario");
  simulator::Scenario s = *known;
  Draws draws(seed * 1000);
  s.layers = static_cast<int>(draws.from(1, s.images || s.hostSyncs ? 2 : 3));
  s.shape.heads = draws.oneOf({2, 4, 8});
  s.shape.hidden = s.shape.heads * draws.oneOf({64, 128});
  s.shape.feedForward = s.shape.hidden * draws.from(1, 4);
  s.shape.vocabulary = draws.oneOf({512, 1000, 4096, 8192});
  if (s.decode) {
    s.shape.batch = draws.from(1, 16);
    s.shape.context = draws.oneOf({128, 1000, 4096});
  } else if (s.images) {
    s.shape.batch = draws.from(1, s.input == simulator::Input::inProcess ? 4 : 32);
  } else {
    s.shape.batch = draws.from(1, 16);
    s.shape.sequence = draws.oneOf({64, 96, 256, 512, 1024});
  }
  s.hostScale = 0.25 * static_cast<double>(draws.from(1, 8));
  s.busBandwidth *= 0.5 * static_cast<double>(draws.from(1, 4));
  if (s.lateBucketNs > 0) s.lateBucketNs = draws.from(200'000, 4'000'000);
  s.loadNs = draws.from(200'000, 2'000'000);
  return s;
}

AnalysisWindow TruthJob::window(std::size_t skipped) const {
  AnalysisWindow window;
  window.kind = AnalysisWindow::Kind::steps;
  for (std::size_t i = skipped; i < truth().steps.size(); ++i) {
    window.spans.push_back(onTrace(truth().steps[i].host));
    window.steps.push_back(i);
  }
  return window;
}

std::shared_ptr<const simulator::Plan> cleanPlan(const simulator::Scenario& scenario,
                                                 std::uint64_t seed, int steps) {
  return simulator::makePlan(scenario, *simulator::findMachine(""),
                             optionsOf(scenario, seed, steps));
}

TruthJob runJob(std::shared_ptr<const simulator::Plan> plan) {
  TruthJob job;
  const QTemporaryDir folder;
  const std::string path = folder.filePath(QStringLiteral("rank0.json")).toStdString();
  const SimulationOptions options = optionsOf(plan->scenario, plan->seed, plan->steps);
  job.simulation = simulator::runPlan(plan, options);
  const Result<std::uint64_t> written = writeKineto(job.simulation, 0, path);
  if (!written.ok()) qFatal("%s", written.error().text().c_str());
  const Result<std::vector<LoadedTrace>> loaded = loadTrace(path);
  if (!loaded.ok()) qFatal("%s", loaded.error().text().c_str());
  Result<std::shared_ptr<const Workload>> made = makeWorkload(loaded.value().front().trace);
  if (!made.ok()) qFatal("%s", made.error().text().c_str());
  job.workload = made.value();

  simulator::Engine engine(*plan);
  engine.observe(
      [&](int rank, int, TimeSpan, const simulator::RankState& state) {
        if (rank != 0) return;
        std::vector<simulator::DeviceNode>& nodes = job.nodes.emplace_back(state.device);
        for (simulator::DeviceNode& node : nodes) {
          node.begin = job.onTrace(node.begin);
          node.end = job.onTrace(node.end);
          node.submitted = job.onTrace(node.submitted);
          node.arrived = job.onTrace(node.arrived);
          node.call = job.onTrace(node.call);
        }
      },
      [](int, bool, std::uint64_t, TimeSpan, StringId) {});
  engine.run();
  return job;
}

std::string_view scenarioOf(std::uint64_t seed) {
  const std::span<const simulator::Scenario> all = simulator::scenarios();
  return all[static_cast<std::size_t>(seed) % all.size()].name;
}

}  // namespace ridgeline::test
