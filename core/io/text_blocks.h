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

/// Reads, inflates and parses blocks of a text on several threads, whoever takes the blocks being
/// one of them, with a fixed number of blocks that are used again and again. Reading goes in turn,
/// parsing side by side. Errors of the source end the text.
class TextBlocks {
 public:
  struct Options {
    std::size_t blockBytes = 0;
    unsigned threads = 1;  ///< the caller's included
    bool fastPath = true;
    bool packArgs = false;
  };
  TextBlocks(ByteSource& source, const Options& options, const Task& task);
  /// Stops all threads.
  ~TextBlocks();
  TextBlocks(const TextBlocks&) = delete;
  TextBlocks& operator=(const TextBlocks&) = delete;

  /// The next block, null at the end or when cancelled; good until the next call. Parses others
  /// while the next is not ready.
  TextBlock* next();

 private:
  enum class State { free, filling, ready };
  struct Slot {
    TextBlock block;
    State state = State::free;
  };
  [[nodiscard]] Slot& slotOf(std::uint64_t number) { return slots_[number % slots_.size()]; }
  [[nodiscard]] bool mayFill() const { return !ended_ && begun_ < taken_ + slots_.size(); }
  void help(EventListReader& reader);
  void fill(std::unique_lock<std::mutex>& lock, EventListReader& reader);
  void read(TextBlock& block);
  void scan(TextBlock& block, EventListReader& reader);
  template <class Ready>
  bool waitFor(std::unique_lock<std::mutex>& lock, Ready&& ready);

  ByteSource& source_;
  const Options options_;
  const Task& task_;
  std::vector<Slot> slots_;
  std::mutex reading_;  ///< held from taking a block's number to having its text
  std::uint64_t offset_ = 0;
  std::mutex mutex_;  ///< of all that follows
  std::condition_variable changed_;
  std::uint64_t begun_ = 0;  ///< blocks that somebody fills or has filled
  std::uint64_t taken_ = 0;  ///< blocks that are done with
  bool handedOut_ = false;   ///< the block before `taken_` is in use
  bool ended_ = false;       ///< begun_ is final
  bool stop_ = false;
  unsigned waiting_ = 0;
  std::vector<std::unique_ptr<EventListReader>> readers_;
  std::vector<std::jthread> threads_;
};

}  // namespace ridgeline
