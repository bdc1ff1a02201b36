#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/io/load_trace.h"

namespace ridgeline::test {

/// The first Trace of a file; null, with a warning, where it does not load or its import log does
/// not balance.
std::shared_ptr<const Trace> loadFile(const std::string& path, const LoadOptions& options = {});
/// The same of a text.
std::shared_ptr<const Trace> load(std::string_view text, const LoadOptions& options = {});
/// How often the import log tells of this problem.
std::uint64_t problem(const Trace& trace, std::string_view key);
/// The first slice of that name; invalid where there is none.
SliceId named(const Trace& trace, std::string_view name);

}  // namespace ridgeline::test
