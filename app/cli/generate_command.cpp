#include "app/cli/generate_command.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>

#include "core/simulator/simulator.h"

namespace ridgeline {
namespace {

constexpr std::string_view kUsage =
    "usage: ridgeline-cli generate SCENARIO -o FILE[.gz|.zst] [--truth FILE] [--events N]\n"
    "                              [--ranks R] [--steps S] [--seed K] [--device NAME]\n"
    "With R > 1 a file per rank is written: FILE.rank0.json, FILE.rank1.json, …\n"
    "Odd seeds add jitter, clock noise and dropped records; even seeds don't.\n";

struct Arguments {
  SimulationOptions options;
  std::string output;
  std::string truth;
  bool help = false;
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

/// Puts a valued option where it belongs; a sentence when the value does not fit.
std::string apply(std::string_view option, std::string_view value, Arguments& arguments) {
  if (option == "-o" || option == "--output") {
    arguments.output = value;
    return value.empty() ? "-o needs a file name" : "";
  }
  if (option == "--truth") {
    arguments.truth = value;
    return value.empty() ? "--truth needs a file name" : "";
  }
  if (option == "--device") {
    arguments.options.device = value;
    return "";
  }
  const std::optional<std::uint64_t> count = parseCount(value);
  if (!count) {
    return std::string(option) + " needs a whole number, not '" + std::string(value) + "'";
  }
  constexpr std::uint64_t kLargest = 1000000000;
  if (option == "--seed") {
    arguments.options.seed = *count;
  } else if (option == "--events") {
    arguments.options.events = *count;
  } else if (*count == 0 || *count > kLargest) {
    return std::string(option) + " needs a number from 1 on, not '" + std::string(value) + "'";
  } else if (option == "--ranks") {
    arguments.options.ranks = static_cast<int>(*count);
  } else {
    arguments.options.steps = static_cast<int>(*count);
  }
  return "";
}

bool takesValue(std::string_view option) {
  for (const std::string_view known :
       {"-o", "--output", "--truth", "--device", "--seed", "--events", "--ranks", "--steps"}) {
    if (option == known) return true;
  }
  return false;
}

/// The arguments, or a sentence that says which of them is wrong.
std::string parse(std::span<const std::string_view> args, Arguments& arguments) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    std::string_view option = args[i];
    if (option == "-h" || option == "--help") {
      arguments.help = true;
      return "";
    }
    if (!option.starts_with('-')) {
      if (!arguments.options.scenario.empty()) {
        return "more than one scenario: '" + arguments.options.scenario + "' and '" +
               std::string(option) + "'";
      }
      arguments.options.scenario = option;
      continue;
    }
    std::optional<std::string_view> value;
    if (const std::size_t equals = option.find('='); equals != std::string_view::npos) {
      value = option.substr(equals + 1);
      option = option.substr(0, equals);
    }
    if (!takesValue(option)) return "unknown option '" + std::string(option) + "'";
    if (!value) {
      if (i + 1 == args.size()) return std::string(option) + " needs a value";
      value = args[++i];
    }
    if (std::string problem = apply(option, *value, arguments); !problem.empty()) return problem;
  }
  if (arguments.options.scenario.empty()) return "no scenario named";
  if (arguments.output.empty()) return "no output file named (-o FILE)";
  return "";
}

bool isKnownScenario(std::string_view name) {
  for (const ScenarioName& scenario : scenarioNames()) {
    if (scenario.name == name) return true;
  }
  return false;
}

int write(const Simulation& simulation, const Arguments& arguments, std::ostream& out,
          std::ostream& err) {
  for (int rank = 0; rank < simulation.options.ranks; ++rank) {
    const std::string path =
        simulation.options.ranks > 1 ? rankPath(arguments.output, rank) : arguments.output;
    const Result<std::uint64_t> written = writeKineto(simulation, rank, path);
    if (!written.ok()) {
      err << "ridgeline-cli generate: " << written.error().text() << '\n';
      return 1;
    }
    out << path << ": " << written.value() << " events, rank " << rank << " of " << simulation.world
        << '\n';
  }
  if (!arguments.truth.empty()) {
    if (const Status status = writeTruth(simulation, arguments.truth); !status.ok()) {
      err << "ridgeline-cli generate: " << status.error().text() << '\n';
      return 1;
    }
    out << arguments.truth << ": what was simulated; the bottleneck is "
        << simulation.truth.bottleneck << '\n';
  }
  return 0;
}

}  // namespace

int runGenerate(std::span<const std::string_view> args, std::ostream& out, std::ostream& err) {
  Arguments arguments;
  const std::string problem = parse(args, arguments);
  if (arguments.help) {
    out << kUsage;
    printScenarios(out);
    return 0;
  }
  if (!problem.empty()) {
    err << "ridgeline-cli generate: " << problem << ".\n" << kUsage;
    printScenarios(err);
    return 2;
  }
  const Result<Simulation> simulation = simulate(arguments.options);
  if (!simulation.ok()) {
    err << "ridgeline-cli generate: " << simulation.error().text() << '\n';
    return isKnownScenario(arguments.options.scenario) ? 1 : 2;
  }
  return write(simulation.value(), arguments, out, err);
}

}  // namespace ridgeline
