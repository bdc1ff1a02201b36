// The trace-event reader: any text either loads with a balanced log and whole rows, or is refused
// with a sentence; and neither the fast path nor the cut into blocks makes a difference.

#include "core/io/load_trace.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;

namespace {

/// Inputs are shorter than this: one block each, and no time goes into large buffers.
constexpr std::size_t kWhole = std::size_t{16} << 10;

std::string outcome(const std::string& path, const LoadOptions& options) {
  const auto loaded = loadTrace(path, {}, options);
  if (loaded.failed()) {
    fuzz::require(!loaded.error().what.empty(), "an error says what is wrong");
    return "error " + loaded.error().what;
  }
  for (const LoadedTrace& rank : loaded.value()) {
    fuzz::require(rank.trace->importLog().balanced(), "the import log balances");
    const std::string faults = test::rowFaults(*rank.trace);
    fuzz::require(faults.empty(), faults);
  }
  return test::dump(loaded.value());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Compressed input has a target of its own.
  if (size >= 2 && ((data[0] == 0x1f && data[1] == 0x8b) || (data[0] == 0x28 && data[1] == 0xb5)))
    return 0;
  const fuzz::MemoryFile file(fuzz::text(data, size));
  const std::string whole = outcome(file.path(), {kWhole, 1, true});
  const std::string slow = outcome(file.path(), {kWhole, 1, false});
  fuzz::require(whole == slow,
                "the fast path and the slow path agree\n" + test::firstDifference(whole, slow));
  const std::string cut = outcome(file.path(), {64 + size % 193, 2, true});
  fuzz::require(whole == cut,
                "the cut into blocks changes nothing\n" + test::firstDifference(whole, cut));
  return 0;
}
