#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/io/byte_source.h"
#include "core/io/load_trace.h"
#include "core/trace/trace_builder.h"

namespace ridgeline {

/// A reader of one format: takes an input of which nothing was read yet, hands its events to the
/// builder, notes in the builder's log what it lost or mended, and fills the builder's info. Every
/// record of the input that stands for something recorded counts once as read. An error where
/// nothing of a trace is in it; Cancelled soon after the task is.
using TraceReader = Status (*)(ByteSource&, TraceBuilder&, const Task&, const LoadOptions&);

}  // namespace ridgeline
