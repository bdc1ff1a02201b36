#include "app/cli/open_traces.h"

#include <ostream>

#include "core/io/load_trace.h"
#include "core/io/same_files.h"
#include "core/io/same_recordings.h"

namespace ridgeline::cli {

OpenedTraces openTraces(const std::vector<std::string>& paths, Copies copies, std::ostream& err) {
  OpenedTraces opened;
  std::vector<std::shared_ptr<const Trace>> traces;
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
    for (const LoadedTrace& one : loaded.value()) traces.push_back(one.trace);
  }
  std::vector<std::vector<std::string>> leftOut(traces.size());
  for (const SameRecording& copy : sameRecordings(traces)) {
    err << "ridgeline-cli: " << copy.sentence();
    if (copies == Copies::leaveOut) {
      err << " and is left out";
      leftOut[copy.first].push_back(copy.path);
      traces[copy.place] = nullptr;
    }
    err << '\n';
  }
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (traces[i] == nullptr) continue;
    const auto place = static_cast<std::int64_t>(opened.traces.size());
    opened.traces.push_back(
        {traces[i]->info().rank.value_or(place), traces[i], std::move(leftOut[i])});
  }
  return opened;
}

}  // namespace ridgeline::cli
