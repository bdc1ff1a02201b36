#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/base/column_vector.h"

namespace ridgeline {

/// A growing column in pieces: growing copies nothing, and the memory can be given back one column
/// at a time. A short one holds one small piece, a long one blocks of huge pages.
template <class T>
class ChunkedColumn {
 public:
  static constexpr std::size_t kShift = 13;
  static constexpr std::size_t kChunk = std::size_t{1} << kShift;

  void push_back(const T& value) {
    if ((size_ & (kChunk - 1)) == 0) addChunk();
    chunks_.back()[size_ & (kChunk - 1)] = value;
    ++size_;
  }
  /// Appends value(0) … value(count - 1).
  template <class Value>
  void append(std::size_t count, Value&& value) {
    for (std::size_t done = 0; done < count;) {
      const std::size_t used = size_ & (kChunk - 1);
      if (used == 0) addChunk();
      T* to = chunks_.back() + used;
      const std::size_t some = std::min(count - done, kChunk - used);
      for (std::size_t i = 0; i < some; ++i) to[i] = value(done + i);
      done += some;
      size_ += some;
    }
  }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    return chunks_[i >> kShift][i & (kChunk - 1)];
  }
  [[nodiscard]] T& operator[](std::size_t i) { return chunks_[i >> kShift][i & (kChunk - 1)]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Frees everything.
  void clear() {
    blocks_ = {};
    chunks_ = {};
    size_ = 0;
  }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{2} << 20;

  void addChunk() {
    if (blocks_.empty() || blockUsed_ == blocks_.back().size()) {
      blocks_.emplace_back(
          blocks_.empty() ? kChunk
                          : std::max<std::size_t>(kBlockBytes / sizeof(T) / kChunk, 1) * kChunk);
      blockUsed_ = 0;
    }
    chunks_.push_back(blocks_.back().data() + blockUsed_);
    blockUsed_ += kChunk;
  }

  std::vector<ColumnVector<T>> blocks_;
  std::vector<T*> chunks_;
  std::size_t blockUsed_ = 0;  ///< of the last block
  std::size_t size_ = 0;
};

}  // namespace ridgeline
