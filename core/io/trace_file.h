#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/io/load_trace.h"
#include "core/trace/trace_builder.h"

namespace ridgeline {

/// Reads a trace-event file of any size into the builder, in bounded memory, with several threads.
[[nodiscard]] Status readTraceFile(const std::string& path, TraceBuilder& builder, const Task& task,
                                   const LoadOptions& options);

}  // namespace ridgeline
