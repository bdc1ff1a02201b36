#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/analysis/window.h"
#include "core/simulator/engine.h"

namespace ridgeline::test {

/// Reproducible draws for the sizes of jobs.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  template <class T>
  T oneOf(std::initializer_list<T> values) {
    return *(values.begin() + from(0, static_cast<std::int64_t>(values.size()) - 1));
  }
  bool chance(int percent) { return from(1, 100) <= percent; }

 private:
  std::uint64_t next() { return simulator::mix(state_++, 4711); }
  std::uint64_t state_;
};

/// The scenario of that name with a small model of drawn sizes, on a host of drawn speed.
[[nodiscard]] simulator::Scenario drawnScenario(std::string_view name, std::uint64_t seed);

/// A simulated job beside what the product reads from the file of its rank 0.
struct TruthJob {
  Simulation simulation;
  std::shared_ptr<const Workload> workload;
  /// Device work by step, as the engine ran it; times on the Trace's clock.
  std::vector<std::vector<simulator::DeviceNode>> nodes;

  [[nodiscard]] const simulator::Plan& plan() const { return *simulation.plan; }
  [[nodiscard]] const TruthRank& truth() const { return simulation.truth.ranks.front(); }
  [[nodiscard]] TimeNs onTrace(TimeNs t) const { return t - workload->trace->origin(); }
  [[nodiscard]] TimeSpan onTrace(TimeSpan span) const {
    return {onTrace(span.begin), onTrace(span.end)};
  }
  /// The host's extent of each step but the first `skipped`, as a window.
  [[nodiscard]] AnalysisWindow window(std::size_t skipped = 1) const;
};

/// The plan of one job, without the noise of a recorder: what its file says is what happened.
[[nodiscard]] std::shared_ptr<const simulator::Plan> cleanPlan(const simulator::Scenario& scenario,
                                                               std::uint64_t seed, int steps = 3);
[[nodiscard]] TruthJob runJob(std::shared_ptr<const simulator::Plan> plan);
[[nodiscard]] inline TruthJob drawnJob(std::string_view name, std::uint64_t seed, int steps = 3) {
  return runJob(cleanPlan(drawnScenario(name, seed), seed, steps));
}

/// All scenarios in turn, so that seeds 1 … 200 try each about a dozen times.
[[nodiscard]] std::string_view scenarioOf(std::uint64_t seed);
inline constexpr std::uint64_t kTruthSeeds = 200;

}  // namespace ridgeline::test
