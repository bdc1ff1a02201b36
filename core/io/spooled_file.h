#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/io/byte_source.h"
#include "core/io/input_file.h"

namespace ridgeline {

/// Unpacks a source into a temporary file, for formats that must be read at any place. It
/// is removed once nobody holds it any more.
[[nodiscard]] Result<std::shared_ptr<const InputFile>> spool(ByteSource& source, const Task& task);

}  // namespace ridgeline
