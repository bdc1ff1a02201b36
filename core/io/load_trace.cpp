#include "core/io/load_trace.h"

#include "core/io/folder_files.h"
#include "core/io/trace_loader.h"

namespace ridgeline {

Result<std::vector<LoadedTrace>> loadTrace(const std::string& path, const Task& task,
                                           const LoadOptions& options) {
  TraceLoader loader(task, options);
  const Status done = isFolder(path) ? loader.loadFolder(path) : loader.loadFile(path);
  if (done.failed()) return done.error();
  if (done.cancelled()) return Cancelled{};
  return loader.finish();
}

}  // namespace ridgeline
