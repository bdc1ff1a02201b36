#include "core/analysis/missing_work.h"

#include <algorithm>

#include "core/trace/recording_advice.h"

namespace ridgeline {

GraphReplay graphReplay(const Workload& w) {
  GraphReplay found;
  for (const SliceId s : w.deviceWork) {
    const TimeNs length = w.trace->slices().duration(s);
    const SliceId launch = w.trace->launchOf(s);
    found.all += length;
    if (launch.valid() && w.trace->name(launch).find("GraphLaunch") != std::string_view::npos)
      found.replayed += length;
  }
  return found;
}

std::string missingShapes(const Workload& w) {
  const RecordedBy program = recordedBy(*w.trace);
  const std::string way = howToRecord(program, Lacking::shapes);
  if (program == RecordedBy::pytorch) {
    if (graphReplay(w).matters())
      return "operators of the kernels, which a replayed graph does not have: record once without "
             "graphs, with record_shapes=True";
    if (!w.trace->shapes().empty())
      return "operators with shapes and a formula: those recorded launched none of these kernels";
    const auto& categories = w.trace->slices().category;
    if (std::find(categories.begin(), categories.end(), Category::cpuOp) == categories.end())
      return "operators and their shapes: " + howToRecord(program, Lacking::launches) +
             " with record_shapes=True";
  }
  return "shapes of the operators: " + way;
}

}  // namespace ridgeline
