#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

#include "core/base/stable_sort.h"
#include "core/trace/trace_assembly.h"

namespace ridgeline::build {

namespace {

/// Host above device above the rest.
int groupOf(TrackKind kind) {
  switch (kind) {
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

/// "XPU 0" → "XPU", "/device:TPU:0" → "TPU", msprof's "Ascend Hardware" → "NPU"; empty where the
/// text says nothing.
std::string_view deviceKindIn(std::string_view text) {
  if (text == "Ascend Hardware") return "NPU";
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
  struct Known {
    std::int64_t device = EventArgs::kAbsent;
    bool any = false, several = false;
  };
  std::vector<Known> devices(c_.processes.size());
  Poll poll(task_);
  for (const std::uint32_t raw : raws) {
    if (poll.stop()) return;
    const RawTrack& track = c_.tracks[raw];
    if (track.kind != TrackKind::stream) continue;
    Known& known = devices[c_.lanes[track.lane].process];
    known.several = known.several || (known.any && known.device != track.device);
    known.device = track.device;
    known.any = true;
  }
  for (const std::uint32_t raw : raws) {
    if (poll.stop()) return;
    RawTrack& track = c_.tracks[raw];
    if (track.kind != TrackKind::deviceAnnotation && track.kind != TrackKind::deviceSync) continue;
    const Known& known = devices[c_.lanes[track.lane].process];
    if (known.any && !known.several) track.device = known.device;
  }
}

namespace {

/// A track before it has its place, and what decides on that.
struct Candidate {
  std::int64_t device, byProcess, byLane;
  ProcessId process;
  std::uint32_t raw;
  StringId tid, name;
  TrackKind kind;
};

bool standsBefore(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& c) {
    return std::make_tuple(groupOf(c.kind), c.device, c.byProcess, c.process.value, c.byLane,
                           static_cast<int>(c.kind), c.raw);
  };
  return key(a) < key(b);
}

}  // namespace

void Assembly::makeTracks() {
  std::vector<std::uint32_t> raws;
  Poll poll(task_);
  for (std::uint32_t i = 0; i < c_.tracks.size() && !poll.stop(); ++i)
    if (merged_.track[i] == i && mine(i)) raws.push_back(i);
  adoptDevices(raws);
  std::vector<ProcessId> processes(c_.processes.size());
  const auto processOf = [&](std::uint32_t raw) {
    ProcessId& id = processes[raw];
    if (id.valid()) return id;
    const RawProcess& p = c_.processes[raw];
    id = ProcessId(t_.processes.size());
    t_.processes.push_back({text(p.pid), text(p.name), text(p.labels), p.sortIndex, {}});
    return id;
  };
  std::vector<Candidate> candidates;
  candidates.reserve(raws.size());
  for (const std::uint32_t raw : raws) {
    if (poll.stop()) return;
    const RawTrack& r = c_.tracks[raw];
    const RawLane& lane = c_.lanes[r.lane];
    const RawProcess& p = c_.processes[lane.process];
    const ProcessId process = processOf(lane.process);
    const StringId tid = text(lane.tid);
    const StringId name = r.counterName.valid() ? text(r.counterName) : text(lane.name);
    candidates.push_back(
        {groupOf(r.kind) == 1 ? r.device : 0, sortKey(p.sortIndex, c_.strings.text(p.pid)),
         sortKey(lane.sortIndex, c_.strings.text(lane.tid)), process, raw, tid, name, r.kind});
  }
  if (!only_) t_.strings = std::move(c_.strings);
  std::vector<std::uint32_t> order(candidates.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return standsBefore(candidates[a], candidates[b]);
  };
  if (!stableSort(std::span(order), before, task_)) return;
  trackOfRaw_.assign(c_.tracks.size(), TrackId());
  rawTrackOf_.reserve(order.size());
  t_.tracks.reserve(order.size());
  for (const std::uint32_t i : order) {
    if (poll.stop()) return;
    const Candidate& c = candidates[i];
    trackOfRaw_[c.raw] = TrackId(t_.tracks.size());
    rawTrackOf_.push_back(c.raw);
    Track& track = t_.tracks.emplace_back();
    track.kind = c.kind;
    track.process = c.process;
    track.tid = c.tid;
    track.name = c.name;
    track.sortIndex = c_.lanes[c_.tracks[c.raw].lane].sortIndex;
    track.stream = c_.tracks[c.raw].stream;
  }
  for (std::uint32_t i = 0; i < c_.tracks.size() && !poll.stop(); ++i)
    trackOfRaw_[i] = trackOfRaw_[merged_.track[i]];
}

void Assembly::makeDevices() {
  std::vector<std::pair<std::int64_t, TrackId>> byOrdinal;
  Poll poll(task_);
  for (std::size_t i = 0; i < t_.tracks.size() && !poll.stop(); ++i)
    if (groupOf(t_.tracks[i].kind) == 1)
      byOrdinal.emplace_back(c_.tracks[rawTrackOf_[i]].device, TrackId(i));
  if (!stableSort(std::span(byOrdinal), std::less<>(), task_)) return;
  std::vector<const Device*> recorded;  // by ordinal; of several with the same the last counts
  bool alike = !c_.devices.empty();
  for (const Device& device : c_.devices) {
    if (poll.stop()) return;
    recorded.push_back(&device);
    alike = alike && device.name == c_.devices.front().name;
  }
  const auto less = [](const Device* a, const Device* b) { return a->ordinal < b->ordinal; };
  if (!stableSort(std::span(recorded), less, task_)) return;
  for (const auto& [ordinal, trackId] : byOrdinal) {
    if (poll.stop()) return;
    if (t_.devices.empty() || t_.devices.back().ordinal != ordinal)
      addDevice(ordinal, recorded, alike);
    Device& device = t_.devices.back();
    Track& track = t_.tracks[trackId.index()];
    track.device = DeviceId(t_.devices.size() - 1);
    Process& process = t_.processes[track.process.index()];
    process.device = track.device;
    for (const StringId words : {process.labels, process.name})
      if (words.valid())
        if (const auto kind = deviceKindIn(t_.strings.text(words)); !kind.empty())
          device.kind = kind;
    if (track.kind == TrackKind::stream) device.streams.push_back(trackId);
  }
  nameKinds();
}

/// Devices of which no process says what they are: PyTorch's categories do.
void Assembly::nameKinds() {
  std::string_view kind;
  for (const StringId category : c_.categoryTexts) {
    const std::string_view words = t_.strings.text(text(category));
    if (words.starts_with("cuda_")) return;
    if (words.starts_with("mtia_")) kind = "MTIA";
    if (words.starts_with("xpu_")) kind = "XPU";
    if (words.starts_with("privateuse1_")) kind = "device";
  }
  if (kind.empty()) return;
  for (Device& device : t_.devices)
    if (device.kind == Device().kind) device.kind = kind;
}

/// One of the devices that tracks belong to. `recorded`: by ordinal.
void Assembly::addDevice(std::int64_t ordinal, const std::vector<const Device*>& recorded,
                         bool alike) {
  Device device;
  const auto behind =
      std::upper_bound(recorded.begin(), recorded.end(), ordinal,
                       [](std::int64_t o, const Device* known) { return o < known->ordinal; });
  // ROCm counts CPU agents into a kernel's device number, not into deviceProperties; where all
  // recorded devices are of one kind it does not matter which one is meant.
  if (behind != recorded.begin() && behind[-1]->ordinal == ordinal)
    device = *behind[-1];
  else if (alike)
    device = c_.devices.front();
  device.ordinal = ordinal;
  t_.devices.push_back(std::move(device));
}

}  // namespace ridgeline::build
