#pragma once

#include "core/io/trace_reader.h"

namespace ridgeline {

/// Reads databases: Nsight Systems exports. What else is one is answered. A TraceReader.
[[nodiscard]] Status readDatabase(ByteSource& source, TraceBuilder& builder, const Task& task,
                                  const LoadOptions& options);

}  // namespace ridgeline
