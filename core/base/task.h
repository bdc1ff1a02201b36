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
  /// Stops when the answer is true, and must stay true then; asked often, and by any thread.
  explicit Task(std::function<bool()> wantsStop) : wantsStop_(std::move(wantsStop)) {}

  [[nodiscard]] bool cancelled() const {
    return stop_.stop_requested() || (wantsStop_ && wantsStop_());
  }
  void report(const Progress& progress) const {
    if (onProgress_) onProgress_(progress);
  }

 private:
  std::stop_token stop_;
  std::function<bool()> wantsStop_;
  std::function<void(const Progress&)> onProgress_;
};

/// Asks a Task now and then, for loops over millions of things. For one thread.
class Poll {
 public:
  explicit Poll(const Task& task) : task_(task) {}
  /// True once the task is cancelled; asks at every 16,384th call only.
  [[nodiscard]] bool stop() { return (++calls_ & 0x3FFF) == 0 && task_.cancelled(); }
  /// Asks at once: before and after what takes milliseconds.
  [[nodiscard]] bool stopNow() const { return task_.cancelled(); }

 private:
  const Task& task_;
  std::uint32_t calls_ = 0;
};

}  // namespace ridgeline
