#pragma once

#include <cstddef>
#include <string>

#include "core/base/result.h"

namespace ridgeline {

/// The text in the bytes of a file that a user hands in (a table, a log): UTF-8 without a
/// byte-order mark, also where they are UTF-16 (what PowerShell redirects to) or packed with gzip
/// or zstd. `name`: of the file, for errors; fails where packed bytes are damaged or hold more than
/// `maxBytes`.
[[nodiscard]] Result<std::string> plainText(std::string bytes, const std::string& name,
                                            std::size_t maxBytes = std::size_t{512} << 20);

}  // namespace ridgeline
