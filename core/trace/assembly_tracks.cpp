#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "core/trace/trace_assembly.h"

namespace ridgeline::build {

namespace {

/// Host above device above the rest.
int groupOf(const Track& track) {
  switch (track.kind) {
    case TrackKind::thread:
    case TrackKind::async:
      return 0;
    case TrackKind::stream:
    case TrackKind::deviceAnnotation:
    case TrackKind::deviceSync:
      return 1;
    case TrackKind::counter:
      return 2;
    default:
      return 3;
  }
}

std::int64_t sortKey(std::int64_t recorded, std::string_view text) {
  if (recorded != EventArgs::kAbsent) return recorded;
  std::int64_t value = 0;
  bool digits = !text.empty();
  for (const char ch : text) {
    if (ch < '0' || ch > '9' || value > 1'000'000'000'000'000) {
      digits = false;
      break;
    }
    value = value * 10 + (ch - '0');
  }
  return digits ? value : std::numeric_limits<std::int64_t>::max() / 2;
}

/// "XPU 0" → "XPU", "/device:TPU:0" → "TPU"; empty where the text says nothing.
std::string_view deviceKindIn(std::string_view text) {
  if (text.starts_with("/device:")) return text.substr(8, text.find(':', 8) - 8);
  const std::size_t space = text.find(' ');
  if (space != 3 && space != 4) return {};
  for (const char c : text.substr(0, space))
    if (c < 'A' || c > 'Z') return {};
  const std::string_view number = text.substr(space + 1);
  const bool whole =
      !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  return whole ? text.substr(0, space) : std::string_view();
}

}  // namespace

/// Ranges and synchronisation records name no device, only the process of one; merged files give
/// that process any number. They belong to the device whose streams lie in the same process.
void Assembly::adoptDevices(const std::vector<std::uint32_t>& raws) {
  std::map<std::uint32_t, std::set<std::int64_t>> devicesOfProcess;
  for (const std::uint32_t raw : raws)
    if (c_.tracks[raw].kind == TrackKind::stream)
      devicesOfProcess[c_.lanes[c_.tracks[raw].lane].process].insert(c_.tracks[raw].device);
  for (const std::uint32_t raw : raws) {
    RawTrack& track = c_.tracks[raw];
    if (track.kind != TrackKind::deviceAnnotation && track.kind != TrackKind::deviceSync) continue;
    const auto devices = devicesOfProcess.find(c_.lanes[track.lane].process);
    if (devices != devicesOfProcess.end() && devices->second.size() == 1)
      track.device = *devices->second.begin();
  }
}

void Assembly::makeTracks() {
  std::vector<std::uint32_t> raws;
  for (std::uint32_t i = 0; i < c_.tracks.size(); ++i)
    if (merged_.track[i] == i && mine(i)) raws.push_back(i);

  adoptDevices(raws);
  std::map<std::uint32_t, ProcessId> processes;
  const auto processOf = [&](std::uint32_t raw) {
    const auto [it, isNew] = processes.emplace(raw, ProcessId(t_.processes.size()));
    if (isNew) {
      const RawProcess& p = c_.processes[raw];
      t_.processes.push_back({text(p.pid), text(p.name), text(p.labels), p.sortIndex, {}});
    }
    return it->second;
  };
  struct Entry {
    Track track;
    std::uint32_t raw;
  };
  std::vector<Entry> entries;
  for (const std::uint32_t raw : raws) {
    const RawTrack& r = c_.tracks[raw];
    const RawLane& lane = c_.lanes[r.lane];
    Track track;
    track.kind = r.kind;
    track.process = processOf(lane.process);
    track.tid = text(lane.tid);
    track.name = r.counterName.valid() ? text(r.counterName) : text(lane.name);
    track.sortIndex = lane.sortIndex;
    track.stream = r.stream;
    entries.push_back({std::move(track), raw});
  }
  const auto key = [this](const Entry& e) {
    const Process& p = t_.processes[e.track.process.index()];
    const std::int64_t device = c_.tracks[e.raw].device;
    return std::make_tuple(groupOf(e.track), groupOf(e.track) == 1 ? device : 0,
                           sortKey(p.sortIndex, t_.strings.text(p.pid)), e.track.process.value,
                           sortKey(e.track.sortIndex, t_.strings.text(e.track.tid)),
                           static_cast<int>(e.track.kind), e.raw);
  };
  if (!only_) t_.strings = std::move(c_.strings);
  std::sort(entries.begin(), entries.end(),
            [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  trackOfRaw_.assign(c_.tracks.size(), TrackId());
  for (Entry& entry : entries) {
    trackOfRaw_[entry.raw] = TrackId(t_.tracks.size());
    rawTrackOf_.push_back(entry.raw);
    t_.tracks.push_back(std::move(entry.track));
  }
  for (std::uint32_t i = 0; i < c_.tracks.size(); ++i)
    trackOfRaw_[i] = trackOfRaw_[merged_.track[i]];
}

void Assembly::makeDevices() {
  std::map<std::int64_t, std::vector<TrackId>> byOrdinal;
  for (std::size_t i = 0; i < t_.tracks.size(); ++i)
    if (groupOf(t_.tracks[i]) == 1)
      byOrdinal[c_.tracks[rawTrackOf_[i]].device].push_back(TrackId(i));
  for (const auto& [ordinal, tracks] : byOrdinal) {
    const DeviceId id(t_.devices.size());
    Device device;
    bool found = false;
    bool alike = !c_.devices.empty();
    for (const Device& known : c_.devices) {
      if (known.ordinal == ordinal) device = known;
      found = found || known.ordinal == ordinal;
      alike = alike && known.name == c_.devices.front().name;
    }
    // ROCm counts CPU agents into a kernel's device number, not into deviceProperties; where all
    // recorded devices are of one kind it does not matter which one is meant.
    if (!found && alike) device = c_.devices.front();
    device.ordinal = ordinal;
    for (const TrackId trackId : tracks) {
      Track& track = t_.tracks[trackId.index()];
      track.device = id;
      Process& process = t_.processes[track.process.index()];
      process.device = id;
      for (const StringId words : {process.labels, process.name})
        if (words.valid())
          if (const auto kind = deviceKindIn(t_.strings.text(words)); !kind.empty())
            device.kind = kind;
      if (track.kind == TrackKind::stream) device.streams.push_back(trackId);
    }
    t_.devices.push_back(std::move(device));
  }
}

}  // namespace ridgeline::build
