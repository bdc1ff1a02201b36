#include "app/cli/open_traces.h"

#include <ostream>

#include "core/io/load_trace.h"
#include "core/io/same_files.h"

namespace ridgeline::cli {

OpenedTraces openTraces(const std::vector<std::string>& paths, std::ostream& err) {
  OpenedTraces opened;
  const NamedOnce named = namedOnce(paths);
  for (const std::string& sentence : named.sentences())
    err << "ridgeline-cli: " << sentence << '\n';
  for (const std::string& path : named.paths) {
    const auto loaded = loadTrace(path);
    if (!loaded.ok()) {
      err << "ridgeline-cli: " << (loaded.failed() ? loaded.error().text() : path + ": cancelled")
          << '\n';
      opened.allOpened = false;
      continue;
    }
    for (const LoadedTrace& one : loaded.value()) {
      const auto place = static_cast<std::int64_t>(opened.traces.size());
      opened.traces.push_back({one.trace->info().rank.value_or(place), one.trace});
    }
  }
  return opened;
}

}  // namespace ridgeline::cli
