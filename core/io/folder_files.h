#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace ridgeline {

/// Whether the path leads to a folder.
[[nodiscard]] bool isFolder(const std::string& path);

/// The regular files in a folder and in the folders in it (no deeper), sorted by name with numbers
/// in their order ("rank2" before "rank10"). Hidden ones are left out, and a link to one of the
/// others is no further file.
[[nodiscard]] Result<std::vector<std::string>> filesIn(const std::string& folder);

}  // namespace ridgeline
