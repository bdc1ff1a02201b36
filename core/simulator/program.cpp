#include "core/simulator/program.h"

#include <array>

namespace ridgeline::simulator {

const CallInfo& info(Call call) {
  static constexpr std::array<CallInfo, 16> kCalls = {{
      {"cudaLaunchKernel", 211, false},
      {"cudaLaunchKernelExC", 430, false},
      {"cudaMemcpyAsync", 41, false},
      {"cudaMemsetAsync", 51, false},
      {"cudaStreamSynchronize", 131, false},
      {"cudaDeviceSynchronize", 165, false},
      {"cudaEventRecordWithFlags", 370, false},
      {"cudaStreamWaitEvent", 147, false},
      {"cudaEventQuery", 136, false},
      {"cudaStreamIsCapturing", 317, false},
      {"cudaMalloc", 20, false},
      {"cudaFree", 22, false},
      {"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 251, false},
      {"cuModuleLoadData", 11, true},
      {"cuLaunchKernel", 307, true},
      {"cudaGraphLaunch", 311, false},
  }};
  return kCalls[static_cast<std::size_t>(call)];
}

std::uint64_t eventsOf(const Program& program) {
  using Code = Instruction::Code;
  std::uint64_t events = 0;
  for (const Instruction& instruction : program) {
    switch (instruction.code) {
      case Code::open:
        events +=
            instruction.sequence == Sequence::forward || instruction.sequence == Sequence::backward
                ? 2
                : 1;
        break;
      case Code::launch:
      case Code::collective:
        events += 2 + 2 * instruction.count;  // call, device records, all ends of the flow
        break;
      case Code::call:
      case Code::alloc:
      case Code::release:
      case Code::record:
      case Code::wait:
      case Code::synchronize:
      case Code::drain:
      case Code::overhead:
        events += 1;
        break;
      case Code::close:
      case Code::host:
      case Code::nextBatch:
      case Code::toAutograd:
      case Code::toMain:
        break;
    }
  }
  return events;
}

}  // namespace ridgeline::simulator
