#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/result.h"

namespace ridgeline {

/// One regular file, open for reading, and what it was when it was opened. Closed by the
/// destructor.
class InputFile {
 public:
  /// Fails with a sentence where the path is missing, a folder, unreadable, or empty.
  [[nodiscard]] static Result<std::unique_ptr<InputFile>> open(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Bytes it had when it was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Reads on from where the last read ended; fewer than `size` only at the end, -1 on error.
  [[nodiscard]] std::int64_t read(char* to, std::size_t size);
  /// Reads at a place of its own; may be called from any thread.
  [[nodiscard]] std::int64_t readAt(std::uint64_t offset, char* to, std::size_t size) const;
  /// Whether size and time of the last change are those of the opening, and the path still leads
  /// to this very file.
  [[nodiscard]] bool unchanged() const;

 private:
  InputFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_;
  std::uint64_t size_ = 0;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  std::int64_t changedSeconds_ = 0;
  std::int64_t changedNanoseconds_ = 0;
};

}  // namespace ridgeline
