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
  /// The span without stray stamps; notes whose these are.
  void findBulk(TimeSpan all);
  void noteStray(TimeSpan bulk, TimeSpan event, StringId name);
  void adoptDevices(const std::vector<std::uint32_t>& raws);
  void makeTracks();
  void makeDevices();
  void nameKinds();
  void addDevice(std::int64_t ordinal, const std::vector<const Device*>& recorded, bool alike);
  /// The slices on their way into rows: columns over all tracks, since there may be a million of
  /// one slice each.
  struct Order {
    std::vector<std::uint32_t> first;    ///< by track, and one more: its slices in the columns
    std::vector<std::uint32_t> nested;   ///< by track: rows that nest
    ColumnVector<std::uint32_t> raw;     ///< raw slices; within a track by time once nested
    ColumnVector<Placement> placements;  ///< of these
    ColumnVector<std::uint32_t> slice;   ///< what each becomes
  };
  /// Tracks that one job takes.
  struct TrackRange {
    std::uint32_t begin, end;
  };
  void placeSlices();
  void distribute(Order& order);
  [[nodiscard]] static std::vector<TrackRange> shareTracks(const Order& order);
  template <class Each>
  void forEachTrack(const Order& order, const std::vector<TrackRange>& shares, Each&& each) const;
  void nestTrack(Order& order, std::uint32_t track, Nester& nester, Poll& poll);
  void addRows(const Order& order);
  void layTrack(Order& order, std::uint32_t track, Poll& poll);
  void fillRows(const Order& order, std::uint32_t begin, std::uint32_t end);
  /// The jobs of makeColumns fill different columns and read what none of them changes.
  void makeColumns();
  void addColumnJobs(std::vector<std::function<void()>>& jobs);
  void addSparseJobs(std::vector<std::function<void()>>& jobs);
  template <class To, class From, class Value>
  void gather(To& column, ChunkedColumn<From>& raw, Value&& value);
  template <class Raw, class Id, class T>
  void sparse(Raw& raw, SparseColumn<Id, T>& column);
  void makeFlags();
  void makeInstants();
  void makeCounters();
  void makeMemory();
  void makeTexts();
  void makeLinks();
  void makeNames();

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
