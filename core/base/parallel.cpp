#include "core/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace ridgeline {

void runJobs(const std::vector<std::function<void()>>& jobs) {
  constexpr std::size_t kMostThreads = 8;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) jobs[i]();
  };
  const std::size_t cores =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min(cores, jobs.size()); ++i) others.emplace_back(work);
  work();
}

}  // namespace ridgeline
