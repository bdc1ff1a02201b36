#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

namespace {

/// Files are merged from hundreds of ranks at most; every further one would cost a pass over all.
constexpr std::size_t kMostRanksInAFile = 1024;

/// By pid: the process that stands for it where an event names no rank (with one rank or none, for
/// all of its events).
std::vector<std::uint32_t> mergeProcesses(Collected& c) {
  std::map<StringId, std::uint32_t> ofPid;
  std::vector<std::uint32_t> canonical(c.processes.size());
  std::iota(canonical.begin(), canonical.end(), 0u);
  for (std::uint32_t i = 0; i < c.processes.size(); ++i)
    if (!c.severalRanks || c.processes[i].rank != kNoRank) ofPid.emplace(c.processes[i].pid, i);
  for (std::uint32_t i = 0; i < c.processes.size(); ++i) {
    const RawProcess& p = c.processes[i];
    if (c.severalRanks && p.rank != kNoRank) continue;
    const auto known = ofPid.find(p.pid);
    if (known == ofPid.end() || known->second == i) continue;
    canonical[i] = known->second;
    RawProcess& to = c.processes[known->second];
    if (p.name.valid()) to.name = p.name;
    if (p.labels.valid()) to.labels = p.labels;
    if (p.sortIndex != EventArgs::kAbsent) to.sortIndex = p.sortIndex;
  }
  return canonical;
}

}  // namespace

Merged mergeLanes(Collected& c) {
  std::set<std::int64_t> ranks;
  for (const RawTrack& track : c.tracks) {
    const std::int64_t rank = c.processes[c.lanes[track.lane].process].rank;
    if (rank != kNoRank) ranks.insert(rank);
  }
  c.severalRanks = ranks.size() > 1 && ranks.size() <= kMostRanksInAFile;
  if (ranks.size() > kMostRanksInAFile)
    c.log.note("too_many_ranks",
               "events name more than 1,024 ranks, so the file was not taken apart by rank", false,
               ImportLog::kNoOffset, std::to_string(ranks.size()) + " ranks");
  Merged merged{std::vector<std::uint32_t>(c.lanes.size()),
                std::vector<std::uint32_t>(c.tracks.size())};
  const std::vector<std::uint32_t> process = mergeProcesses(c);
  std::map<std::pair<std::uint32_t, StringId>, std::uint32_t> laneOf;
  for (std::uint32_t i = 0; i < c.lanes.size(); ++i) {
    RawLane& lane = c.lanes[i];
    lane.process = process[lane.process];
    const auto [it, isNew] = laneOf.emplace(std::make_pair(lane.process, lane.tid), i);
    merged.lane[i] = it->second;
    if (isNew) continue;
    RawLane& to = c.lanes[it->second];
    if (lane.name.valid()) to.name = lane.name;
    if (lane.sortIndex != EventArgs::kAbsent) to.sortIndex = lane.sortIndex;
  }
  std::map<std::tuple<std::uint32_t, TrackKind, StringId>, std::uint32_t> trackOf;
  for (std::uint32_t i = 0; i < c.tracks.size(); ++i) {
    RawTrack& track = c.tracks[i];
    track.lane = merged.lane[track.lane];
    merged.track[i] = trackOf.emplace(std::make_tuple(track.lane, track.kind, track.counterName), i)
                          .first->second;
  }
  return merged;
}

}  // namespace ridgeline::build
