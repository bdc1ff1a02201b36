#pragma once

// Private to the builder: how producers other than Kineto say what is device work.

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace/event.h"

namespace ridgeline::build {

/// What a process of the file stands for, by its name or pid.
enum class Role : std::uint8_t {
  none,
  xlaHost,         ///< "/host:CPU"
  xlaDevice,       ///< "/device:GPU:0", "/device:TPU:1"
  unitraceHost,    ///< "RANK 0 HOST<node>"
  unitraceDevice,  ///< "RANK 0 DEVICE<node>[Intel(R) …] 0:18:0:0 #0.0"
  rpdHost,         ///< a process with threads "Hip 4711"
  rpdDevice,       ///< "GPU2" beside such processes
  autogradHost,    ///< pid "CPU functions"
  autogradDevice,  ///< pid "CUDA functions"
  mtiaDevice,      ///< lanes of mtia_ccp_events
  graphHost,       ///< "/job:…/device:CPU:0 Compute": operators of TensorFlow's timeline
  ascendHost,      ///< "CANN" beside an "Ascend Hardware"
  ascendDevice,    ///< "Ascend Hardware": msprof's, a process a device, a lane a stream
  ascendHccl,      ///< "HCCL", "Communication" beside it: collectives, and lanes of their tasks
  ascendSummary,   ///< "Overlap Analysis" beside it: the same time once more
  rocprofHost,     ///< "CPU HIP API", "CPU HSA API": rocprof before version 3
  rocprofCopy,     ///< "COPY" beside such
};

/// By the name alone; rpd's, rocprof's, CANN's and MTIA's need to know what else is in the file.
[[nodiscard]] Role roleOf(std::string_view processName, std::string_view pid);
/// "GPU2" → 2.
[[nodiscard]] std::optional<std::int64_t> gpuNumber(std::string_view processName);
/// "/device:TPU:3 …" → 3.
[[nodiscard]] std::optional<std::int64_t> xlaOrdinal(std::string_view processName);
/// What TensorFlow's timeline shows of a device in a process: "/device:GPU:0/stream:13 Compute" →
/// "stream:13", also "stream:all" and "memcpy", which show the same work once more. Else empty.
[[nodiscard]] std::string_view graphLineOf(std::string_view processName);
/// "…DEVICE<node>[Intel(R) Data Center GPU Max 1550] …" → what is in the brackets.
[[nodiscard]] std::string_view unitraceDeviceName(std::string_view processName);

/// What a lane of an XLA device plane holds.
enum class XlaLine : std::uint8_t {
  work,     ///< a stream, or the operations of a TPU
  summary,  ///< "XLA Modules", "Steps", … : the same time once more
};
/// `streams`: the plane has lanes called "Stream #n", so that "XLA Ops" is derived from them.
[[nodiscard]] XlaLine xlaLineOf(std::string_view laneName, bool streams);
/// "Stream 12" → 12: a lane of "Ascend Hardware".
[[nodiscard]] std::optional<std::int64_t> ascendStream(std::string_view laneName);
/// "Stream #16(Kernel)" → 16.
[[nodiscard]] std::optional<std::int64_t> xlaStream(std::string_view laneName);

/// Facts of one slice beside its name that decide its category.
struct SliceFacts {
  std::string_view name;
  Category recorded = Category::other;
  bool summaryLine = false;
  bool xlaStep = false;  ///< carries step_num
};
[[nodiscard]] Category categoryOf(Role role, const SliceFacts& slice);

}  // namespace ridgeline::build
