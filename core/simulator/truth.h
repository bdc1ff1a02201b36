#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace ridgeline {

/// Why a device had nothing to do, as the simulator knows it.
enum class TruthIdleCause : std::uint8_t {
  input,           ///< the host waited for, read or prepared the next batch
  hostSync,        ///< the host had waited for the device and could not run ahead
  allocation,      ///< cudaMalloc or cudaFree
  compileLoad,     ///< a kernel was loaded at its first use
  launch,          ///< the host issued work more slowly than the device did it
  collectiveWait,  ///< the next work depended on a collective
  otherStream,     ///< the next work depended on another stream
  profiler,        ///< the profiler stopped the host
  outsideCapture,  ///< before the first or after the last device record
};
inline constexpr std::size_t kTruthIdleCauses = 9;

/// What a nanosecond of a step's critical path was spent on.
enum class TruthPathCause : std::uint8_t {
  matmul,
  attention,
  convolution,
  normalization,
  softmax,
  elementwise,
  reduction,
  indexing,
  copy,  ///< kernels that cast, cat or permute
  optimizer,
  collective,      ///< the transfer of a collective
  collectiveWait,  ///< a collective kernel that waits for ranks that are late
  memcpy,
  memset,
  launchLatency,  ///< from the end of a launch call to the start of its work
  queueing,       ///< between two pieces of work of one stream
  eventWait,      ///< from the end of work on another stream to the start of what waited for it
  hostOp,         ///< inside an operator, outside launch calls
  launchCall,     ///< inside a runtime call that starts device work
  hostGap,        ///< Python between operators
  handOver,       ///< between the main and the autograd thread
  input,          ///< data loading
  syncWait,       ///< from the end of awaited device work to the return of the waiting call
  allocation,
  compileLoad,
  profiler,
};
inline constexpr std::size_t kTruthPathCauses = 26;

[[nodiscard]] std::string_view word(TruthIdleCause cause);
[[nodiscard]] std::string_view word(TruthPathCause cause);

using IdleTimes = std::array<TimeNs, kTruthIdleCauses>;
using PathTimes = std::array<TimeNs, kTruthPathCauses>;

/// A hole of at least 1 µs in the union of all device work of one rank.
struct TruthGap {
  TimeSpan span;
  TruthIdleCause cause;
};

/// One step of one rank. All times in ns on the clock of that rank's file (ts · 1000).
struct TruthStep {
  int number = 0;   ///< as in "ProfilerStep#number"
  TimeSpan host;    ///< the extent of the annotation; every sum below is over this window
  TimeNs busy = 0;  ///< measure of the union of all device work; busy + idle = host length
  TimeNs idle = 0;
  IdleTimes idleByCause{};     ///< each gap whole under its dominant cause; sums to idle
  IdleTimes idleByActivity{};  ///< the same ns by what the host was doing in each; sums to idle
  TimeNs compute = 0;          ///< union of the kernels that are no collective
  TimeNs communication = 0;    ///< union of the collectives
  TimeNs memory = 0;           ///< union of copies and sets
  TimeNs exposedCommunication = 0;      ///< communication outside compute
  TimeNs exposedMemory = 0;             ///< memory outside compute and communication
  TimeNs computeBound = 0;              ///< Σ over kernels right of the ridge
  TimeNs memoryBound = 0;               ///< Σ over kernels left of the ridge, collectives left out
  PathTimes pathByCause{};              ///< sums to the host length
  std::int64_t allocatedPeak = 0;       ///< bytes; of the framework's allocator
  TimeNs allocatedPeakAt = 0;           ///< the first time of it
  std::int64_t reservedPeak = 0;        ///< bytes that it held of the device
  std::uint64_t driverAllocations = 0;  ///< calls of cudaMalloc
  std::uint64_t driverReleases = 0;     ///< calls of cudaFree
  std::uint64_t deviceRecords = 0;
  TimeNs droppedNs = 0;  ///< Σ duration of device records that the file lacks
};

/// A record that the recorder "lost": simulated, but not in the file.
struct DroppedRecord {
  bool device = false;  ///< device record, else the launch call
  std::string name;
  std::uint64_t correlation = 0;
  TimeSpan span;
};

struct TruthRank {
  int rank = 0;
  TimeNs clockOffset = 0;  ///< how far this rank's clock is ahead of the simulation's
  TimeSpan recording;
  std::vector<TruthStep> steps;
  std::vector<TruthGap> gaps;
  std::vector<DroppedRecord> dropped;
};

/// Everything the simulator knows about what it simulated, free of the recorder's noise.
struct SimulationTruth {
  std::string bottleneck;  ///< see core/simulator/README.md
  TimeNs noise = 0;        ///< no device time in the file is off by more than this
  std::vector<TruthRank> ranks;
};

}  // namespace ridgeline
