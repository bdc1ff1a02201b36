#include "core/base/column_vector.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace ridgeline {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kFewestBytes = kHugePage / 2;

std::size_t rounded(std::size_t bytes) {
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

/// `at`: instead of what is mapped there; null: anywhere.
void* map(std::size_t bytes, void* at = nullptr) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (at != nullptr ? MAP_FIXED : 0);
  void* memory = ::mmap(at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

/// `whole` bytes of address space that begin at a huge page; nothing is behind them yet.
void* mapAtHugePage(std::size_t whole) {
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

/// Freed huge pages, kept as long as someone recycles.
class FreePages {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    ++users_;
  }
  void close() {
    std::vector<char*> rest;
    {
      const std::lock_guard lock(mutex_);
      if (--users_ == 0) rest.swap(pages_);
    }
    for (char* page : rest) ::munmap(page, kHugePage);
  }
  /// False: nobody recycles, or there is no memory to note it.
  bool keep(char* memory, std::size_t whole) noexcept {
    const std::lock_guard lock(mutex_);
    if (users_ == 0) return false;
    try {
      pages_.reserve(pages_.size() + whole / kHugePage);
    } catch (const std::bad_alloc&) {
      return false;
    }
    for (std::size_t at = 0; at < whole; at += kHugePage) pages_.push_back(memory + at);
    return true;
  }
  /// At most `most` pages.
  std::vector<char*> take(std::size_t most) {
    const std::lock_guard lock(mutex_);
    const std::size_t count = std::min(most, pages_.size());
    std::vector<char*> taken(pages_.end() - static_cast<std::ptrdiff_t>(count), pages_.end());
    pages_.resize(pages_.size() - count);
    return taken;
  }

 private:
  std::mutex mutex_;
  std::vector<char*> pages_;
  int users_ = 0;
};

FreePages& freePages() {
  static auto* pages = new FreePages;  // outlives every column
  return *pages;
}

}  // namespace

ColumnRecycling::ColumnRecycling() {
  freePages().open();
}
ColumnRecycling::~ColumnRecycling() {
  freePages().close();
}

void* allocateColumn(std::size_t bytes) {
  if (bytes < kFewestBytes) return ::operator new(bytes);
  const std::size_t whole = rounded(bytes);
  const std::vector<char*> pages = freePages().take(whole / kHugePage);
  if (pages.size() == 1 && whole == kHugePage) return pages.front();
  char* memory = static_cast<char*>(mapAtHugePage(whole));
  char* to = memory;
  for (char* page : pages) {
    if (::mremap(page, kHugePage, kHugePage, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
      // The system refuses (too many mappings): a fresh page is as good.
      ::munmap(page, kHugePage);
      map(kHugePage, to);
    }
    to += kHugePage;
  }
  return memory;
}

void freeColumn(void* memory, std::size_t bytes) noexcept {
  if (bytes < kFewestBytes) {
    ::operator delete(memory);
    return;
  }
  const std::size_t whole = rounded(bytes);
  if (!freePages().keep(static_cast<char*>(memory), whole)) ::munmap(memory, whole);
}

}  // namespace ridgeline
