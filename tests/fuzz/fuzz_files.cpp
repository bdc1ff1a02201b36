// Whole files of any format that is told by its first bytes: databases (Nsight Systems exports) and
// tar archives above all. What loads has a balanced import log and readable args; what does not is
// refused with a sentence.

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

#include "core/io/load_trace.h"
#include "tests/fuzz/fuzz_support.h"

using namespace ridgeline;

namespace {

/// SQLite opens a file by its real name, so one in memory will not do.
class NamedFile {
 public:
  explicit NamedFile(std::string_view content) {
    const int fd = mkstemp(path_);
    fuzz::require(fd >= 0, "a temporary file can be made");
    while (!content.empty()) {
      const ssize_t done = write(fd, content.data(), content.size());
      fuzz::require(done > 0, "a temporary file can be written");
      content.remove_prefix(static_cast<std::size_t>(done));
    }
    close(fd);
  }
  ~NamedFile() { unlink(path_); }
  NamedFile(const NamedFile&) = delete;
  NamedFile& operator=(const NamedFile&) = delete;
  [[nodiscard]] const char* path() const { return path_; }

 private:
  char path_[32] = "/dev/shm/ridgeline-fuzz-XXXXXX";
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const NamedFile file(fuzz::text(data, size));
  const auto loaded = loadTrace(file.path());
  fuzz::require(!loaded.cancelled(), "nobody cancelled");
  if (loaded.failed()) {
    fuzz::require(!loaded.error().what.empty(), "a refusal has a sentence");
    return 0;
  }
  fuzz::require(!loaded.value().empty(), "what loads has a trace");
  for (const LoadedTrace& one : loaded.value()) {
    const Trace& trace = *one.trace;
    fuzz::require(trace.importLog().balanced(), "the import log is balanced");
    const std::size_t looked = std::min<std::size_t>(trace.slices().size(), 3);
    for (std::size_t i = 0; i < looked; ++i)
      fuzz::require(trace.readArgs(SliceId(i)).ok(), "args can be read");
  }
  return 0;
}
