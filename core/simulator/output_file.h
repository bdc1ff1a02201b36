#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ridgeline::simulator {

/// A file that appears whole or not at all: written beside its path under another name, compressed
/// by the suffix of the path (.gz, .zst), renamed by `commit`. Without a commit nothing is left.
class OutputFile {
 public:
  [[nodiscard]] static Result<std::unique_ptr<OutputFile>> create(const std::string& path);
  virtual ~OutputFile() = default;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Errors are kept until `commit`.
  virtual void write(std::string_view text) = 0;
  [[nodiscard]] virtual Status commit() = 0;

 protected:
  OutputFile() = default;
};

}  // namespace ridgeline::simulator
