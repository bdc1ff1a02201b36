#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace ridgeline {

/// What a host slice does, told from its category and name (CUDA, HIP, Level Zero, SYCL/UR, Python
/// frames and framework operators alike). Order is no rank.
enum class HostActivity : std::uint8_t {
  none,          ///< says nothing: ranges that people set, step marks
  sync,          ///< blocks until the device is done: *Synchronize, blocking copies, .item()
  input,         ///< loads or prepares data: DataLoader, DataPipe, collate, image decoding
  allocation,    ///< cudaMalloc, cudaFree, cudaHostAlloc, cudaMemGetInfo, …
  compileLoad,   ///< compiles code or loads modules: Inductor, Triton, NVRTC, cuModuleLoad*
  autotune,      ///< benchmarks kernels in order to choose one
  launchCall,    ///< hands work to the device: kernel, graph, async copy and set
  otherRank,     ///< waits for other processes: store->get, barrier, recv
  profiler,      ///< the profiler's own work
  op,            ///< a framework operator
  otherRuntime,  ///< any other runtime or driver call
  python,        ///< a Python frame
};

[[nodiscard]] HostActivity hostActivityOf(Category category, std::string_view name);

/// Whether a runtime call hands work to a device: its absence on the device means a lost record.
[[nodiscard]] bool isLaunchCall(std::string_view name);
/// Whether a runtime call returns only when awaited device work is done.
[[nodiscard]] bool isBlockingCall(std::string_view name);

/// Whether a Python frame is one in which a profiler starts, or stops and writes its file, as JAX's
/// and TensorFlow's tracer names them: "$profiler.py:101 start_trace". Frames around a profiled
/// program (JAX's "trace") are none.
[[nodiscard]] bool isProfilerStartOrStop(std::string_view name);

/// hostActivityOf for all slices of a Trace, computed once a distinct (name, category).
class HostActivities {
 public:
  explicit HostActivities(const Trace& trace);
  [[nodiscard]] HostActivity of(SliceId s) const {
    return byKey_[trace_->slices().name[s.index()].index() * kCategories +
                  static_cast<std::size_t>(trace_->slices().category[s.index()])];
  }

 private:
  static constexpr std::size_t kCategories = static_cast<std::size_t>(Category::other) + 1;
  const Trace* trace_;
  std::vector<HostActivity> byKey_;
};

}  // namespace ridgeline
