#pragma once

#include <memory>
#include <string_view>

#include "core/trace/trace.h"

namespace ridgeline::test {

/// Reads valid trace-event JSON by way of nlohmann's SAX parser and a tree, without any code of
/// core/io: what the loader must agree with. Null where the text is no valid JSON, or no trace of
/// the object form. Knows nothing of the places of args.
std::shared_ptr<const Trace> readByReference(std::string_view text);

}  // namespace ridgeline::test
