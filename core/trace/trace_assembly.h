#pragma once

// Private to the builder: how collected events become the tables of one rank.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/trace/nesting.h"
#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

/// One rank being taken out of what was collected. With a single rank the raw columns are freed as
/// soon as they are in place, so that the peak is about one copy of the data.
class Assembly {
 public:
  Assembly(Collected& c, const Merged& merged, bool only, std::int64_t rank, const Task& task)
      : c_(c), merged_(merged), only_(only), rank_(rank), task_(task) {}

  /// Without meaning when the task was cancelled; so is what each step leaves behind.
  TraceTables run();

 private:
  [[nodiscard]] bool mine(std::uint32_t track) const {
    if (!only_) return true;
    const std::int64_t rank = c_.rankOfTrack(merged_.track[track]);
    return rank == rank_ || rank == kNoRank;
  }
  [[nodiscard]] TrackId trackOf(std::uint32_t raw) const { return trackOfRaw_[raw]; }
  StringId text(StringId id) {
    // A single rank takes the pool as it is; several ranks copy what they use.
    return only_ ? (id.valid() ? t_.strings.intern(c_.strings.text(id)) : id) : id;
  }
  template <class T>
  void release(ChunkedColumn<T>& column) {
    if (!only_) column.clear();
  }
  void findOrigin();
  void adoptDevices(const std::vector<std::uint32_t>& raws);
  void makeTracks();
  void makeDevices();
  /// One track on its way into rows.
  struct TrackOrder {
    std::span<std::uint32_t> order;       ///< raw slices, by time once nested
    ColumnVector<Placement> placements;   ///< in that order
    ColumnVector<std::uint32_t> slice;    ///< in that order: the slice that each becomes
    std::vector<std::uint32_t> rowBegin;  ///< first slice of each row, and the end of the last
    std::uint32_t base = 0;               ///< first slice of the track
    std::uint32_t nested = 0;
    RowId firstRow;
  };
  void placeSlices();
  void distribute(std::vector<std::uint32_t>& first, ColumnVector<std::uint32_t>& order);
  void nestTrack(TrackOrder& track) const;
  void addRows(std::vector<TrackOrder>& placed);
  void fillRows(const TrackOrder& track, std::size_t begin, std::size_t end);
  /// The jobs of makeColumns fill different columns and read what none of them changes.
  void makeColumns();
  void addColumnJobs(std::vector<std::function<void()>>& jobs);
  void addSparseJobs(std::vector<std::function<void()>>& jobs);
  template <class To, class From, class Value>
  void gather(To& column, ChunkedColumn<From>& raw, Value&& value);
  template <class Id, class T>
  void sparse(RawValues& raw, SparseColumn<Id, T>& column);
  void makeFlags();
  void makeInstants();
  void makeCounters();
  void makeMemory();
  void makeTexts();
  void makeLinks();

  Collected& c_;
  const Merged& merged_;
  const bool only_;
  const std::int64_t rank_;
  const Task& task_;
  TraceTables t_;
  std::vector<TrackId> trackOfRaw_;
  std::vector<std::uint32_t> rawTrackOf_;   // by TrackId
  ColumnVector<std::uint32_t> rawOf_;       // by SliceId: raw slice
  ColumnVector<std::uint32_t> sliceOfRaw_;  // the other way round; kNone: of another rank
};

}  // namespace ridgeline::build
