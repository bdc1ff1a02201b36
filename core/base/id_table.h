#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/column_vector.h"

namespace ridgeline {

/// A hash table of dense ids whose keys lie with whoever numbers them. Flat: a million entries are
/// no million pieces of memory to get and to give back. For one thread.
class IdTable {
 public:
  /// The id for which `same(id)` holds, of those that were put in with this hash; `next`, which is
  /// put in, where there is none.
  template <class Same>
  std::uint32_t findOrAdd(std::uint64_t hash, std::size_t next, Same&& same) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    const auto tag = static_cast<std::uint32_t>(hash ^ (hash >> 32));
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = tag & mask;; i = (i + 1) & mask) {
      Slot& slot = slots_[i];
      if (slot.id == kFree) {
        slot = {tag, static_cast<std::uint32_t>(next)};
        ++count_;
        return slot.id;
      }
      if (slot.tag == tag && same(slot.id)) return slot.id;
    }
  }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  static constexpr std::uint32_t kFree = 0xFFFFFFFFu;
  struct Slot {
    std::uint32_t tag, id;
  };

  void grow() {
    ColumnVector<Slot> old(std::max<std::size_t>(slots_.size() * 2, 64));
    std::fill(old.begin(), old.end(), Slot{0, kFree});
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.id == kFree) continue;
      std::size_t i = slot.tag & mask;
      while (slots_[i].id != kFree) i = (i + 1) & mask;
      slots_[i] = slot;
    }
  }

  ColumnVector<Slot> slots_;  // a power of two, at most half of them taken
  std::size_t count_ = 0;
};

}  // namespace ridgeline
