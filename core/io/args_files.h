#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/gzip_points.h"
#include "core/io/input_file.h"
#include "core/trace/args_store.h"

namespace ridgeline {

/// Args of a plain file: read from the file itself, and refused once the file has changed.
class FileArgs : public ArgsReader {
 public:
  /// `textStart`: where the text's byte 0 stands in the file.
  FileArgs(std::shared_ptr<const InputFile> file, std::uint64_t textStart)
      : file_(std::move(file)), textStart_(textStart) {}
  [[nodiscard]] Result<std::string> read(ArgsSpan span) const override;

 private:
  std::shared_ptr<const InputFile> file_;
  std::uint64_t textStart_;
};

/// Args of a gzipped file: inflated again from the nearest point before them, and refused once the
/// file has changed. Keeps what it inflated last.
class GzipArgs : public ArgsReader {
 public:
  /// `textStart`: where the text's byte 0 stands in the inflated file. `points` may still grow
  /// until the first read.
  GzipArgs(std::shared_ptr<const InputFile> file, std::shared_ptr<const GzipPoints> points,
           std::uint64_t textStart)
      : file_(std::move(file)), points_(std::move(points)), textStart_(textStart) {}
  [[nodiscard]] Result<std::string> read(ArgsSpan span) const override;
  [[nodiscard]] std::size_t bytes() const override { return points_->bytes(); }

 private:
  bool inflate(std::uint64_t plain, std::uint64_t end) const;

  std::shared_ptr<const InputFile> file_;
  std::shared_ptr<const GzipPoints> points_;
  std::uint64_t textStart_;
  mutable std::mutex mutex_;
  mutable std::uint64_t pieceAt_ = 0;  ///< of the inflated file
  mutable std::string piece_;
};

/// Args that stand in the source's file, plain or gzipped, and need not be kept; null where they
/// cannot be read there again.
[[nodiscard]] std::shared_ptr<const ArgsReader> argsInFile(ByteSource& source);

/// Some args texts, compressed, in the order of the text.
struct ArgsBlock {
  std::uint64_t firstOffset = 0;  ///< of the first one in the text
  std::uint32_t indexBytes = 0;   ///< of the (gap, length) list behind the texts
  std::uint32_t plainBytes = 0;
  std::string packed;
};

/// Packs args texts into blocks. For one thread.
class ArgsPacker {
 public:
  ArgsPacker();
  ~ArgsPacker();
  /// Offsets must ascend.
  void add(std::uint64_t offset, std::string_view text);
  /// Ends the current block and gives all blocks so far.
  [[nodiscard]] std::vector<ArgsBlock> take();

 private:
  void endBlock();
  struct Context;
  std::unique_ptr<Context> context_;
  std::vector<ArgsBlock> blocks_;
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
  std::string index_;
  std::string texts_;
  std::string packed_;  ///< room for what the compressor puts out
};

/// Args of compressed or converted files: kept packed, found again by their offset in the text.
class PackedArgs : public ArgsReader {
 public:
  /// In the order of the text; before anybody reads.
  void append(std::vector<ArgsBlock> blocks);
  [[nodiscard]] Result<std::string> read(ArgsSpan span) const override;
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  std::vector<ArgsBlock> blocks_;
  std::size_t bytes_ = 0;
};

}  // namespace ridgeline
