#include <numeric>

#include "core/base/id_table.h"
#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

namespace {

/// Files are merged from hundreds of ranks at most; every further one would cost a pass over all.
constexpr std::size_t kMostRanksInAFile = 1024;

/// By pid: the process that stands for it where an event names no rank (with one rank or none, for
/// all of its events).
std::vector<std::uint32_t> mergeProcesses(Collected& c, Poll& poll) {
  IdTable ofPid;
  const auto standIn = [&](std::uint32_t i, std::size_t next) {
    const StringId pid = c.processes[i].pid;
    return ofPid.findOrAdd(mixHash(0, pid.value), next,
                           [&](std::uint32_t known) { return c.processes[known].pid == pid; });
  };
  std::vector<std::uint32_t> canonical(c.processes.size());
  std::iota(canonical.begin(), canonical.end(), 0u);
  for (std::uint32_t i = 0; i < c.processes.size() && !poll.stop(); ++i)
    if (!c.severalRanks || c.processes[i].rank != kNoRank) standIn(i, i);
  for (std::uint32_t i = 0; i < c.processes.size() && !poll.stop(); ++i) {
    const RawProcess& p = c.processes[i];
    if (c.severalRanks && p.rank != kNoRank) continue;
    canonical[i] = standIn(i, i);
    if (canonical[i] == i) continue;
    RawProcess& to = c.processes[canonical[i]];
    if (p.name.valid()) to.name = p.name;
    if (p.labels.valid()) to.labels = p.labels;
    if (p.sortIndex != EventArgs::kAbsent) to.sortIndex = p.sortIndex;
  }
  return canonical;
}

void mergeLanesInto(std::vector<std::uint32_t>& merged, Collected& c, Poll& poll) {
  const std::vector<std::uint32_t> process = mergeProcesses(c, poll);
  IdTable table;
  for (std::uint32_t i = 0; i < c.lanes.size() && !poll.stop(); ++i) {
    RawLane& lane = c.lanes[i];
    lane.process = process[lane.process];
    merged[i] = table.findOrAdd(mixHash(lane.process, lane.tid.value), i, [&](std::uint32_t other) {
      return c.lanes[other].process == lane.process && c.lanes[other].tid == lane.tid;
    });
    if (merged[i] == i) continue;
    RawLane& to = c.lanes[merged[i]];
    if (lane.name.valid()) to.name = lane.name;
    if (lane.sortIndex != EventArgs::kAbsent) to.sortIndex = lane.sortIndex;
  }
}

}  // namespace

Merged mergeLanes(Collected& c, const Task& task) {
  const std::size_t ranks = ranksIn(c, task).size();
  c.severalRanks = ranks > 1 && ranks <= kMostRanksInAFile;
  if (ranks > kMostRanksInAFile)
    c.log.note("too_many_ranks",
               "events name more than 1,024 ranks, so the file was not taken apart by rank", false,
               ImportLog::kNoOffset, std::to_string(ranks) + " ranks");
  Merged merged{std::vector<std::uint32_t>(c.lanes.size()),
                std::vector<std::uint32_t>(c.tracks.size())};
  Poll poll(task);
  mergeLanesInto(merged.lane, c, poll);
  IdTable table;
  for (std::uint32_t i = 0; i < c.tracks.size() && !poll.stop(); ++i) {
    RawTrack& track = c.tracks[i];
    track.lane = merged.lane[track.lane];
    const std::uint64_t hash = hashOfTrack(track.lane, track.kind, track.counterName);
    merged.track[i] = table.findOrAdd(hash, i, [&](std::uint32_t j) {
      const RawTrack& other = c.tracks[j];
      return other.lane == track.lane && other.kind == track.kind &&
             other.counterName == track.counterName;
    });
  }
  return merged;
}

}  // namespace ridgeline::build
