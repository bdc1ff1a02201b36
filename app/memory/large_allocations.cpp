// Large allocations ask for huge pages. Analyses grow vectors of hundreds of megabytes, glibc gives
// those back to the system as soon as they are freed, and fresh memory by pages of 4 KiB then costs
// more than filling it. Linked into the programs, not into the libraries; not under sanitizers,
// which bring their own allocator.

#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = 2 * kHugePage;  // holds at least one whole huge page

void adviseHugePages(void* memory, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t end = (address + size) / kHugePage * kHugePage;
  // A wish: where it is refused, small pages do.
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace

// The forms for arrays and without exceptions come to this one; memory goes back by free(), as
// before.
void* operator new(std::size_t size) {
  for (;;) {
    if (void* memory = std::malloc(size != 0 ? size : 1)) {
      if (size >= kLarge) adviseHugePages(memory, size);
      return memory;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
