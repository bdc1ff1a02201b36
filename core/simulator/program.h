#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_pool.h"
#include "core/base/time.h"
#include "core/simulator/truth.h"

namespace ridgeline::simulator {

/// What the host does in a piece of its time.
enum class Activity : std::uint8_t {
  hostOp,
  launchCall,
  hostGap,
  handOver,
  input,
  syncWait,
  allocation,
  compileLoad,
  profiler,
};

/// The streams of the simulated device.
enum class Stream : std::uint8_t { compute, communication, side };
inline constexpr std::size_t kStreams = 3;
/// Their numbers as PyTorch and NCCL get them.
inline constexpr int kStreamNumbers[kStreams] = {7, 20, 24};

enum class DeviceCategory : std::uint8_t { kernel, memcpy, memset };

/// One kind of device work: everything of it that does not change from launch to launch.
struct DeviceWork {
  StringId name;
  StringId args;  ///< the JSON of its args after "correlation"
  DeviceCategory category = DeviceCategory::kernel;
  TruthPathCause pathCause = TruthPathCause::elementwise;
  bool memoryBound = false;
  bool isCollective = false;
  TimeNs duration = 0;     ///< of a collective: the transfer, once all ranks are there
  std::int64_t bytes = 0;  ///< copies and sets
  double flops = 0;        ///< kernels: the arithmetic of the layer
  double traffic = 0;      ///< kernels: bytes to and from device memory, each operand once
};

/// A runtime or driver call by name, with CUPTI's number for it.
enum class Call : std::uint8_t {
  launchKernel,
  launchKernelExC,
  memcpyAsync,
  memsetAsync,
  streamSynchronize,
  deviceSynchronize,
  eventRecord,
  streamWaitEvent,
  eventQuery,
  streamIsCapturing,
  malloc,
  free,
  occupancy,
  moduleLoad,
  launchKernelDriver,
  graphLaunch,
};
struct CallInfo {
  std::string_view name;
  int cbid;
  bool driver;
};
[[nodiscard]] const CallInfo& info(Call call);

enum class Sequence : std::uint8_t {
  none,
  forward,   ///< takes a new sequence number and starts a fwdbwd flow
  evaluate,  ///< "autograd::engine::evaluate_function": takes the last open number
  backward,  ///< the node itself: the same number, and the flow's end
};

/// One thing that the host does. Which fields mean what is said at each code.
struct Instruction {
  enum class Code : std::uint8_t {
    open,    ///< an op or annotation begins: name, args, sequence, annotation; ns until it
    close,   ///< the innermost ends, ns later
    host,    ///< ns of host time
    call,    ///< a runtime call without device work, ns long
    launch,  ///< device work `index` on `stream` by `call`, ns long; blocking: until it is done;
             ///< a graph: `count` kinds of work from `index` on, in order, by one call
    collective,   ///< as launch; its end waits for all ranks
    alloc,        ///< bytes from the caching allocator
    release,      ///< the youngest allocation back to it
    record,       ///< event `index` on `stream`, ns long
    wait,         ///< `stream` waits for event `index`, ns long
    synchronize,  ///< the host waits for `stream`
    drain,        ///< the host waits for the device: device synchronise, or a cudaFree; flag: the
                  ///< caching allocator gives all that it does not use back to the driver
    nextBatch,    ///< the host waits for the data loader's workers
    toAutograd,   ///< the autograd thread takes over, ns later
    toMain,       ///< the main thread takes over, ns later
    overhead,     ///< the profiler stops the host for ns
  };
  Code code = Code::host;
  Activity activity = Activity::hostOp;
  Call call = Call::launchKernel;
  Stream stream = Stream::compute;
  Sequence sequence = Sequence::none;
  bool flag = false;  ///< open: an annotation; launch: blocking; drain: see there
  std::int32_t ns = 0;
  StringId name;
  StringId args;
  std::uint32_t index = 0;
  std::uint32_t count = 1;
  std::int64_t bytes = 0;
};

using Program = std::vector<Instruction>;

/// Trace events that a run of `program` writes, left out what happens only at first use.
[[nodiscard]] std::uint64_t eventsOf(const Program& program);

/// The texts and kinds of device work that the programs of a plan refer to.
struct Catalogue {
  StringPool texts;
  std::vector<DeviceWork> works;
};

}  // namespace ridgeline::simulator
