#pragma once

#include <string>

#include "core/base/result.h"
#include "core/trace/event.h"

namespace ridgeline {

/// Reads an event's args on demand. Implemented by io: from the file for plain and gzipped ones,
/// from packed blocks for all others. May be called from any thread.
class ArgsReader {
 public:
  virtual ~ArgsReader() = default;
  /// The raw JSON text of the args object; "" for an empty span. Fails when the file has changed or
  /// vanished since it was loaded.
  [[nodiscard]] virtual Result<std::string> read(ArgsSpan span) const = 0;
  /// Bytes of memory held.
  [[nodiscard]] virtual std::size_t bytes() const { return 0; }
};

}  // namespace ridgeline
