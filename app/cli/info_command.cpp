#include <ostream>

#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/open_traces.h"
#include "core/report/trace_info.h"

namespace ridgeline::cli {

int runInfo(std::span<const std::string_view> args, std::ostream& out, std::ostream& err) {
  const Arguments arguments(args, {}, {"--json"});
  if (!arguments.problem().empty() || arguments.plain().empty()) {
    err << "ridgeline-cli info: "
        << (arguments.problem().empty() ? "no trace was named" : arguments.problem())
        << "\nusage: ridgeline-cli info TRACE… [--json]\n";
    return kWrongUsage;
  }
  const OpenedTraces opened = openTraces(arguments.plain(), err);
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
