#include "core/io/text_blocks.h"

#include <chrono>
#include <cstring>

namespace ridgeline {

TextBlocks::TextBlocks(ByteSource& source, const Options& options, const Task& task)
    : source_(source), options_(options), task_(task), slots_(options.workers + 3) {
  for (unsigned i = 0; i < options_.workers; ++i)
    readers_.push_back(std::make_unique<EventListReader>(options_.fastPath, options_.packArgs));
  threads_.emplace_back([this] { readAll(); });
  for (unsigned i = 0; i < options_.workers; ++i) threads_.emplace_back([this] { scanAhead(); });
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
  // A cancel sends no signal, so it is looked for.
  while (!stop_ && !task_.cancelled() && !ready())
    changed_.wait_for(lock, std::chrono::milliseconds(20));
  return !stop_ && !task_.cancelled();
}

void TextBlocks::readAll() {
  std::uint64_t offset = 0;
  for (std::uint64_t number = 0;; ++number) {
    Slot& slot = slots_[number % slots_.size()];
    {
      std::unique_lock lock(mutex_);
      if (!waitFor(lock, [&] { return slot.state == State::free; })) return;
    }
    TextBlock& block = slot.block;
    if (!block.data)
      block.data = std::make_unique_for_overwrite<char[]>(options_.blockBytes + kTextPadding);
    block.size = source_.read(block.data.get(), options_.blockBytes);
    std::memset(block.data.get() + block.size, 0, kTextPadding);
    block.offset = offset;
    block.fileConsumed = source_.consumed();
    block.last = block.size < options_.blockBytes;
    block.scanned = false;
    offset += block.size;
    {
      const std::lock_guard lock(mutex_);
      slot.number = number;
      slot.state = options_.workers == 0 ? State::ready : State::filled;
      ++filled_;
      ended_ = block.last;
    }
    changed_.notify_all();
    if (block.last) return;
  }
}

void TextBlocks::scanAhead() {
  EventListReader* reader = nullptr;
  {
    const std::lock_guard lock(mutex_);
    reader = readers_.back().get();
    std::rotate(readers_.begin(), readers_.end() - 1, readers_.end());
  }
  while (true) {
    Slot* slot = nullptr;
    {
      std::unique_lock lock(mutex_);
      if (!waitFor(lock, [&] { return scanned_ < filled_ || ended_; })) return;
      if (scanned_ >= filled_) return;
      slot = &slots_[scanned_++ % slots_.size()];
      slot->state = State::scanning;
    }
    scan(slot->block, *reader);
    {
      const std::lock_guard lock(mutex_);
      slot->state = State::ready;
    }
    changed_.notify_all();
  }
}

void TextBlocks::scan(TextBlock& block, EventListReader& reader) {
  // An event's first brace after the comma that ends another one: more likely than not.
  const std::string_view text = block.text();
  std::size_t guess = findEventStart(text, 0);
  while (guess != text.npos) {
    std::size_t before = guess;
    while (before > 0 && loose::isSpace(text[before - 1])) --before;
    if (before > 0 && text[before - 1] == ',') {
      --before;
      while (before > 0 && loose::isSpace(text[before - 1])) --before;
      if (before > 0 && text[before - 1] == '}') break;
    }
    guess = findEventStart(text, guess + 1);
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

TextBlock* TextBlocks::next() {
  {
    const std::lock_guard lock(mutex_);
    if (taken_ > 0) slots_[(taken_ - 1) % slots_.size()].state = State::free;
  }
  changed_.notify_all();
  std::unique_lock lock(mutex_);
  Slot& slot = slots_[taken_ % slots_.size()];
  const auto over = [&] { return ended_ && taken_ >= filled_; };
  if (!waitFor(lock,
               [&] { return over() || (slot.state == State::ready && slot.number == taken_); }))
    return nullptr;
  if (over()) return nullptr;
  ++taken_;
  return &slot.block;
}

}  // namespace ridgeline
