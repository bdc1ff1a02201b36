#include <ostream>

#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/open_traces.h"
#include "core/report/trace_info.h"

namespace ridgeline::cli {
namespace {

constexpr Option kOptions[] = {
    {"--json", "", "print JSON (core/report/README.md) instead of text"},
};
constexpr CommandLine kCommand{"info", "TRACE… [--json]",
                               "Says what recordings hold and what was lost or mended while "
                               "reading them. A TRACE is a file, a\n"
                               "folder or a tar archive of them.",
                               kOptions};

}  // namespace

int runInfo(std::span<const std::string_view> args, std::ostream& out, std::ostream& err) {
  if (asksForHelp(args)) {
    out << kCommand.help();
    return kFine;
  }
  const Arguments arguments(args, kCommand.options);
  if (!arguments.problem().empty() || arguments.plain().empty()) {
    err << "ridgeline-cli info: "
        << (arguments.problem().empty() ? "no trace was named" : arguments.problem()) << '\n'
        << kCommand.usage();
    return kWrongUsage;
  }
  const OpenedTraces opened = openTraces(arguments.plain(), Copies::keep, err);
  if (opened.traces.empty()) return kCouldNot;
  std::vector<Steps> steps;
  steps.reserve(opened.traces.size());
  for (const OpenedTrace& one : opened.traces) steps.push_back(findSteps(*one.trace));
  std::vector<DescribedTrace> described;
  for (std::size_t i = 0; i < steps.size(); ++i)
    described.push_back({opened.traces[i].rank, opened.traces[i].trace.get(), &steps[i]});
  if (arguments.has("--json"))
    out << infoToJson(described, RIDGELINE_VERSION)
               .dump(1, ' ', false, ReportJson::error_handler_t::replace)
        << '\n';
  else
    out << infoToText(described);
  return opened.allOpened ? kFine : kCouldNot;
}

}  // namespace ridgeline::cli
