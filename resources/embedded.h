#pragma once

#include <string_view>
#include <vector>

namespace ridgeline {

/// A file of this folder that was compiled into the program.
struct EmbeddedFile {
  std::string_view path;  ///< relative to `resources/`, e.g. "rules/kernel_classes.json"
  std::string_view text;
};

const std::vector<EmbeddedFile>& embeddedFiles();

/// The text of one embedded file; empty if there is none of that path.
std::string_view embeddedFile(std::string_view path);

}  // namespace ridgeline
