#include <iostream>
#include <span>
#include <string_view>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/generate_command.h"

namespace {

using namespace ridgeline;

constexpr std::string_view kHelp =
    "ridgeline-cli: what is a training or inference step waiting for?\n"
    "\n"
    "  ridgeline-cli info TRACE…\n"
    "      what a recording holds and what was lost or mended while reading it\n"
    "  ridgeline-cli report TRACE…\n"
    "      where the time of the device went and what it waited for\n"
    "  ridgeline-cli classify [FILE…]\n"
    "      category, class, subclass and rule of kernel names, one a line\n"
    "  ridgeline-cli generate SCENARIO -o FILE[.gz|.zst]\n"
    "      a simulated recording whose truth is known\n"
    "  ridgeline-cli COMMAND --help\n"
    "      all options of a command\n"
    "  ridgeline-cli --version | --help\n"
    "\n"
    "Exit code: 0 fine, 1 could not, 2 wrong usage.\n";

int run(std::span<const std::string_view> words) {
  if (words.empty()) {
    std::cerr << kHelp;
    return cli::kWrongUsage;
  }
  const std::string_view command = words[0];
  const auto rest = words.subspan(1);
  if (command == "help" && !rest.empty()) {
    const std::string_view ofCommand[] = {rest[0], "--help"};
    return run(ofCommand);
  }
  if (command == "--help" || command == "-h" || command == "help") {
    std::cout << kHelp;
    return cli::kFine;
  }
  if (command == "--version" || command == "version") {
    std::cout << "ridgeline " << RIDGELINE_VERSION << '\n';
    return cli::kFine;
  }
  if (command == "info") return cli::runInfo(rest, std::cout, std::cerr);
  if (command == "report") return cli::runReport(rest, std::cout, std::cerr);
  if (command == "classify") return cli::runClassify(rest, std::cin, std::cout, std::cerr);
  if (command == "generate") return runGenerate(rest, std::cout, std::cerr);
  std::cerr << "ridgeline-cli: there is no command \"" << command << "\"\n\n" << kHelp;
  return cli::kWrongUsage;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const int code = run(words);
  // A full disk or a closed pipe must not pass for success.
  if (!std::cout.flush() && code == cli::kFine) return cli::kCouldNot;
  return code;
}
