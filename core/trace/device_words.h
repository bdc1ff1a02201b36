#pragma once

#include <string>

#include "core/trace/tables.h"

namespace ridgeline {

/// How sentences call a device: "GPU 0", "MTIA 17"; its kind alone where no number is recorded.
[[nodiscard]] std::string deviceTitle(const Device& device);

/// Whether what holds for CUDA's and HIP's GPUs alone may be said of it: cudaMalloc, CUDA graphs,
/// the settings of their allocator, nccl-tests. Not for XPU, MTIA, TPU and what has another name.
[[nodiscard]] bool isCudaOrHip(const Device& device);

}  // namespace ridgeline
