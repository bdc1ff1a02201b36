#include "core/io/text_blocks.h"

#include <chrono>
#include <cstring>

namespace ridgeline {

TextBlocks::TextBlocks(ByteSource& source, const Options& options, const Task& task)
    : source_(source), options_(options), task_(task), slots_(2 * options.threads + 2) {
  for (unsigned i = 0; i < options_.threads; ++i)
    readers_.push_back(std::make_unique<EventListReader>(options_.fastPath, options_.packArgs));
  for (unsigned i = 1; i < options_.threads; ++i)
    threads_.emplace_back([this, &reader = *readers_[i]] { help(reader); });
}

TextBlocks::~TextBlocks() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  threads_.clear();
}

template <class Ready>
bool TextBlocks::waitFor(std::unique_lock<std::mutex>& lock, Ready&& ready) {
  ++waiting_;
  // A cancel sends no signal, so it is looked for.
  while (!stop_ && !task_.cancelled() && !ready())
    changed_.wait_for(lock, std::chrono::milliseconds(20));
  --waiting_;
  return !stop_ && !task_.cancelled();
}

void TextBlocks::read(TextBlock& block) {
  if (!block.data)
    block.data = std::make_unique_for_overwrite<char[]>(options_.blockBytes + kTextPadding);
  block.size = source_.read(block.data.get(), options_.blockBytes);
  std::memset(block.data.get() + block.size, 0, kTextPadding);
  block.offset = offset_;
  block.fileConsumed = source_.consumed();
  block.last = block.size < options_.blockBytes;
  block.scanned = false;
  offset_ += block.size;
}

/// Fills the next block, unless others were quicker. The lock is held before and after.
void TextBlocks::fill(std::unique_lock<std::mutex>& lock, EventListReader& reader) {
  lock.unlock();
  std::unique_lock turn(reading_);
  lock.lock();
  if (stop_ || !mayFill()) return;
  Slot& slot = slotOf(begun_++);
  slot.state = State::filling;
  lock.unlock();
  read(slot.block);
  if (slot.block.last) {
    const std::lock_guard end(mutex_);
    ended_ = true;
  }
  turn.unlock();
  scan(slot.block, reader);
  lock.lock();
  slot.state = State::ready;
  if (waiting_ > 0) changed_.notify_all();
}

void TextBlocks::help(EventListReader& reader) {
  std::unique_lock lock(mutex_);
  while (waitFor(lock, [this] { return mayFill() || ended_; }) && !ended_) fill(lock, reader);
}

TextBlock* TextBlocks::next() {
  std::unique_lock lock(mutex_);
  if (handedOut_) {
    slotOf(taken_++).state = State::free;
    handedOut_ = false;
    if (waiting_ > 0) changed_.notify_all();
  }
  while (!task_.cancelled()) {
    Slot& slot = slotOf(taken_);
    const auto ready = [&] { return taken_ < begun_ && slot.state == State::ready; };
    if (ready()) {
      handedOut_ = true;
      return &slot.block;
    }
    if (ended_ && taken_ >= begun_) return nullptr;
    if (mayFill())
      fill(lock, *readers_.front());
    else if (!waitFor(lock, ready))
      return nullptr;
  }
  return nullptr;
}

void TextBlocks::scan(TextBlock& block, EventListReader& reader) {
  // An event's first brace after the comma that ends another one: more likely than not.
  const std::string_view text = block.text();
  Poll poll(task_);
  std::size_t guess = findEventStart(text, 0, poll);
  while (guess != text.npos) {
    std::size_t before = guess;
    while (before > 0 && loose::isSpace(text[before - 1])) --before;
    if (before > 0 && text[before - 1] == ',') {
      --before;
      while (before > 0 && loose::isSpace(text[before - 1])) --before;
      if (before > 0 && text[before - 1] == '}') break;
    }
    guess = findEventStart(text, guess + 1, poll);
  }
  block.guess = guess;
  if (guess == text.npos) return;
  block.scannedTo = guess;
  block.separator = EventListReader::Separator::afterComma;
  const auto stop = reader.read(text, block.scannedTo, block.separator, false, block.offset, task_);
  block.listEnded = stop == EventListReader::Stop::listEnd;
  block.scanned = stop != EventListReader::Stop::cancelled;
  reader.collector().swap(block.batch);
  block.args = reader.takeArgs();
}

}  // namespace ridgeline
