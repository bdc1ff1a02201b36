// The decompressors and the change of encoding: any bytes come to an end, and how many are asked
// for at a time changes nothing in what comes out.

#include <algorithm>
#include <memory>

#include "core/io/byte_source.h"
#include "tests/fuzz/fuzz_support.h"

using namespace ridgeline;

namespace {

/// A small input can become a large text; the rest of it would only cost time.
constexpr std::size_t kMost = std::size_t{8} << 20;

struct Outcome {
  std::string text;
  std::string damage;
};

Outcome readAll(const std::string& path, std::size_t step) {
  auto opened = ByteSource::open(path);
  if (opened.failed()) return {"", opened.error().what};
  ByteSource& source = *opened.value();
  Outcome outcome;
  const auto buffer = std::make_unique<char[]>(step);
  while (outcome.text.size() < kMost) {
    const std::size_t got = source.read(buffer.get(), step);
    fuzz::require(got <= step, "no more is read than was asked for");
    outcome.text.append(buffer.get(), got);
    if (got < step) break;
  }
  for (const SourceDamage& damage : source.damage()) outcome.damage += damage.sentence + "\n";
  return outcome;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(fuzz::text(data, size));
  const Outcome large = readAll(file.path(), std::size_t{1} << 20);
  const Outcome small = readAll(file.path(), 1 + size % 4099);
  const std::size_t compared = std::min({large.text.size(), small.text.size(), kMost});
  fuzz::require(large.text.compare(0, compared, small.text, 0, compared) == 0,
                "the text does not depend on the size of the reads");
  if (large.text.size() < kMost && small.text.size() < kMost) {
    fuzz::require(large.text.size() == small.text.size(), "the text has one length");
    fuzz::require(large.damage == small.damage, "the same damage is found");
  }
  return 0;
}
