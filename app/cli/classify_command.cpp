#include <fstream>
#include <istream>
#include <ostream>
#include <string>

#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "core/workload/kernel_class.h"

namespace ridgeline::cli {
namespace {

void classify(std::istream& in, std::ostream& out) {
  for (std::string name; std::getline(in, name);) {
    if (name.ends_with('\r')) name.pop_back();
    out << classifyLine(name) << '\n';
  }
}

}  // namespace

int runClassify(std::span<const std::string_view> args, std::istream& in, std::ostream& out,
                std::ostream& err) {
  const Arguments arguments(args, {}, {});
  if (!arguments.problem().empty()) {
    err << "ridgeline-cli classify: " << arguments.problem()
        << "\nusage: ridgeline-cli classify [FILE…]   (kernel names, one a line; - or nothing: "
           "standard input)\n";
    return kWrongUsage;
  }
  if (arguments.plain().empty()) classify(in, out);
  for (const std::string& path : arguments.plain()) {
    if (path == "-") {
      classify(in, out);
      continue;
    }
    std::ifstream file(path);
    if (!file) {
      err << "ridgeline-cli: " << path << ": can't be read. Check the name\n";
      return kCouldNot;
    }
    classify(file, out);
  }
  return kFine;
}

}  // namespace ridgeline::cli
