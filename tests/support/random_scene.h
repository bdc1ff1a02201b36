#pragma once

#include <algorithm>
#include <random>

#include "tests/support/path_scene.h"

namespace ridgeline::test {

/// Anything goes: nested and crossing host slices, streams that overlap, launches after their
/// kernels, calls that block, correlations without partners, events of no length.
inline PathScene randomScene(std::mt19937& random) {
  const auto below = [&random](int n) { return static_cast<TimeNs>(random()) % n; };
  PathScene scene;
  const int threads = 1 + static_cast<int>(below(3));
  for (int i = static_cast<int>(below(60)); i-- > 0;) {
    const int thread = 1 + static_cast<int>(below(threads));
    const TimeNs start = below(20'000);
    const TimeNs end = start + (below(10) == 0 ? 0 : below(below(3) == 0 ? 5000 : 300));
    const std::int64_t correlation = 1 + below(40);
    switch (below(9)) {
      case 0:
        scene.call("cudaDeviceSynchronize", start, end, correlation, thread);
        break;
      case 1:
        scene.call("cudaStreamWaitEvent", start, end, correlation, thread);
        break;
      case 2:
        scene.call("cudaMemcpyAsync", start, end, correlation, thread);
        break;
      case 3:
        scene.host("python_function", "f", start, end, thread);
        break;
      case 4:
        scene.host("user_annotation", "range", start, end, thread);
        break;
      case 5:
        scene.call("cudaLaunchKernel", start, end, correlation, thread);
        break;
      case 6:
        scene.host("overhead", "Buffer Flush", start, end, thread);
        break;
      default:
        scene.op("aten::op", start, end, thread);
    }
  }
  for (int i = static_cast<int>(below(60)); i-- > 0;) {
    const TimeNs start = below(20'000);
    const TimeNs end = start + (below(10) == 0 ? 0 : below(1000));
    const std::int64_t stream = 7 + below(3);
    const std::int64_t correlation = below(4) == 0 ? EventArgs::kAbsent : 1 + below(40);
    if (below(4) == 0)
      scene.device("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", start, end, stream,
                   correlation);
    else
      scene.kernel(below(4) == 0 ? "ncclKernel" : "kernel", start, end, correlation, stream);
  }
  return scene;
}

/// One thread of operators with launches and synchronisations, streams in order: what a real step
/// looks like, without anything that has to be guessed.
inline PathScene randomStep(std::mt19937& random, TimeNs* end) {
  const auto below = [&random](int n) { return static_cast<TimeNs>(random()) % n; };
  PathScene scene;
  TimeNs host = 1;
  TimeNs ready[2] = {0, 0};
  std::int64_t correlation = 1;
  for (int i = 0; i < 40; ++i) {
    const TimeNs begin = host;
    host += 1 + below(20);
    for (int k = static_cast<int>(below(3)); k-- > 0;) {
      const TimeNs call = host;
      host += 1 + below(10);
      const auto stream = below(2);
      const TimeNs start =
          std::max(ready[stream] + 1 + below(2), (below(3) == 0 ? call : host) + 1 + below(6));
      ready[stream] = start + 1 + below(60);
      scene.call("cudaLaunchKernel", call, host, correlation);
      scene.kernel("kernel", start, ready[stream], correlation++, 7 + stream);
      host += below(5);
    }
    scene.op("aten::op", begin, host + 1);
    host += 1 + below(2) * below(30);
    if (below(8) == 0) {
      const TimeNs call = host;
      host = std::max({host + 1, ready[0], ready[1]}) + 1 + below(5);
      scene.call("cudaDeviceSynchronize", call, host);
      host += below(5);
    }
  }
  *end = host;
  scene.host("user_annotation", "ProfilerStep#1", 0, host);
  return scene;
}

}  // namespace ridgeline::test
