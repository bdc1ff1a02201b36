#include "core/base/release_later.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace ridgeline {

namespace {

/// A thread that does nothing but drop what it is given. Joined at the end of the program.
class Releaser {
 public:
  Releaser() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

  void add(std::shared_ptr<const void> big) {
    {
      const std::scoped_lock lock(mutex_);
      waiting_.push_back(std::move(big));
    }
    changed_.notify_one();
  }

 private:
  void run(const std::stop_token& stop) {
    while (true) {
      std::vector<std::shared_ptr<const void>> taken;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [this] { return !waiting_.empty(); });
      if (waiting_.empty()) return;
      taken.swap(waiting_);
      lock.unlock();
      taken.clear();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::shared_ptr<const void>> waiting_;
  std::jthread thread_;  // last: ends before the rest does
};

}  // namespace

void releaseLater(std::shared_ptr<const void> big) {
  if (!big) return;
  static Releaser releaser;
  releaser.add(std::move(big));
}

}  // namespace ridgeline
