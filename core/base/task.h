#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

namespace ridgeline {

/// How far a long job is. `total` is 0 while it is not known.
struct Progress {
  std::uint64_t bytesDone = 0;   ///< bytes of the input file consumed
  std::uint64_t bytesTotal = 0;  ///< size of the input file
  std::uint64_t events = 0;      ///< input events read so far
};

/// What a long-running function in core is given: a way to notice "stop" and to say how far it is.
/// `report` may be called from any thread; the callback must be thread safe.
class Task {
 public:
  Task() = default;
  explicit Task(std::stop_token stop, std::function<void(const Progress&)> onProgress = {})
      : stop_(std::move(stop)), onProgress_(std::move(onProgress)) {}

  [[nodiscard]] bool cancelled() const { return stop_.stop_requested(); }
  void report(const Progress& progress) const {
    if (onProgress_) onProgress_(progress);
  }

 private:
  std::stop_token stop_;
  std::function<void(const Progress&)> onProgress_;
};

}  // namespace ridgeline
