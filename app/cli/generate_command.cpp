#include "app/cli/generate_command.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>

#include "app/cli/arguments.h"
#include "core/base/duration_text.h"
#include "core/base/share_text.h"
#include "core/simulator/simulator.h"

namespace ridgeline {
namespace {

constexpr cli::Option kOptions[] = {
    {"--output", "FILE",
     "what to write; FILE.gz and FILE.zst are packed. With several ranks one\n"
     "each: FILE.rank0.json, FILE.rank1.json …",
     "-o"},
    {"--truth", "FILE", "what was simulated, as JSON"},
    {"--events", "N", "about so many events, like 200k or 10M"},
    {"--ranks", "R", "so many ranks"},
    {"--steps", "S", "so many steps"},
    {"--seed", "K", "odd seeds add jitter, clock noise and dropped records; even ones don't"},
    {"--device", "NAME", "the device to simulate"},
};
constexpr cli::CommandLine kCommand{"generate", "SCENARIO -o FILE [OPTION…]",
                                    "Writes a simulated recording whose truth is known.", kOptions};

struct Wanted {
  SimulationOptions options;
  std::string output;
  std::string truth;
};

void printScenarios(std::ostream& out) {
  out << "Scenarios:\n";
  for (const ScenarioName& scenario : scenarioNames()) {
    const std::size_t width = 14;
    out << "  " << scenario.name
        << std::string(width - std::min(width, scenario.name.size()) + 1, ' ') << scenario.sentence
        << '\n';
  }
  out << "Devices:";
  for (const std::string& device : deviceNames()) out << ' ' << device;
  out << '\n';
}

/// A whole number, also with a suffix k or M ("200k", "10M").
std::optional<std::uint64_t> parseCount(std::string_view text) {
  std::uint64_t factor = 1;
  if (text.ends_with('k') || text.ends_with('K')) factor = 1000;
  if (text.ends_with('m') || text.ends_with('M')) factor = 1000000;
  if (factor > 1) text.remove_suffix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  if (value > std::numeric_limits<std::uint64_t>::max() / factor) return {};
  return value * factor;
}

/// Puts a number where it belongs; a sentence when it does not fit.
std::string apply(std::string_view option, std::string_view value, SimulationOptions& options) {
  const std::optional<std::uint64_t> count = parseCount(value);
  if (!count) {
    return std::string(option) + " needs a whole number, not '" + std::string(value) + "'";
  }
  constexpr std::uint64_t kLargest = 1000000000;
  if (option == "--seed") {
    options.seed = *count;
  } else if (*count == 0) {
    return std::string(option) + " needs a number from 1 on, not '" + std::string(value) + "'";
  } else if (option == "--events") {
    options.events = *count;
  } else if (*count > kLargest) {
    return std::string(option) + " needs a number from 1 to " + std::to_string(kLargest) +
           ", not '" + std::string(value) + "'";
  } else if (option == "--ranks") {
    options.ranks = static_cast<int>(*count);
  } else {
    options.steps = static_cast<int>(*count);
  }
  return "";
}

/// What the words ask for, or a sentence that says which of them is wrong.
std::string parse(std::span<const std::string_view> args, Wanted& wanted) {
  const cli::Arguments arguments(args, kCommand.options);
  if (!arguments.problem().empty()) return arguments.problem();
  if (arguments.plain().size() > 1)
    return "more than one scenario: '" + arguments.plain()[0] + "' and '" + arguments.plain()[1] +
           "'";
  for (const std::string_view option : {"--seed", "--events", "--ranks", "--steps"})
    for (const std::string& value : arguments.values(option))
      if (std::string problem = apply(option, value, wanted.options); !problem.empty())
        return problem;
  wanted.options.device = arguments.value("--device").value_or(wanted.options.device);
  if (arguments.has("--device") && wanted.options.device.empty())
    return "--device needs the name of a device";
  wanted.truth = arguments.value("--truth").value_or("");
  if (arguments.has("--truth") && wanted.truth.empty()) return "--truth needs a file name";
  if (arguments.plain().empty()) return "no scenario named";
  wanted.options.scenario = arguments.plain()[0];
  wanted.output = arguments.value("--output").value_or("");
  if (wanted.output.empty()) return "no output file named (-o FILE)";
  for (int rank = 0; rank < wanted.options.ranks; ++rank)
    if (wanted.truth == (wanted.options.ranks > 1 ? rankPath(wanted.output, rank) : wanted.output))
      return "-o and --truth name the same file, '" + wanted.truth + "'";
  return "";
}

/// What of a step a scenario costs, in the words of the report.
struct Planted {
  std::string_view what;
  TimeNs (*time)(const TruthStep&);
};

template <TruthIdleCause cause>
TimeNs idle(const TruthStep& step) {
  return step.idleByCause[static_cast<std::size_t>(cause)];
}

Planted plantedBy(std::string_view bottleneck) {
  if (bottleneck == "input") return {"waiting for input", idle<TruthIdleCause::input>};
  if (bottleneck == "host_sync") return {"host syncs", idle<TruthIdleCause::hostSync>};
  if (bottleneck == "allocation") return {"allocation", idle<TruthIdleCause::allocation>};
  if (bottleneck == "launch") return {"launches that come late", idle<TruthIdleCause::launch>};
  if (bottleneck == "communication")
    return {"exposed collectives", [](const TruthStep& step) {
              return step.exposedCommunication + idle<TruthIdleCause::collectiveWait>(step);
            }};
  if (bottleneck == "copies")
    return {"exposed copies", [](const TruthStep& step) { return step.exposedMemory; }};
  if (bottleneck == "memory")
    return {"memory-bound kernels", [](const TruthStep& step) { return step.memoryBound; }};
  return {"compute-bound kernels", [](const TruthStep& step) { return step.computeBound; }};
}

/// "planted: host syncs, 2.24 ms of each 15.3 ms step (15 %); the device works for 82 % of it". The
/// first step warms up, so others stand for the job where there are any. What was planted need not
/// be the largest part of a step.
std::string plantedText(const Simulation& simulation) {
  const std::vector<TruthStep>& steps = simulation.truth.ranks.front().steps;
  const Planted planted = plantedBy(simulation.truth.bottleneck);
  TimeNs length = 0, busy = 0, time = 0;
  TimeNs n = 0;
  for (std::size_t i = steps.size() > 1 ? 1 : 0; i < steps.size(); ++i, ++n) {
    length += steps[i].host.length();
    busy += steps[i].busy;
    time += planted.time(steps[i]);
  }
  if (n == 0 || length == 0) return "planted: " + std::string(planted.what);
  return "planted: " + std::string(planted.what) + ", " + durationText(time / n) + " of each " +
         durationText(length / n) + " step (" + shareText(time, length) +
         "); the device works for " + shareText(busy, length) + " of it";
}

int write(const Simulation& simulation, const Wanted& wanted, std::ostream& out,
          std::ostream& err) {
  for (int rank = 0; rank < simulation.options.ranks; ++rank) {
    const std::string path =
        simulation.options.ranks > 1 ? rankPath(wanted.output, rank) : wanted.output;
    const Result<std::uint64_t> written = writeKineto(simulation, rank, path);
    if (!written.ok()) {
      err << "ridgeline-cli generate: " << written.error().text() << '\n';
      return 1;
    }
    out << path << ": " << written.value() << " events, rank " << rank << " of " << simulation.world
        << '\n';
  }
  if (!wanted.truth.empty()) {
    if (const Status status = writeTruth(simulation, wanted.truth); !status.ok()) {
      err << "ridgeline-cli generate: " << status.error().text() << '\n';
      return 1;
    }
    out << wanted.truth << ": what was simulated\n";
  }
  out << plantedText(simulation) << '\n';
  return 0;
}

}  // namespace

int runGenerate(std::span<const std::string_view> args, std::ostream& out, std::ostream& err) {
  if (cli::asksForHelp(args)) {
    out << kCommand.help() << '\n';
    printScenarios(out);
    return 0;
  }
  Wanted wanted;
  const std::string problem = parse(args, wanted);
  if (!problem.empty()) {
    err << "ridgeline-cli generate: " << problem << ".\n" << kCommand.usage();
    printScenarios(err);
    return 2;
  }
  const Result<Simulation> simulation = simulate(wanted.options);
  if (!simulation.ok()) {
    err << "ridgeline-cli generate: " << simulation.error().text() << '\n';
    return 2;  // all that it refuses is what was asked for
  }
  return write(simulation.value(), wanted, out, err);
}

}  // namespace ridgeline
