#pragma once

// Private to the builder: what has been collected, still in input order.

#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "core/base/seeded_hash.h"
#include "core/base/task.h"
#include "core/trace/chunked_column.h"
#include "core/trace/trace_builder.h"

namespace ridgeline::build {

inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;
inline constexpr std::int64_t kNoRank = EventArgs::kAbsent;

struct RawProcess {
  StringId pid;
  std::int64_t rank = kNoRank;
  StringId name, labels;
  std::int64_t sortIndex = EventArgs::kAbsent;
};

/// A (pid, tid): one lane of the file, which may become several tracks (kernels and the ranges
/// projected to their stream share a lane).
struct RawLane {
  std::uint32_t process = kNone;
  StringId tid;
  StringId name;
  std::int64_t sortIndex = EventArgs::kAbsent;
  std::uint64_t links = 0, metadata = 0;  ///< input events, for the import log
};

struct RawTrack {
  std::uint32_t lane = kNone;
  TrackKind kind = TrackKind::thread;
  StringId counterName;
  std::int64_t device = EventArgs::kAbsent;
  std::int64_t stream = EventArgs::kAbsent;
  std::uint64_t slices = 0, instants = 0, counters = 0, dropped = 0;  ///< input events
};

/// The slices as columns, so that each can be freed once it is in its final place.
struct RawSlices {
  ChunkedColumn<TimeNs> start, end;
  ChunkedColumn<std::uint64_t> argsOffset;
  ChunkedColumn<std::uint32_t> argsLength, track, name, shape;
  ChunkedColumn<std::uint16_t> category;
  /// From here on they are B events whose E never came.
  std::size_t unfinishedFrom = 0;

  [[nodiscard]] std::size_t size() const { return track.size(); }
};

struct RawValues {
  ChunkedColumn<std::uint32_t> slice;
  ChunkedColumn<std::int64_t> value;
};

struct RawFills {
  ChunkedColumn<std::uint32_t> slice, value;
};

/// The sparse columns of SliceTable, in one order for collecting and for assembling.
struct SparseValues {
  RawValues correlation, externalId, bytes, sequence, forwardThread, streamArg, graphId, graphNode,
      waitOnStream, waitOnRecordCorrelation, collective, xla;
  RawFills fill;
};

/// Everything collected so far; ids are global now.
struct Collected {
  TraceInfo info;
  ImportLog log;  ///< notes of all kinds; of its counts only read, repaired and dropped
  StringPool strings;
  std::vector<StringId> categoryTexts;
  std::vector<Category> categoryKinds;
  ColumnVector<RawProcess> processes;
  ColumnVector<RawLane> lanes;
  ColumnVector<RawTrack> tracks;
  RawSlices slices;
  ChunkedColumn<EventBatch::Mark> marks;
  ChunkedColumn<EventBatch::Instant> instants;
  ChunkedColumn<EventBatch::Flow> flows;
  ChunkedColumn<EventBatch::Counter> counters;
  ChunkedColumn<EventBatch::Memory> memory;
  SparseValues sparse;
  std::vector<ShapeTexts> shapes;
  std::vector<CollectiveArgs> collectives;
  std::vector<XlaArgs> xla;
  std::vector<Device> devices;
  std::shared_ptr<const ArgsReader> argsReader;
  bool severalRanks = false;  ///< known once all is read, see mergeLanes

  [[nodiscard]] std::int64_t rankOfLane(std::uint32_t lane) const {
    return severalRanks ? processes[lanes[lane].process].rank : kNoRank;
  }
  [[nodiscard]] std::int64_t rankOfTrack(std::uint32_t track) const {
    return rankOfLane(tracks[track].lane);
  }
};

/// By what a track of a lane is found: there is one of each kind, of counters one of each name.
inline std::uint64_t hashOfTrack(std::uint32_t lane, TrackKind kind, StringId counterName) {
  return mixHash((std::uint64_t{lane} << 32) | static_cast<std::uint32_t>(kind), counterName.value);
}

// Here and below: what comes of a cancelled task has no meaning.

/// Gives processes the rank that their name or pid tells ("RANK 3 HOST<node>"), where no event
/// names one.
void recogniseRanks(Collected& c, const Task& task);
/// The ranks of the tracks' processes, ascending.
[[nodiscard]] std::vector<std::int64_t> ranksIn(const Collected& c, const Task& task);
/// What is said otherwise than in Kineto's way (JAX, unitrace, rocmProfileData, PyTorch's autograd
/// export): finds the device lanes by their processes' names and gives events their category. Sets
/// info.producer where it is known now.
void recogniseDialect(Collected& c, const Task& task);

/// Which lanes and tracks are one and the same although only some of their events name a rank.
struct Merged {
  std::vector<std::uint32_t> lane, track;  ///< by raw id: the raw id that stands for it
};

/// Decides whether several ranks are in the file and gives the lanes without one the rank that
/// other events of the same process name.
Merged mergeLanes(Collected& c, const Task& task);
/// Pairs B with E and b with e, per track in time order, and appends the slices.
void pairMarks(Collected& c, const Merged& merged, const Task& task);
/// The tables of one rank (kNoRank with `only` false: of everything, which empties `c`).
TraceTables assemble(Collected& c, const Merged& merged, bool only, std::int64_t rank,
                     const Task& task);
/// Sets launchOf of assembled tables, and adds the links from launching calls to device work.
void linkLaunches(TraceTables& t, ColumnVector<Link>& links, const Task& task);
/// The tracks of each lane, one lane behind the other.
class LaneTracks {
 public:
  LaneTracks() = default;
  /// `laneOf(track)` of the tracks 0 … tracks - 1.
  template <class LaneOf>
  LaneTracks(std::size_t lanes, std::size_t tracks, LaneOf&& laneOf)
      : first_(lanes + 2, 0), tracks_(tracks) {
    for (std::size_t i = 0; i < tracks; ++i) ++first_[laneOf(i) + std::size_t{2}];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    for (std::size_t i = 0; i < tracks; ++i)
      tracks_[first_[laneOf(i) + std::size_t{1}]++] = TrackId(i);
  }
  [[nodiscard]] std::span<const TrackId> of(std::uint32_t lane) const {
    return std::span(tracks_).subspan(first_[lane], first_[lane + std::size_t{1}] - first_[lane]);
  }

 private:
  std::vector<std::uint32_t> first_;  ///< by lane, and one more
  std::vector<TrackId> tracks_;
};

/// Sets links: those given and those of the flows, which are of this rank, with lanes translated to
/// tracks by `tracksOfLane`.
void linkAll(TraceTables& t, ColumnVector<Link> links, ColumnVector<EventBatch::Flow> flows,
             const LaneTracks& tracksOfLane, const Task& task);
/// Display names of processes' tracks, in place.
void nameTracks(TraceTables& t, const Task& task);

}  // namespace ridgeline::build
