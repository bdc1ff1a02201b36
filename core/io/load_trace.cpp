#include "core/io/load_trace.h"

#include "core/base/release_later.h"
#include "core/io/format_probe.h"
#include "core/io/sqlite_reader.h"
#include "core/io/trace_file.h"
#include "core/trace/trace_builder.h"

namespace ridgeline {

namespace {

TraceReader readerOf(FileFormat format) {
  switch (format) {
    case FileFormat::traceEvents:
      return readTraceFile;
    case FileFormat::sqlite:
    case FileFormat::nsight:
      return readDatabase;
    case FileFormat::tar:
    case FileFormat::unread:
      break;
  }
  return nullptr;
}

Error notRead(const FormatProbe& probe, const std::string& where) {
  return {"this is " + probe.name + ", which is not read here", where,
          probe.todo.empty() ? "Open the file that the profiler exported." : probe.todo};
}

Result<std::vector<LoadedTrace>> loadOne(ByteSource& source, const FormatProbe& probe,
                                         const Task& task, const LoadOptions& options) {
  const TraceReader read = readerOf(probe.format);
  if (read == nullptr) return notRead(probe, source.name());
  TraceBuilder builder;
  builder.info().path = source.name();
  builder.info().format = probe.name;
  builder.info().compression = source.compression();
  builder.info().fileBytes = source.size();
  const Status done = read(source, builder, task, options);
  if (done.failed()) return done.error();
  if (done.cancelled()) return Cancelled{};
  std::vector<LoadedTrace> loaded;
  for (auto& trace : builder.finish(task)) {
    auto index = std::make_shared<const TraceIndex>(trace, task);
    loaded.push_back({std::move(trace), std::move(index)});
    if (task.cancelled()) break;
  }
  if (!task.cancelled()) return loaded;
  releaseValueLater(std::move(loaded));
  return Cancelled{};
}

}  // namespace

Result<std::vector<LoadedTrace>> loadTrace(const std::string& path, const Task& task,
                                           const LoadOptions& options) {
  auto opened = ByteSource::open(path);
  if (opened.failed()) return opened.error();
  ByteSource& source = *opened.value();
  return loadOne(source, probeFormat(source.peek(ByteSource::kPeekBytes), path), task, options);
}

}  // namespace ridgeline
