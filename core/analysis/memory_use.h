#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/idle_gaps.h"

namespace ridgeline {

/// Blocks that one operator allocated.
struct MemoryOp {
  std::string op;                 ///< "aten::empty"; empty: none was recorded around it
  SliceId example;                ///< the op of its largest block; may be invalid
  std::uint64_t allocations = 0;  ///< within the window
  std::int64_t bytes = 0;         ///< Σ of these
  std::uint64_t aliveBlocks = 0;  ///< at the peak of the window
  std::int64_t aliveBytes = 0;    ///< Σ of these
};

/// One block that was alive at the peak.
struct MemoryBlock {
  std::int64_t address = 0;
  std::int64_t bytes = 0;
  TimeNs since = 0;
  SliceId op;  ///< the innermost operator around its allocation; may be invalid
};

/// The memory of one device, or of the host, as the framework's allocator reports it in `[memory]`
/// records. Allocated: in blocks that tensors use. Reserved: what the allocator holds of the
/// device.
struct MemoryPool {
  std::int64_t deviceType = 0;  ///< of c10: 0 CPU, 1 CUDA, 6 HIP, 12 XPU
  std::int64_t deviceIndex = -1;
  std::string name;  ///< "GPU 0", "host"
  DeviceId device;   ///< invalid for the host, and where it has no work
  /// No totals are recorded (before PyTorch 1.10): the curve is the sum of what was allocated and
  /// released, from 0 at the start of the recording; what was there before is unknown.
  bool relative = false;
  std::vector<TimeNs> time;                     ///< ascending; each record of the whole recording
  std::vector<std::int64_t> allocated;          ///< bytes from then on
  std::vector<std::int64_t> reserved;           ///< the same; empty when not recorded
  std::optional<std::int64_t> capacity;         ///< of the device
  std::uint64_t allocations = 0, releases = 0;  ///< within the window
  std::int64_t allocatedBytes = 0;              ///< Σ of these allocations

  std::int64_t peak = 0;  ///< largest allocated within the window
  TimeNs peakTime = 0;    ///< the first time of it
  std::optional<std::int64_t> reservedPeak;
  std::int64_t peakOfRecording = 0;
  /// Alive at the peak, largest first: what was allocated within the recording. The rest of the
  /// peak (`aliveBefore`) is older, and nothing is known of it; unknown where totals are relative.
  std::vector<MemoryBlock> alive;
  std::optional<std::int64_t> aliveBefore;
  std::vector<MemoryOp> ops;  ///< by aliveBytes, then bytes; largest first
  bool addresses = true;      ///< false: blocks have none, so nothing is known of what is alive
};

/// A call that takes device memory from the driver or gives it back. The caching allocator of a
/// framework makes none in a settled step: each may synchronise the device.
struct AllocatorCall {
  enum class Kind : std::uint8_t { allocate, release, hostMemory, other };
  SliceId call;
  Kind kind = Kind::other;
};
[[nodiscard]] std::string_view name(AllocatorCall::Kind kind);

/// Allocator traffic of one span of the window.
struct AllocatorFigures {
  std::uint64_t allocations = 0, releases = 0;  ///< calls for device memory
  TimeNs time = 0;                              ///< Σ of these calls
  TimeNs idle = 0;                ///< idle gaps of the devices whose cause is allocation
  std::int64_t reservedDrop = 0;  ///< the largest fall of reserved memory from its highest before
};

/// Memory within a window: curves, peak, what was alive at it, and what the allocator did.
struct MemoryUse {
  AnalysisWindow window;
  std::vector<MemoryPool> pools;     ///< devices first, then the host
  std::vector<AllocatorCall> calls;  ///< within the window, by time
  std::vector<AllocatorFigures> spans;
  std::vector<std::string> spanNames;
  bool thrash = false;    ///< ANALYSIS 5.3: settled steps take from or give back to the driver
  std::string thrashWhy;  ///< a sentence with its figures and what to do; empty if none
  std::string sentence;   ///< what matters; empty where something is missing
  std::string missing;    ///< why there is no curve, and how to get it; empty: all is well
};

[[nodiscard]] MemoryUse memoryUse(const Workload& w, const AnalysisWindow& window,
                                  const IdleGaps& gaps);

}  // namespace ridgeline
