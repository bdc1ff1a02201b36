#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "core/base/column_vector.h"

namespace ridgeline {

/// Values that only some rows of a table have, sorted by row id. Lookup is a binary search.
template <class RowIdT, class T>
class SparseColumn {
 public:
  struct Entry {
    RowIdT row;
    T value;
  };

  [[nodiscard]] std::optional<T> get(RowIdT row) const {
    const auto it = std::lower_bound(entries_.begin(), entries_.end(), row,
                                     [](const Entry& e, RowIdT r) { return e.row < r; });
    if (it == entries_.end() || it->row != row) return std::nullopt;
    return it->value;
  }
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  /// Takes entries in any order; rows must be distinct.
  void assign(ColumnVector<Entry> entries) {
    const auto less = [](const Entry& a, const Entry& b) { return a.row < b.row; };
    if (!std::is_sorted(entries.begin(), entries.end(), less))
      std::sort(entries.begin(), entries.end(), less);
    entries_ = std::move(entries);
  }

 private:
  ColumnVector<Entry> entries_;
};

}  // namespace ridgeline
