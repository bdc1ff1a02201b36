#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/trace/trace_builder.h"

namespace ridgeline {

/// Reads Chrome trace-event JSON (object and array form) event by event, mending what can be
/// mended; what cannot is counted in the builder's log. Fails only where nothing of a trace is
/// there.
[[nodiscard]] Status readTraceEvents(std::string_view text, const std::string& path,
                                     TraceBuilder& builder, const Task& task);

}  // namespace ridgeline
