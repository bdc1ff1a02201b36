#pragma once

// Private to the builder: how collected events become the tables of one rank.

#include <cstdint>
#include <span>
#include <vector>

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
  void placeSlices();
  void fillRows(std::span<const std::uint32_t> order, TrackId track);
  void gather();
  void sparseColumns();
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
  std::vector<std::uint32_t> rawTrackOf_;  // by TrackId
  std::vector<std::uint32_t> rawOf_;       // by SliceId: raw slice
};

}  // namespace ridgeline::build
