// How long the analyses of a trace take, one by one and all together, as the programs run them.
//   bench_analysis FILE [--json] [--repeat N] [--all]
// The best of N runs counts. --all looks at the whole recording instead of its steady steps.
// Compare traces of one kind and several sizes: seconds a million events should stay the same.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/analysis_store.h"
#include "core/analysis/data_quality.h"
#include "core/analysis/graph_builder.h"
#include "core/analysis/path_context.h"
#include "core/analysis/step_bounds.h"
#include "core/analysis/step_shares.h"
#include "core/io/load_trace.h"

using namespace ridgeline;

namespace {

using Clock = std::chrono::steady_clock;

struct Timing {
  std::string name;
  double seconds = 1e9;
};

struct Options {
  std::string path;
  bool json = false;
  bool all = false;
  int repeat = 3;
};

class Timings {
 public:
  void measure(const std::string& name, const std::function<void()>& work) {
    const auto start = Clock::now();
    work();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    for (Timing& t : timings_) {
      if (t.name != name) continue;
      t.seconds = std::min(t.seconds, seconds);
      return;
    }
    timings_.push_back({name, seconds});
  }
  [[nodiscard]] const std::vector<Timing>& list() const { return timings_; }

 private:
  std::vector<Timing> timings_;
};

using WorkloadPtr = std::shared_ptr<const Workload>;

WorkloadPtr workloadOf(const std::shared_ptr<const Trace>& trace) {
  auto made = makeWorkload(trace);
  return made.ok() ? std::move(made).value() : nullptr;
}

/// Each analysis alone, on one thread.
void measureEach(const WorkloadPtr& workload, const AnalysisWindow& window, Timings& timings) {
  const Workload& w = *workload;
  AnalysisResults r;
  timings.measure("device_time", [&] { r.deviceTimes = deviceTimes(w, window); });
  timings.measure("idle_gaps", [&] { r.idleGaps = idleGaps(w, window); });
  timings.measure("kernel_groups", [&] { r.kernelGroups = kernelGroups(w, window); });
  timings.measure("roofline", [&] { r.roofline = roofline(w, window); });
  timings.measure("collectives", [&] { r.collectives = collectives(w, window); });
  timings.measure("utilisation",
                  [&] { r.utilisation = utilisation(w, r.roofline, r.deviceTimes); });
  timings.measure("bounds",
                  [&] { r.bounds = bounds(w, r.roofline, r.deviceTimes, r.collectives); });
  timings.measure("launches", [&] { r.launches = launches(w, window); });
  timings.measure("memory", [&] { r.memory = memoryUse(w, window, r.idleGaps); });
  timings.measure("compiled", [&] { r.compiled = compiledPrograms(w, window); });
  timings.measure("profiler_cost", [&] { r.profilerCost = profilerCost(w, window); });
  timings.measure("run", [&] { r.run = std::make_shared<const RunInfo>(runInfo(*w.trace)); });
  std::shared_ptr<const DependencyGraph> graph;
  timings.measure("critical_path", [&] {
    const PathContext context(w);
    r.criticalPaths = criticalPaths(context, window, {});
    const CriticalPaths& paths = r.criticalPaths;
    if (paths.representative < paths.paths.size())
      graph = dependencyGraph(context, paths.paths[paths.representative], {});
  });
  timings.measure("what_if", [&] {
    const StepFloors floors = floorsOfSpan(w, window, r.criticalPaths.representative, r.bounds);
    r.whatIfs = whatIfs(w, r.criticalPaths, std::move(graph), floors, {});
  });
  StepShares shares;
  timings.measure("step_shares",
                  [&] { shares = stepShares(w, r.deviceTimes, r.idleGaps, r.roofline); });
  timings.measure("headline", [&] {
    r.headline =
        headline(w, r.deviceTimes, r.idleGaps, r.criticalPaths, r.bounds, r.profilerCost, shares);
  });
}

void print(const Options& options, double events, const Timings& timings) {
  if (options.json) {
    std::printf("{\"events\": %.0f", events);
    for (const Timing& t : timings.list())
      std::printf(", \"%s_s\": %.4f", t.name.c_str(), t.seconds);
    std::printf("}\n");
    return;
  }
  std::printf("%-16s %10s %22s\n", "", "seconds", "s a million events");
  for (const Timing& t : timings.list())
    std::printf("%-16s %10.4f %22.4f\n", t.name.c_str(), t.seconds, t.seconds * 1e6 / events);
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--json")
      options.json = true;
    else if (arg == "--all")
      options.all = true;
    else if (arg == "--repeat" && i + 1 < argc)
      options.repeat = std::max(1, std::atoi(argv[++i]));
    else if (options.path.empty() && !arg.starts_with("-"))
      options.path = arg;
    else
      return false;
  }
  return !options.path.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: bench_analysis FILE [--json] [--repeat N] [--all]\n");
    return 2;
  }
  auto loaded = loadTrace(options.path);
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s\n", loaded.failed() ? loaded.error().text().c_str() : "cancelled");
    return 1;
  }
  const std::shared_ptr<const Trace> trace = loaded.value().front().trace;
  Timings timings;
  for (int round = 0; round < options.repeat; ++round) {
    WorkloadPtr workload;
    timings.measure("workload", [&] { workload = workloadOf(trace); });
    if (!workload) {
      std::fprintf(stderr, "%s: no workload could be made of it\n", options.path.c_str());
      return 1;
    }
    const AnalysisWindow window =
        options.all ? wholeDeviceWindow(*workload) : steadyWindow(*workload);
    measureEach(workload, window, timings);
    // As the programs do it, side by side: what a user waits for after the load.
    timings.measure("all", [&] { AnalysisStore().results(workloadOf(trace), window); });
  }
  print(options, static_cast<double>(trace->importLog().read), timings);
  return 0;
}
