#pragma once

#include <memory>
#include <string_view>

#include "core/trace/trace.h"

namespace ridgeline::test {

/// A Trace written as a few lines of text, built by the real TraceBuilder. One event a line:
///
///     KIND BEGIN END LANE NAME [key=value …]
///
///     step    0    90us main  ProfilerStep#1
///     op      1us  9us  main  aten::mm  dims=[[2,3],[3,4]] types=["float","float"] ext=7
///     call    2us  3us  main  cudaLaunchKernel  corr=1
///     kernel  5us  8us  7     ampere_sgemm_128x64  corr=1
///     memcpy  9us  10us 7     'Memcpy HtoD (Pageable -> Device)'  corr=2 bytes=4096
///     flow    2us  5us  main>worker  fwdbwd
///
/// KIND: op, old_op (cat Operator), range and step (user annotations), nvtx, python, call, driver,
/// kernel, memcpy, memset, sync, gpu_range, overhead, span (the profiler's own), instant (END is
/// ignored), flow (from BEGIN on the lane before '>' to END on the one after it).
/// Times: ns, or with ns, us, ms, s. Trace time 0 is the earliest event: start at 0.
/// LANE: a thread (any word; "main" is the process' own), or a stream number, "1/7" for stream 7 of
/// device 1. NAME: a word, or anything in single quotes.
/// Keys: corr, ext, bytes, dims, types, concrete, seq, fwd_thread, graph, node, wait_stream,
/// wait_record, collective, group, group_size, in_elements, dtype, and of an instant [memory] addr,
/// total, reserved, device_type, device. Values without blanks, or in
/// single quotes. Lines that start with '#' are comments.
/// Text that cannot be read aborts the test with a message.
[[nodiscard]] std::shared_ptr<const Trace> traceFromText(std::string_view text);

/// The first slice of that name, in time order; aborts when there is none.
[[nodiscard]] SliceId sliceNamed(const Trace& trace, std::string_view name, int occurrence = 0);

}  // namespace ridgeline::test
