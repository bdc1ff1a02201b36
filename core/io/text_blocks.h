#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/task.h"
#include "core/io/byte_source.h"
#include "core/io/event_list_reader.h"

namespace ridgeline {

/// A piece of the text, and what a worker already read of it in the hope that an event begins at
/// `guess`. Whoever takes the pieces in order knows whether that is so.
struct TextBlock {
  std::unique_ptr<char[]> data;
  std::size_t size = 0;
  std::uint64_t offset = 0;        ///< in the text
  std::uint64_t fileConsumed = 0;  ///< bytes of the file that made it and all before it
  bool last = false;

  static constexpr std::size_t kNoGuess = static_cast<std::size_t>(-1);
  std::size_t guess = kNoGuess;
  bool scanned = false;
  EventBatch batch;  ///< of the events in [guess, scannedTo)
  std::vector<ArgsBlock> args;
  std::size_t scannedTo = 0;
  EventListReader::Separator separator = EventListReader::Separator::afterComma;
  bool listEnded = false;

  [[nodiscard]] std::string_view text() const { return {data.get(), size}; }
};

/// Reads and inflates in one thread and parses in others, ahead of whoever takes the blocks, with a
/// fixed number of blocks that are used again and again. Errors of the source end the text.
class TextBlocks {
 public:
  struct Options {
    std::size_t blockBytes = 0;
    unsigned workers = 1;  ///< 0: nobody parses ahead
    bool fastPath = true;
    bool packArgs = false;
  };
  TextBlocks(ByteSource& source, const Options& options, const Task& task);
  /// Stops all threads.
  ~TextBlocks();
  TextBlocks(const TextBlocks&) = delete;
  TextBlocks& operator=(const TextBlocks&) = delete;

  /// The next block, null at the end or when cancelled; good until the next call.
  TextBlock* next();

 private:
  enum class State { free, filled, scanning, ready };
  struct Slot {
    TextBlock block;
    State state = State::free;
    std::uint64_t number = 0;
  };
  void readAll();
  void scanAhead();
  void scan(TextBlock& block, EventListReader& reader);
  template <class Ready>
  bool waitFor(std::unique_lock<std::mutex>& lock, Ready&& ready);

  ByteSource& source_;
  const Options options_;
  const Task& task_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  std::uint64_t filled_ = 0;   ///< blocks read so far
  std::uint64_t scanned_ = 0;  ///< blocks that a worker has taken
  std::uint64_t taken_ = 0;    ///< blocks handed out
  bool ended_ = false;         ///< filled_ is final
  bool stop_ = false;
  std::vector<std::unique_ptr<EventListReader>> readers_;
  std::vector<std::jthread> threads_;
};

}  // namespace ridgeline
