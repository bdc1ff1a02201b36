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
  std::vector<std::string> copies = {};  ///< files that hold the same events and were left out
};

struct OpenedTraces {
  std::vector<OpenedTrace> traces;
  bool allOpened = true;  ///< false: at least one file was refused (said on `err`)
};

/// What becomes of a file that holds the same events as one before it.
enum class Copies : std::uint8_t {
  leaveOut,  ///< it is no further rank, and is in no sum over ranks
  keep,      ///< it is looked at for itself
};

/// Loads files as the window does, each once; what is refused, named again or a copy is said on
/// `err`, the others are returned.
[[nodiscard]] OpenedTraces openTraces(const std::vector<std::string>& paths, Copies copies,
                                      std::ostream& err);

}  // namespace ridgeline::cli
