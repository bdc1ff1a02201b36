#pragma once

// The stages that a ByteSource is stacked of.

#include <atomic>
#include <memory>
#include <vector>

#include "core/io/byte_source.h"

namespace ridgeline {

/// The file's own bytes, up to the size that it had when it was opened.
[[nodiscard]] std::unique_ptr<ByteStream> plainStream(InputFile& file,
                                                      std::atomic<std::uint64_t>& consumed,
                                                      std::vector<SourceDamage>& damage);
/// Inflates through ISA-L; a wrong checksum is noted, the data is kept.
[[nodiscard]] std::unique_ptr<ByteStream> gzipStream(std::unique_ptr<ByteStream> packed,
                                                     std::vector<SourceDamage>& damage);
[[nodiscard]] std::unique_ptr<ByteStream> zstdStream(std::unique_ptr<ByteStream> packed,
                                                     std::vector<SourceDamage>& damage);
/// Leaves a UTF-8 byte-order mark out and turns UTF-16 into UTF-8. `bomBytes` and `converted` say
/// what was done; they are right once this function returns.
[[nodiscard]] std::unique_ptr<ByteStream> utf8Stream(std::unique_ptr<ByteStream> bytes,
                                                     std::vector<SourceDamage>& damage,
                                                     std::uint64_t& bomBytes, bool& converted);

}  // namespace ridgeline
