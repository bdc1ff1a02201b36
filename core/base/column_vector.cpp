#include "core/base/column_vector.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>

namespace ridgeline {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kFewestBytes = kHugePage / 2;

std::size_t rounded(std::size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

void* map(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* allocateColumn(std::size_t bytes) {
  if (bytes < kFewestBytes) return ::operator new(bytes);
  const std::size_t whole = rounded(bytes);
  void* memory = map(whole);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory) % kHugePage;
  if (beyond != 0) {
    ::munmap(memory, whole);
    memory = map(whole + kHugePage);
    const std::size_t before = kHugePage - reinterpret_cast<std::uintptr_t>(memory) % kHugePage;
    ::munmap(memory, before);
    memory = static_cast<char*>(memory) + before;
    if (before < kHugePage) ::munmap(static_cast<char*>(memory) + whole, kHugePage - before);
  }
  ::madvise(memory, whole, MADV_HUGEPAGE);  // a wish: where it is refused, small pages do
  return memory;
}

void freeColumn(void* memory, std::size_t bytes) noexcept {
  if (bytes < kFewestBytes)
    ::operator delete(memory);
  else
    ::munmap(memory, rounded(bytes));
}

}  // namespace ridgeline
