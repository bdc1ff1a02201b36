#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/base/column_vector.h"
#include "core/base/ids.h"

namespace ridgeline {

/// Each distinct text once, under a dense id. Texts stay at their address for the pool's life.
/// Filling is for one thread; a filled pool may be read by any number of threads.
class StringPool {
 public:
  StringPool();
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;

  /// The id of `text`, which is copied in if it is new.
  StringId intern(std::string_view text);
  /// The id of `text` if it is in the pool, else an invalid id.
  [[nodiscard]] StringId find(std::string_view text) const;
  /// The text of `id`; empty for an invalid id.
  [[nodiscard]] std::string_view text(StringId id) const {
    return id.index() < texts_.size() ? texts_[id.index()] : std::string_view();
  }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  /// Bytes held, tables included.
  [[nodiscard]] std::size_t bytes() const;

 private:
  [[nodiscard]] std::size_t slotOf(std::string_view text, std::uint32_t hash) const;
  std::string_view store(std::string_view text);
  void grow();

  ColumnVector<std::string_view> texts_;
  ColumnVector<std::uint32_t> hashes_;  // by id
  ColumnVector<std::uint32_t> slots_;   // open addressing; value = id + 1, 0 = free
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t blockUsed_ = 0;
  std::size_t blockSize_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace ridgeline
