#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/simulator/truth.h"

namespace ridgeline {

namespace simulator {
struct Plan;
}

/// A scenario by name and what it plants, in one sentence.
struct ScenarioName {
  std::string_view name;
  std::string_view sentence;
};

/// All scenarios that `simulate` knows, in the order in which they are worth trying.
[[nodiscard]] std::span<const ScenarioName> scenarioNames();

struct SimulationOptions {
  std::string scenario;
  /// Trace events wanted in each rank's file, reached within 10 % by taking more layers and
  /// micro-batches; 0 for the scenario's natural size. Below the smallest model that the scenario
  /// can make, that model is taken.
  std::uint64_t events = 0;
  /// Files to write, one a rank. A scenario about communication simulates its own number of ranks
  /// when this is 1, and writes rank 0 of them.
  int ranks = 1;
  int steps = 5;
  std::uint64_t seed = 1;
  /// Stronger jitter, clock noise and dropped records. Default: for odd seeds.
  std::optional<bool> perturb;
  /// The simulated device, as in `deviceNames()`; empty for an A100-SXM4-80GB.
  std::string device;
};

/// What `SimulationOptions::device` may be.
[[nodiscard]] std::vector<std::string> deviceNames();

/// A simulated job: its truth, and the plan from which `writeKineto` runs the same schedule again
/// (nothing of the size of the trace is held).
struct Simulation {
  SimulationOptions options;
  bool perturbed = false;
  int world = 1;  ///< ranks simulated; ≥ options.ranks
  SimulationTruth truth;
  std::shared_ptr<const simulator::Plan> plan;
};

/// Runs the job once and keeps its truth. Fails on an unknown scenario or device (the error lists
/// the known ones) and on numbers out of range (ranks 1…1024, steps 1…100000). The same options
/// give the same schedule on every machine.
[[nodiscard]] Result<Simulation> simulate(const SimulationOptions& options);

/// Writes the recording of `rank` (0 ≤ rank < options.ranks) as Kineto JSON, compressed as the
/// suffix of `path` says (.gz, .zst, else plain). Written beside `path` and renamed, so that `path`
/// is either whole or untouched. Returns the number of trace events written. Memory is bounded by
/// one step's schedule, not by the file.
[[nodiscard]] Result<std::uint64_t> writeKineto(const Simulation& simulation, int rank,
                                                const std::string& path);

/// The truth as JSON (schema: core/simulator/README.md), compressed by suffix, written atomically.
[[nodiscard]] Status writeTruth(const Simulation& simulation, const std::string& path);

/// "trace.json.gz" and rank 3 make "trace.rank3.json.gz": where the file of each rank goes.
[[nodiscard]] std::string rankPath(const std::string& path, int rank);

}  // namespace ridgeline
