#include "tests/fuzz/fuzz_support.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace ridgeline::fuzz {

void fail(std::string_view what) {
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

MemoryFile::MemoryFile(std::string_view content) : fd_(memfd_create("fuzz", 0)) {
  require(fd_ >= 0, "a file in memory can be made");
  while (!content.empty()) {
    const ssize_t done = write(fd_, content.data(), content.size());
    require(done > 0, "a file in memory can be written");
    content.remove_prefix(static_cast<std::size_t>(done));
  }
  path_ = "/proc/self/fd/" + std::to_string(fd_);
}

MemoryFile::~MemoryFile() {
  close(fd_);
}

}  // namespace ridgeline::fuzz
