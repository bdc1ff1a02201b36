#include "core/io/json_stream.h"

#include <algorithm>
#include <cstring>

#include "core/io/loose_json.h"

namespace ridgeline {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

}  // namespace

JsonStream::JsonStream(ByteSource& source)
    : source_(source), data_(std::make_unique_for_overwrite<char[]>(kChunk)), capacity_(kChunk) {}
JsonStream::~JsonStream() = default;

/// Gets more text behind what is left of the old; false where there is none.
bool JsonStream::fill() {
  if (sourceEnded_) return false;
  const std::size_t left = size_ - at_;
  if (left * 2 > capacity_) {
    auto grown = std::make_unique_for_overwrite<char[]>(capacity_ * 2);
    std::memcpy(grown.get(), data_.get() + at_, left);
    data_ = std::move(grown);
    capacity_ *= 2;
  } else if (at_ > 0) {
    std::memmove(data_.get(), data_.get() + at_, left);
  }
  offset_ += at_;
  at_ = 0;
  size_ = left;
  const std::size_t room = capacity_ - size_;
  const std::size_t got = source_.read(data_.get() + size_, room);
  sourceEnded_ = got < room;
  size_ += got;
  return got > 0;
}

char JsonStream::peek() {
  while (true) {
    while (at_ < size_ && loose::isSpace(data_[at_])) ++at_;
    if (at_ < size_) return data_[at_];
    if (!fill()) return '\0';
  }
}

bool JsonStream::take(char c) {
  if (peek() != c || ended()) return false;
  ++at_;
  return true;
}

bool JsonStream::Walker::step(char c, bool& consumes) {
  consumes = true;
  if (inString) {
    if (escaped)
      escaped = false;
    else if (c == '\\')
      escaped = true;
    else if (c == '"')
      inString = false;
    return !inString && depth == 0;
  }
  if (scalar) {
    consumes = false;
    return c == ',' || c == '}' || c == ']' || c == ':' || loose::isSpace(c);
  }
  if (c == '"') {
    inString = true;
  } else if (c == '{' || c == '[') {
    ++depth;
  } else if (c == '}' || c == ']') {
    if (depth > 0) --depth;
    return depth == 0;
  } else if (depth == 0) {
    scalar = true;
  }
  return false;
}

std::optional<std::string_view> JsonStream::value() {
  const char first = peek();
  if (first == '\0' || first == '}' || first == ']' || first == ',' || first == ':')
    return std::nullopt;
  Walker walker;
  for (std::size_t i = 0;;) {
    for (; at_ + i < size_; ++i) {
      bool consumes = true;
      if (!walker.step(data_[at_ + i], consumes)) continue;
      const std::string_view found(data_.get() + at_, i + (consumes ? 1u : 0u));
      valueOffset_ = offset();
      at_ += found.size();
      return found;
    }
    if (i > kMostBytes || !fill()) break;
  }
  at_ = size_;
  sourceEnded_ = true;
  return std::nullopt;
}

std::optional<std::string_view> JsonStream::key() {
  if (peek() != '"') return std::nullopt;
  // The colon is passed before the text goes out, so it must be here already: a key is short.
  const auto text = value();
  if (!text || text->size() < 2) return std::nullopt;
  const std::size_t length = text->size();
  const std::uint64_t begin = valueOffset_;
  std::size_t colon = at_;
  while (colon < size_ && loose::isSpace(data_[colon])) ++colon;
  if (colon >= size_) {
    at_ = static_cast<std::size_t>(begin - offset_);
    if (!fill()) return std::nullopt;
    colon = at_ + length;
    at_ = colon;
    while (colon < size_ && loose::isSpace(data_[colon])) ++colon;
  }
  if (colon >= size_ || data_[colon] != ':') return std::nullopt;
  const auto start = static_cast<std::size_t>(begin - offset_);
  at_ = colon + 1;
  return std::string_view(data_.get() + start + 1, length - 2);
}

bool JsonStream::skip() {
  if (peek() == '\0') return false;
  Walker walker;
  while (true) {
    for (; at_ < size_; ++at_) {
      bool consumes = true;
      if (!walker.step(data_[at_], consumes)) continue;
      at_ += consumes ? 1 : 0;
      return true;
    }
    if (!fill()) return false;
  }
}

}  // namespace ridgeline
