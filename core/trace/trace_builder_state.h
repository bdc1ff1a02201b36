#pragma once

// Private to the builder: what has been collected, still in input order.

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

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
};

struct RawTrack {
  std::uint32_t lane = kNone;
  TrackKind kind = TrackKind::thread;
  StringId asyncName;  ///< counters: the counter's name
  std::int64_t device = EventArgs::kAbsent;
  std::int64_t stream = EventArgs::kAbsent;
};

struct RawSlice {
  TimeNs start = 0;
  TimeNs end = 0;
  std::uint32_t track = kNone;
  StringId name;
  std::uint64_t argsOffset = 0;
  std::uint32_t argsLength = 0;
  ShapeId shape;
  std::uint16_t categoryText = 0;
  Category category = Category::other;
  std::uint8_t flags = 0;
};

/// A B, E, b or e, paired after sorting.
struct RawMark {
  TimeNs ts = 0;
  std::uint32_t track = kNone;
  StringId name;
  StringId id;  ///< async
  ArgsSpan args;
  std::uint64_t inputOffset = 0;
  std::uint16_t categoryText = 0;
  Category category = Category::other;
  bool begin = false;
};

struct RawInstant {
  TimeNs ts = 0;
  std::uint32_t track = kNone;
  StringId name;
  ArgsSpan args;
};

struct RawFlow {
  TimeNs ts = 0;
  StringId id, category, name;
  std::uint32_t lane = kNone;
  char phase = 's';
  bool bindEnclosing = false;
};

struct RawCounter {
  TimeNs ts = 0;
  std::uint32_t track = kNone;
  StringId series;
  double value = 0;
};

struct RawMemory {
  MemoryEvent event;
  std::uint32_t track = kNone;
};

template <class T>
struct RawValue {
  std::uint32_t slice;
  T value;
};

struct ShapeHash {
  std::size_t operator()(const ShapeTexts& s) const {
    std::uint64_t h = s.dims.value;
    for (const StringId id : {s.types, s.concrete, s.strides})
      h = (h ^ id.value) * 0x9E3779B97F4A7C15ull;
    return static_cast<std::size_t>(h ^ (h >> 29));
  }
};

/// The sparse columns of SliceTable, in one order for collecting and for assembling.
struct SparseValues {
  std::vector<RawValue<std::int64_t>> correlation, externalId, bytes, sequence, forwardThread,
      streamArg, graphId, graphNode, waitOnStream, waitOnRecordCorrelation;
  std::vector<RawValue<CollectiveId>> collective;
};

/// Everything collected so far.
struct Collected {
  TraceInfo info;
  ImportLog readerLog;
  std::map<std::int64_t, ImportLog> logs;  ///< by rank, kNoRank for events without one
  StringPool strings;
  std::vector<StringId> categoryTexts;
  std::vector<Category> categoryKinds;
  std::vector<RawProcess> processes;
  std::vector<RawLane> lanes;
  std::vector<RawTrack> tracks;
  std::vector<RawSlice> slices;
  std::vector<RawMark> marks;
  std::vector<RawInstant> instants;
  std::vector<RawFlow> flows;
  std::vector<RawCounter> counters;
  std::vector<RawMemory> memory;
  SparseValues sparse;
  std::vector<ShapeTexts> shapes;
  std::vector<CollectiveArgs> collectives;
  std::vector<Device> devices;
  std::shared_ptr<const ArgsReader> argsReader;

  [[nodiscard]] std::int64_t rankOfTrack(std::uint32_t track) const {
    return processes[lanes[tracks[track].lane].process].rank;
  }
  [[nodiscard]] ImportLog& logOfTrack(std::uint32_t track) { return logs[rankOfTrack(track)]; }
};

/// Pairs B with E and b with e, per track in time order, and appends the slices.
void pairMarks(Collected& c);
/// The tables of one rank (kNoRank with `only` false: of everything).
TraceTables assemble(Collected& c, bool only, std::int64_t rank);
/// Sets launchOf and links of assembled tables. `flows` are those of this rank, with lanes
/// translated to tracks by `tracksOfLane`.
void linkAll(TraceTables& t, const std::vector<RawFlow>& flows,
             const std::vector<std::vector<TrackId>>& tracksOfLane);
/// Display names of processes' tracks, in place.
void nameTracks(TraceTables& t);

}  // namespace ridgeline::build
