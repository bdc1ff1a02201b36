#pragma once

#include <string>

#include "core/trace/import_log.h"

namespace ridgeline {

/// Whether the file ends before its recording does: it was cut, or nothing could be read beyond
/// some place. What was written last is missing then, which is not always the latest: PyTorch's
/// profiler writes device events behind those of the host.
[[nodiscard]] bool isCutOff(const ImportLog& log);
/// What to do about it, a clause: "copy the file once more …".
[[nodiscard]] std::string cutOffRemedy(const ImportLog& log);

}  // namespace ridgeline
