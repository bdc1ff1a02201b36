#pragma once

#include <string>

#include "core/trace/trace.h"

namespace ridgeline {

/// What wrote the recording, from what it recorded (runtime calls, categories, metadata):
/// "PyTorch Kineto (CUDA)", "… (ROCm)", "… (XPU)", "… (MTIA)", "… (CPU only)", with the versions
/// that the file gives; "unknown" when nothing tells.
[[nodiscard]] std::string producerOf(const Trace& trace);

}  // namespace ridgeline
