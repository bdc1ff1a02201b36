#include "core/analysis/analysis_store.h"

#include <cinttypes>
#include <cstdio>
#include <thread>

#include "core/analysis/given_quality.h"
#include "core/analysis/graph_builder.h"
#include "core/analysis/op_communication.h"
#include "core/analysis/step_bounds.h"

namespace ridgeline {

namespace {

/// Windows chosen by hand are without end; nobody comes back to that many.
constexpr std::size_t kMostKept = 64;

/// Workloads are told apart by address: while a result is cached it keeps its Workload alive, so
/// that no other one can have the same.
std::string keyOf(const Workload* workload, const AnalysisWindow& window) {
  char text[64];
  std::snprintf(text, sizeof text, "%p/%d", static_cast<const void*>(workload),
                static_cast<int>(window.kind));
  std::string key = text;
  for (const TimeSpan& span : window.spans) {
    std::snprintf(text, sizeof text, "/%" PRId64 "+%" PRId64, span.begin, span.length());
    key += text;
  }
  for (const std::size_t step : window.steps) key += "#" + std::to_string(step);
  return key + ' ' + window.label;
}

/// `another` window's results of the same Workload spare what is the same for all windows.
/// The critical path needs nothing of the others and takes as long as all of them: it gets a thread
/// of its own.
std::shared_ptr<AnalysisResults> compute(const std::shared_ptr<const Workload>& workload,
                                         const AnalysisWindow& window,
                                         const AnalysisResults* another, const Task& task) {
  auto results = std::make_shared<AnalysisResults>();
  AnalysisResults& r = *results;
  r.workload = workload;
  r.window = window;
  const Workload& w = *workload;
  std::shared_ptr<const DependencyGraph> graph;
  {
    const std::jthread path([&] {
      if (task.cancelled()) return;
      const PathContext context(w);
      r.criticalPaths = criticalPaths(context, window, task);
      const CriticalPaths& paths = r.criticalPaths;
      if (!task.cancelled() && paths.representative < paths.paths.size())
        graph = dependencyGraph(context, paths.paths[paths.representative], task);
    });
    if (!task.cancelled()) r.deviceTimes = deviceTimes(w, window);
    if (!task.cancelled()) r.idleGaps = idleGaps(w, window);
    if (!task.cancelled()) r.kernelGroups = kernelGroups(w, window);
    if (!task.cancelled()) r.roofline = roofline(w, window);
    if (!task.cancelled()) r.collectives = collectives(w, window);
    if (!task.cancelled()) addCommunicationTimes(w, r.collectives, r.roofline);
    if (!task.cancelled()) r.bounds = bounds(w, r.roofline, r.deviceTimes, r.collectives);
    if (!task.cancelled()) r.utilisation = utilisation(w, r.roofline, r.deviceTimes);
    if (!task.cancelled())
      r.launches = launches(w, window, another == nullptr ? nullptr : another->launches.queues);
    if (!task.cancelled()) r.memory = memoryUse(w, window, r.idleGaps);
    if (!task.cancelled()) r.profilerCost = profilerCost(w, window);
    if (!task.cancelled()) r.compiled = compiledPrograms(w, window);
    r.run = another == nullptr ? std::make_shared<const RunInfo>(runInfo(*w.trace)) : another->run;
  }
  if (task.cancelled()) return nullptr;
  r.whatIfs = whatIfs(w, r.criticalPaths, std::move(graph),
                      floorsOfSpan(w, window, r.criticalPaths.representative, r.bounds), task);
  r.headline = headline(w, r.deviceTimes, r.idleGaps, r.criticalPaths, r.bounds, r.profilerCost,
                        stepShares(w, r.deviceTimes, r.idleGaps, r.roofline));
  r.headline.quality.add(givenChecks(w, r.roofline, r.collectives));
  r.headline.warnings = r.headline.quality.warnings();
  return task.cancelled() ? nullptr : results;
}

}  // namespace

std::shared_ptr<const AnalysisResults> AnalysisStore::results(
    const std::shared_ptr<const Workload>& workload, const AnalysisWindow& window,
    const Task& task) {
  const std::string key = keyOf(workload.get(), window);
  {
    const std::scoped_lock lock(mutex_);
    const auto found = cache_.find(key);
    if (found != cache_.end()) return found->second;
  }
  std::shared_ptr<const AnalysisResults> made =
      compute(workload, window, another(workload.get()).get(), task);
  if (!made) return nullptr;
  const std::scoped_lock lock(mutex_);
  if (cache_.size() >= kMostKept) cache_.clear();
  return cache_.emplace(key, std::move(made)).first->second;
}

std::shared_ptr<const AnalysisResults> AnalysisStore::another(const Workload* workload) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [key, results] : cache_)
    if (results->workload.get() == workload) return results;
  return nullptr;
}

void AnalysisStore::clear() {
  const std::scoped_lock lock(mutex_);
  cache_.clear();
}

}  // namespace ridgeline
