#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

/// Some args texts, compressed, in the order of the text.
struct ArgsBlock {
  std::uint64_t firstOffset = 0;  ///< of the first one in the text
  std::uint32_t indexBytes = 0;   ///< of the (gap, length) list before the texts
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
