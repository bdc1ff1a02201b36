#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/io/byte_source.h"

namespace ridgeline {

/// Walks a JSON text of any length front to back and hands out values as raw text. It holds one
/// value at a time and never the text; what is skipped is not held at all.
/// After `ended` or `broken` nothing more comes.
class JsonStream {
 public:
  explicit JsonStream(ByteSource& source);
  ~JsonStream();
  JsonStream(const JsonStream&) = delete;
  JsonStream& operator=(const JsonStream&) = delete;

  /// The next character that is no space; 0 at the end of the text.
  [[nodiscard]] char peek();
  /// Steps over `c` if it comes next.
  bool take(char c);
  /// A key and its colon, as raw content between the quotes; good until the next call. Empty
  /// optional where none stands.
  [[nodiscard]] std::optional<std::string_view> key();
  /// Any value as raw text (a text keeps its quotes), good until the next call. Empty optional
  /// where the text ends inside it, where it is no JSON, or where it is longer than kMostBytes.
  [[nodiscard]] std::optional<std::string_view> value();
  /// Steps over a value of any length; false where the text ends inside it.
  bool skip();

  /// Of the next character in the text.
  [[nodiscard]] std::uint64_t offset() const { return offset_ + at_; }
  /// Of the value that `value` gave last.
  [[nodiscard]] std::uint64_t valueOffset() const { return valueOffset_; }
  /// The source has no more bytes behind what is held.
  [[nodiscard]] bool ended() const { return sourceEnded_ && at_ >= size_; }

  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

 private:
  /// Tracks strings and brackets from one character to the next.
  struct Walker {
    std::uint64_t depth = 0;
    bool inString = false, escaped = false, scalar = false;
    /// Takes one character; true behind the last one of the value (`consumes`: it belongs to it).
    bool step(char c, bool& consumes);
  };
  bool fill();

  ByteSource& source_;
  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  std::uint64_t offset_ = 0;  ///< of data_[0]
  std::uint64_t valueOffset_ = 0;
  bool sourceEnded_ = false;
};

}  // namespace ridgeline
