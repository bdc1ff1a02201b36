#include "core/io/load_trace.h"

#include "core/io/trace_file.h"
#include "core/trace/trace_builder.h"

namespace ridgeline {

Result<std::vector<LoadedTrace>> loadTrace(const std::string& path, const Task& task,
                                           const LoadOptions& options) {
  TraceBuilder builder;
  builder.info().path = path;
  builder.info().format = "Chrome trace-event JSON";
  const Status read = readTraceFile(path, builder, task, options);
  if (read.failed()) return read.error();
  if (read.cancelled()) return Cancelled{};
  std::vector<LoadedTrace> loaded;
  for (auto& trace : builder.finish(task)) {
    if (task.cancelled()) return Cancelled{};
    auto index = std::make_shared<const TraceIndex>(trace);
    loaded.push_back({std::move(trace), std::move(index)});
  }
  if (task.cancelled()) return Cancelled{};
  return loaded;
}

}  // namespace ridgeline
