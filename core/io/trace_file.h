#pragma once

#include "core/io/trace_reader.h"

namespace ridgeline {

/// Reads trace-event JSON of any size, in bounded memory, with several threads. A TraceReader.
[[nodiscard]] Status readTraceFile(ByteSource& source, TraceBuilder& builder, const Task& task,
                                   const LoadOptions& options);

}  // namespace ridgeline
