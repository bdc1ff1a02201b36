#include "core/io/load_trace.h"

#include "core/io/byte_source.h"
#include "core/io/trace_event_reader.h"

namespace ridgeline {

namespace {

/// Holds the whole decompressed text.
class TextArgs : public ArgsReader {
 public:
  explicit TextArgs(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] Result<std::string> read(ArgsSpan span) const override {
    return text_.substr(span.offset, span.length);
  }
  [[nodiscard]] std::size_t bytes() const override { return text_.capacity(); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

Result<std::vector<LoadedTrace>> loadTrace(const std::string& path, const Task& task) {
  auto whole = readWholeText(path, task);
  if (whole.failed()) return whole.error();
  if (whole.cancelled()) return Cancelled{};
  if (whole.value().text.empty())
    return Error{"the file is empty", path, "Record the trace again."};
  TraceBuilder builder;
  builder.info().path = path;
  builder.info().format = "Chrome trace-event JSON";
  builder.info().compression = whole.value().compression;
  builder.info().fileBytes = whole.value().fileBytes;
  builder.info().textBytes = whole.value().text.size();
  if (!whole.value().damage.empty()) {
    ++builder.log().repaired;
    builder.log().note("compression", whole.value().damage, true, whole.value().text.size());
  }
  auto args = std::make_shared<const TextArgs>(std::move(whole.value().text));
  builder.setArgs(args);
  const Status read = readTraceEvents(args->text(), path, builder, task);
  if (read.failed()) return read.error();
  if (read.cancelled()) return Cancelled{};
  std::vector<LoadedTrace> loaded;
  for (auto& trace : builder.finish()) {
    if (task.cancelled()) return Cancelled{};
    auto index = std::make_shared<const TraceIndex>(trace);
    loaded.push_back({std::move(trace), std::move(index)});
  }
  return loaded;
}

}  // namespace ridgeline
