#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/time.h"

namespace ridgeline {

/// What a record is, decided from its category text (all ages of Kineto, CUDA, ROCm, XPU, MTIA).
enum class Category : std::uint8_t {
  cpuOp,             ///< cpu_op, Operator: framework operators
  userAnnotation,    ///< user_annotation: record_function ranges, ProfilerStep
  pythonFunction,    ///< python_function: frames
  runtime,           ///< cuda_runtime, cuda_driver, xpu_runtime, Runtime …: host API calls
  kernel,            ///< device kernels, collectives among them
  memcpy,            ///< device copies
  memset,            ///< device fills
  sync,              ///< cuda_sync: synchronisation records on device lanes; no device work
  deviceAnnotation,  ///< gpu_user_annotation: ranges projected to a stream; no device work
  overhead,          ///< the profiler's own cost
  profilerSpan,      ///< cat Trace: the span of the recording
  other,
};

/// Kernel, memcpy or memset: what makes a device busy.
[[nodiscard]] constexpr bool isDeviceWork(Category c) {
  return c == Category::kernel || c == Category::memcpy || c == Category::memset;
}

/// The category of a trace-event `cat` text.
[[nodiscard]] Category categoryOf(std::string_view cat);

/// Where an event's args stand in the input, for reading them on demand. Length 0: no args.
struct ArgsSpan {
  std::uint64_t offset =
      0;  ///< in the decompressed text (or in the packed store, see args_store.h)
  std::uint32_t length = 0;
};

/// The args that analyses need, as found; kAbsent (or empty) where the event has none.
struct EventArgs {
  static constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();

  std::int64_t correlation = kAbsent;
  std::int64_t externalId = kAbsent;
  std::int64_t device = kAbsent;
  std::int64_t stream = kAbsent;
  std::int64_t bytes = kAbsent;
  std::int64_t sequence = kAbsent;       ///< Sequence number
  std::int64_t forwardThread = kAbsent;  ///< Fwd thread id
  std::int64_t graphId = kAbsent;
  std::int64_t graphNode = kAbsent;
  std::int64_t waitOnStream = kAbsent;             ///< cuda_sync
  std::int64_t waitOnRecordCorrelation = kAbsent;  ///< wait_on_cuda_event_record_corr_id
  std::int64_t rank = kAbsent;                     ///< merged files: args.rank
  std::int64_t sortIndex = kAbsent;                ///< M: *_sort_index
  std::int64_t address = kAbsent;                  ///< [memory]: Addr
  std::int64_t totalAllocated = kAbsent;
  std::int64_t totalReserved = kAbsent;
  std::int64_t deviceType = kAbsent;
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  double blocksPerSm = kUnknown, occupancyPercent = kUnknown;  ///< kernels; see KernelFill
  std::string_view metadataName;                               ///< M: args.name or args.labels
  // Raw JSON text of the value:
  std::string_view inputDims, inputTypes, concreteInputs, inputStrides;
  // Collectives (strings unescaped, numbers as found):
  std::string_view collectiveName, collectiveDtype, processGroup, processGroupDescription,
      processGroupRanks;
  std::int64_t inElements = kAbsent, outElements = kAbsent, groupSize = kAbsent,
               collectiveSequence = kAbsent;
  // XLA (JAX, TensorFlow), numbers mostly written as texts:
  std::int64_t modelFlops = kAbsent, bytesAccessed = kAbsent, stepNumber = kAbsent;
  std::string_view hloCategory, hloOp, hloModule, hloShape, frameworkOp;

  [[nodiscard]] bool ofXla() const {
    return !hloOp.empty() || !hloCategory.empty() || !hloModule.empty() || stepNumber != kAbsent;
  }
};

/// One input event as a reader saw it. All texts are unescaped UTF-8 and live until `add` returns.
struct Event {
  /// X B E i I C M s t f b n e, the legacy S T F p R, objects N O D, samples P, dumps v V, and
  /// c ( ) =, which hold no place on a timeline.
  char phase = 'X';
  std::string_view name;
  std::string_view category;
  std::string_view pid;  ///< as text: "4711", "Spans"
  std::string_view tid;
  TimeNs ts = 0;               ///< absolute: the decimal text × 1000, see Trace::origin()
  TimeNs dur = 0;              ///< X only, ≥ 0
  std::string_view id;         ///< flows and async events; empty if none
  bool bindEnclosing = false;  ///< f with bp "e"
  bool async = false;          ///< X only: a range of the process that may overlap others freely
  std::string_view bindId;     ///< X and B: the arrow that comes in, goes out, or both
  bool flowIn = false, flowOut = false;
  EventArgs args;
  std::span<const std::pair<std::string_view, double>> counterValues;  ///< C only
  ArgsSpan argsSpan;
  std::uint64_t inputOffset = 0;  ///< of the event's '{' in the decompressed text, or kNoOffset
};

}  // namespace ridgeline
