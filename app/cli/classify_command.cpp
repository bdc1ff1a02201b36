#include <filesystem>
#include <fstream>
#include <istream>
#include <ostream>
#include <string>

#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "core/workload/kernel_class.h"

namespace ridgeline::cli {
namespace {

constexpr CommandLine kCommand{
    "classify",
    "[FILE…]",
    "Prints category, class, subclass and rule of kernel names, one a line, from files or (with -\n"
    "or nothing) from standard input.",
    {}};

void classify(std::istream& in, std::ostream& out) {
  for (std::string name; std::getline(in, name);) {
    if (name.ends_with('\r')) name.pop_back();
    out << classifyLine(name) << '\n';
  }
}

}  // namespace

int runClassify(std::span<const std::string_view> args, std::istream& in, std::ostream& out,
                std::ostream& err) {
  if (asksForHelp(args)) {
    out << kCommand.help();
    return kFine;
  }
  const Arguments arguments(args, kCommand.options);
  if (!arguments.problem().empty()) {
    err << "ridgeline-cli classify: " << arguments.problem() << '\n' << kCommand.usage();
    return kWrongUsage;
  }
  if (arguments.plain().empty()) classify(in, out);
  for (const std::string& path : arguments.plain()) {
    if (path == "-") {
      classify(in, out);
      continue;
    }
    std::error_code unknown;
    std::ifstream file(path);
    if (!file || std::filesystem::is_directory(path, unknown)) {
      err << "ridgeline-cli: " << path << ": can't be read. Name a file of kernel names\n";
      return kCouldNot;
    }
    classify(file, out);
  }
  return kFine;
}

}  // namespace ridgeline::cli
