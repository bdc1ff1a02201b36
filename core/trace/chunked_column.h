#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace ridgeline {

/// A growing column in pieces of fixed size: growing copies nothing, and the pieces can be given
/// back one column at a time.
template <class T>
class ChunkedColumn {
 public:
  static constexpr std::size_t kShift = 15;
  static constexpr std::size_t kChunk = std::size_t{1} << kShift;

  void push_back(const T& value) {
    if ((size_ & (kChunk - 1)) == 0) chunks_.push_back(std::make_unique_for_overwrite<T[]>(kChunk));
    chunks_.back()[size_ & (kChunk - 1)] = value;
    ++size_;
  }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    return chunks_[i >> kShift][i & (kChunk - 1)];
  }
  [[nodiscard]] T& operator[](std::size_t i) { return chunks_[i >> kShift][i & (kChunk - 1)]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Frees everything.
  void clear() {
    chunks_.clear();
    chunks_.shrink_to_fit();
    size_ = 0;
  }

 private:
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace ridgeline
