#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace ridgeline {

/// Memory for long columns. From half a huge page on it begins at a huge page and asks the system
/// for such: fresh memory by pages of 4 KiB costs more than filling it.
[[nodiscard]] void* allocateColumn(std::size_t bytes);
void freeColumn(void* memory, std::size_t bytes) noexcept;

/// While one lives, the huge pages of freed columns become those of new ones instead of going back
/// to the system: clearing them anew costs more than reading the file does. For all threads.
class ColumnRecycling {
 public:
  ColumnRecycling();
  ~ColumnRecycling();
  ColumnRecycling(const ColumnRecycling&) = delete;
  ColumnRecycling& operator=(const ColumnRecycling&) = delete;
};

/// For vectors of plain values: what resize() adds is not set to anything, but left for the caller
/// to write.
template <class T>
struct ColumnAllocator {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  using value_type = T;
  ColumnAllocator() = default;
  template <class U>
  explicit(false) ColumnAllocator(const ColumnAllocator<U>&) noexcept {}
  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(allocateColumn(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept { freeColumn(memory, count * sizeof(T)); }
  template <class U>
  void construct(U*) noexcept {}
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    std::construct_at(at, std::forward<Args>(args)...);
  }
  bool operator==(const ColumnAllocator&) const = default;
};

/// One column of a table.
template <class T>
using ColumnVector = std::vector<T, ColumnAllocator<T>>;

}  // namespace ridgeline
