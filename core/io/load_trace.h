#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/index/trace_index.h"
#include "core/trace/trace.h"

namespace ridgeline {

/// A Trace with what drawing it at speed needs.
struct LoadedTrace {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const TraceIndex> index;
};

/// How a file is read; the Trace does not depend on it.
struct LoadOptions {
  std::size_t blockBytes = std::size_t{1} << 20;  ///< of text that is read at once
  unsigned threads = 0;                           ///< that parse; 0: as many as there are cores
  bool fastPath = true;                           ///< false: everything goes the slow way
};

/// Opens a trace file, a tar archive of them (plain, gzip or zstd) or a folder of them: finds out
/// what each is by its content, reads it as far as it goes, and builds everything that the window
/// needs. One entry a rank (a merged file holds several). Of archives and folders what is no trace
/// is skipped and named in the import log; without any trace in them it is an error. What was lost
/// or mended is in each Trace's import log. Errors name the file, the place, what was expected and
/// what to do. Stops soon after task.cancelled() and then returns Cancelled.
[[nodiscard]] Result<std::vector<LoadedTrace>> loadTrace(const std::string& path,
                                                         const Task& task = {},
                                                         const LoadOptions& options = {});

}  // namespace ridgeline
