#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace ridgeline::cli {

/// A recording and the rank it is shown as: as recorded, else its place in the list.
struct OpenedTrace {
  std::int64_t rank = 0;
  std::shared_ptr<const Trace> trace;
};

struct OpenedTraces {
  std::vector<OpenedTrace> traces;
  bool allOpened = true;  ///< false: at least one file was refused (said on `err`)
};

/// Loads files as the window does, each once; what is refused or named again is said on `err`, the
/// others are returned.
[[nodiscard]] OpenedTraces openTraces(const std::vector<std::string>& paths, std::ostream& err);

}  // namespace ridgeline::cli
