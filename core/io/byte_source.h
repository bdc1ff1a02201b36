#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/io/input_file.h"

namespace ridgeline {

class GzipPoints;

/// One thing that was wrong with the bytes of a file (not with the JSON in them).
struct SourceDamage {
  std::string key;       ///< as in ImportLog::problems
  std::string sentence;  ///< for people
  bool lost = false;
  /// In the decompressed text; a stage that does not know where that is leaves it to the source.
  std::uint64_t offset = kUnplaced;
  static constexpr std::uint64_t kUnplaced = ~std::uint64_t{0};
};

/// A stream of bytes made of another one: inflates, or changes the encoding.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills `to` as far as there are bytes; fewer than `size` only at the end. Damage is noted and
  /// ends the stream; what came before it counts.
  [[nodiscard]] virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// The bytes of an input, front to back, unpacked: plain, gzip (also several members) or zstd (also
/// several frames), also one within the other, found out from the first bytes and not from the
/// name; and, from `read`, its text as UTF-8 without a byte-order mark. The input is a file, or a
/// member of an archive. Holds a few fixed buffers, never the text. For one thread, but for
/// `consumed`.
class ByteSource {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ByteSource>> open(const std::string& path);
  /// The member of an archive, which outlives it.
  [[nodiscard]] static std::unique_ptr<ByteSource> ofMember(const ByteSource& archive,
                                                            std::string name, std::uint64_t size,
                                                            std::unique_ptr<ByteStream> bytes);
  ~ByteSource();

  /// The file's path; of a member "path/of/archive.tar!name".
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The first bytes, unpacked; fewer than `size` (at most kPeekBytes) only where there are no
  /// more. Reading begins with them all the same.
  [[nodiscard]] std::string_view peek(std::size_t size);
  static constexpr std::size_t kPeekBytes = std::size_t{64} << 10;
  /// As ByteStream::read, of the unpacked bytes as they are. Not to be mixed with `read`.
  [[nodiscard]] std::size_t readBytes(char* to, std::size_t size);
  /// As ByteStream::read, of the text.
  [[nodiscard]] std::size_t read(char* to, std::size_t size);
  /// Bytes of the file taken in so far.
  [[nodiscard]] std::uint64_t consumed() const;

  [[nodiscard]] const std::string& compression() const {
    return compression_;
  }  ///< "", "gzip", "zstd in gzip" …
  /// Null for the member of an archive.
  [[nodiscard]] const std::shared_ptr<InputFile>& file() const { return file_; }
  /// Bytes of the file, or of the member as it is in the archive.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The text's byte 0 is this byte of the unpacked file, for UTF-8; see `isPlain`, `gzipPoints`.
  [[nodiscard]] std::uint64_t textStart() {
    startText();
    return textStart_;
  }
  /// The text stands in the file byte for byte.
  [[nodiscard]] bool isPlain() {
    startText();
    return file_ != nullptr && compression_.empty() && !converted_;
  }
  /// Where the text can be read again from the middle on, for gzipped files of UTF-8; else null.
  /// Complete once the text was read.
  [[nodiscard]] std::shared_ptr<const GzipPoints> gzipPoints();
  [[nodiscard]] const std::vector<SourceDamage>& damage() const { return damage_; }

 private:
  class Head;
  ByteSource() = default;
  void unpack(std::unique_ptr<ByteStream> bytes);
  std::string unpackStage(std::unique_ptr<ByteStream>& bytes, GzipPoints* points);
  void startText();
  void place(std::size_t known, std::size_t got);

  std::string name_;
  std::shared_ptr<InputFile> file_;
  std::uint64_t size_ = 0;
  std::string compression_;
  std::shared_ptr<GzipPoints> gzipPoints_;  ///< lives as long as the stage that fills it
  bool packedTwice_ = false;
  std::uint64_t textStart_ = 0;
  bool converted_ = false;
  std::atomic<std::uint64_t> consumed_ = 0;
  const std::atomic<std::uint64_t>* consumedOfArchive_ = nullptr;
  std::vector<SourceDamage> damage_;
  std::uint64_t produced_ = 0;
  std::unique_ptr<Head> head_;
  std::unique_ptr<ByteStream> text_;
};

}  // namespace ridgeline
