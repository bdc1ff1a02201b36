#pragma once

#include "core/io/trace_reader.h"

namespace ridgeline {

/// Reads what rocprofv3 (ROCprofiler-SDK) writes as JSON: {"rocprofiler-sdk-tool": [process …]}
/// with tables (agents, kernel symbols, names of operations) and lists of records: kernel
/// dispatches, copies, HIP, HSA and RCCL calls, markers. Times are nanoseconds. A kernel is on the
/// lane of its HIP stream, or of its queue where the run grouped by queue or names no stream.
/// Every record counts as one event, an agent as metadata; records that have no place on a
/// timeline (counters, samples) are counted as dropped, by kind.
[[nodiscard]] Status readRocprof(ByteSource& source, TraceBuilder& builder, const Task& task,
                                 const LoadOptions& options);

}  // namespace ridgeline
