#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/input_file.h"

namespace ridgeline {

/// One thing that was wrong with the bytes of a file (not with the JSON in them).
struct SourceDamage {
  std::string key;       ///< as in ImportLog::problems
  std::string sentence;  ///< for people
  bool lost = false;
  std::uint64_t offset = 0;  ///< in the decompressed text
};

/// A stream of bytes made of another one: inflates, or changes the encoding.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills `to` as far as there are bytes; fewer than `size` only at the end. Damage is noted and
  /// ends the stream; what came before it counts.
  [[nodiscard]] virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// The text of a file as UTF-8 without a byte-order mark, front to back: plain, gzip (also several
/// members) or zstd (also several frames), UTF-8 or UTF-16, found out from the first bytes and not
/// from the name. Holds a few fixed buffers, never the text. For one thread, but for `consumed`.
class ByteSource {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ByteSource>> open(const std::string& path);

  /// As ByteStream::read.
  [[nodiscard]] std::size_t read(char* to, std::size_t size);
  /// Bytes of the file taken in so far.
  [[nodiscard]] std::uint64_t consumed() const { return consumed_.load(std::memory_order_relaxed); }

  [[nodiscard]] const std::string& compression() const { return compression_; }  ///< "", "gzip", …
  [[nodiscard]] const std::shared_ptr<InputFile>& file() const { return file_; }
  /// The text's byte 0 is this byte of the file, for plain UTF-8 files; see `isPlain`.
  [[nodiscard]] std::uint64_t textStart() const { return textStart_; }
  /// The text stands in the file byte for byte.
  [[nodiscard]] bool isPlain() const { return compression_.empty() && !converted_; }
  [[nodiscard]] const std::vector<SourceDamage>& damage() const { return damage_; }

 private:
  explicit ByteSource(std::shared_ptr<InputFile> file) : file_(std::move(file)) {}
  void stack();

  std::shared_ptr<InputFile> file_;
  std::string compression_;
  std::uint64_t textStart_ = 0;
  bool converted_ = false;
  std::atomic<std::uint64_t> consumed_ = 0;
  std::vector<SourceDamage> damage_;
  std::uint64_t produced_ = 0;
  std::unique_ptr<ByteStream> stream_;
};

}  // namespace ridgeline
