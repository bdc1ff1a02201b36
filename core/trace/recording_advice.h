#pragma once

#include <cstdint>
#include <string>

#include "core/trace/trace.h"

namespace ridgeline {

/// Which program recorded. Each has its own ways to be told what to record.
enum class RecordedBy : std::uint8_t {
  pytorch,          ///< Kineto
  jax,              ///< JAX or TensorFlow: XLA's profiler
  nsight,           ///< Nsight Systems
  rocprofv3,        ///< rocprofiler-sdk
  rocmProfileData,  ///< rpd
  unitrace,         ///< Intel
  other,            ///< any other, or nothing tells
};
/// Looks at no more slices than it takes to find one that only PyTorch writes.
[[nodiscard]] RecordedBy recordedBy(const Trace& trace);

/// What a recording may lack.
enum class Lacking : std::uint8_t {
  shapes,       ///< of operators
  hostDetail,   ///< what the host did: stacks or ranges
  steps,        ///< marks of iterations
  moreSteps,    ///< more than one of them
  streamWaits,  ///< what one stream waits for on another
  launches,     ///< the calls that launch device work
  deviceWork,   ///< kernels and copies
  lowerCost,    ///< less work of the profiler itself
  finerTimes,   ///< than whole microseconds
  memory,       ///< what is allocated, over time
  launched,     ///< device work of which the launching calls are recorded
};
/// Whether that program can record it.
[[nodiscard]] bool canRecord(RecordedBy program, Lacking what);
/// How that comes into the next recording, as a clause: "record with record_shapes=True"; or that
/// this program cannot record it, and what can. Empty: there is nothing to do.
[[nodiscard]] std::string howToRecord(RecordedBy program, Lacking what);
/// The same with a capital, to begin a sentence with.
[[nodiscard]] std::string recordingAdvice(RecordedBy program, Lacking what);

}  // namespace ridgeline
