#include "tests/support/loaded_trace.h"

#include <QtGlobal>

#include "tests/support/trace_dump.h"

namespace ridgeline::test {

std::shared_ptr<const Trace> loadFile(const std::string& path, const LoadOptions& options) {
  auto loaded = loadTrace(path, {}, options);
  if (!loaded.ok()) {
    qWarning("%s", loaded.failed() ? loaded.error().text().c_str() : "cancelled");
    return nullptr;
  }
  if (!loaded.value()[0].trace->importLog().balanced()) {
    qWarning("the import log is not balanced");
    return nullptr;
  }
  return loaded.value()[0].trace;
}

std::shared_ptr<const Trace> load(std::string_view text, const LoadOptions& options) {
  const TemporaryFile file(text);
  return loadFile(file.path(), options);
}

std::uint64_t problem(const Trace& trace, std::string_view key) {
  const auto it = trace.importLog().problems.find(key);
  return it == trace.importLog().problems.end() ? 0 : it->second.count;
}

SliceId named(const Trace& trace, std::string_view name) {
  for (std::size_t i = 0; i < trace.slices().size(); ++i)
    if (trace.name(SliceId(i)) == name) return SliceId(i);
  return {};
}

}  // namespace ridgeline::test
