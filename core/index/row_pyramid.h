#pragma once

#include <cstdint>
#include <vector>

#include "core/base/column_vector.h"
#include "core/trace/trace.h"

namespace ridgeline {

/// A mipmap over time for every row: level k divides the row's extent into buckets of 2^(shift+k)
/// ns and says how much of each is covered and which slice covers most of it. The finest buckets
/// hold 4 to 8 slices on average, so all levels together cost 1.3 to 2.5 bytes a slice; finer than
/// that the slices themselves are looked at. Rows with few slices have none. Immutable.
class RowPyramid {
 public:
  /// One row's buckets of one level.
  struct Level {
    TimeNs begin = 0;  ///< where bucket 0 begins
    int shift = 0;     ///< a bucket is 2^shift ns long
    std::uint32_t count = 0;
    const std::uint32_t* dominant = nullptr;  ///< slice that covers most; kNone when empty
    const std::uint8_t* coverage = nullptr;   ///< 0 nothing … 255 all; never 0 when not empty
    [[nodiscard]] TimeNs bucketLength() const { return TimeNs{1} << shift; }
  };

  /// Without meaning when the task was cancelled.
  explicit RowPyramid(const Trace& trace, const Task& task = {});

  /// The coarsest level whose buckets are at most `ns` long; count 0 when there is none (then walk
  /// the slices).
  [[nodiscard]] Level levelFor(RowId row, double ns) const;
  [[nodiscard]] std::size_t bytes() const;

  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

 private:
  struct RowEntry {
    TimeNs begin = 0;
    int shift = 0;
    std::uint32_t firstLevel = 0;  // into levelOffset_
    std::uint32_t levels = 0;
  };
  void addRow(const SliceTable& slices, const Row& row, RowEntry& entry, Poll& poll);

  ColumnVector<RowEntry> rows_;
  std::vector<std::uint32_t> levelOffset_;  // into the bucket columns
  std::vector<std::uint32_t> levelCount_;
  std::vector<std::uint32_t> dominant_;
  std::vector<std::uint8_t> coverage_;
};

}  // namespace ridgeline
