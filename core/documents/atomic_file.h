#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ridgeline {

/// Replaces the content of `path` as one step: whoever looks sees the old content or the new one,
/// also after a crash or a power cut. On any failure the old file is untouched. A link is followed,
/// permissions of an existing file are kept.
[[nodiscard]] Status writeFileAtomically(const std::string& path, std::string_view content);

/// The whole file. Fails when it is missing, unreadable, no regular file or longer than `maxBytes`.
[[nodiscard]] Result<std::string> readFile(const std::string& path,
                                           std::size_t maxBytes = std::size_t{256} << 20);

}  // namespace ridgeline
