#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/base/task.h"

namespace ridgeline {

/// A file's text, decompressed by what its first bytes say (gzip, zstd or plain).
struct WholeText {
  std::string text;
  std::string compression;  ///< "", "gzip", "zstd"
  std::uint64_t fileBytes = 0;
  /// Not empty when the compressed stream ended early or was damaged; `text` holds what came out.
  std::string damage;
};

[[nodiscard]] Result<WholeText> readWholeText(const std::string& path, const Task& task);

}  // namespace ridgeline
