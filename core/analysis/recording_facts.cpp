#include "core/analysis/recording_facts.h"

#include <algorithm>
#include <map>

#include "core/workload/host_activity.h"

namespace ridgeline {

namespace {

void first(SliceId& place, SliceId s) {
  if (!place.valid()) place = s;
}

bool wholeMicroseconds(const SliceTable& s, TimeNs origin) {
  if (s.size() < 100) return false;
  for (std::size_t i = 0; i < s.size(); ++i)
    if ((s.start[i] + origin) % 1000 != 0 || s.end[i] % 1000 != s.start[i] % 1000) return false;
  return true;
}

/// Whether a slice stands there twice: same lane, times, name, category and numbers. Copies nest in
/// each other, so the other one is a few depths up at most, behind what has the same times, too.
bool isDuplicate(const Trace& trace, SliceId id) {
  constexpr int kSameTimes = 16;
  const SliceTable& s = trace.slices();
  const TimeSpan span = s.span(id);
  SliceId other = s.parent[id.index()];
  for (int i = 0; i < kSameTimes && other.valid() && s.span(other) == span; ++i) {
    if (s.name[other.index()] == s.name[id.index()] &&
        s.categoryText[other.index()] == s.categoryText[id.index()] &&
        s.correlation.get(other) == s.correlation.get(id) &&
        s.externalId.get(other) == s.externalId.get(id))
      return true;
    other = s.parent[other.index()];
  }
  return false;
}

/// Not of frames: a function that calls itself may well take the same whole microseconds.
void lookForDuplicates(const Trace& trace, RecordingFacts& facts) {
  const SliceTable& s = trace.slices();
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.category[i] == Category::pythonFunction || s.end[i] == s.start[i]) continue;
    ++facts.judged;
    if (!s.parent[i].valid() || !isDuplicate(trace, SliceId(i))) continue;
    ++facts.duplicates;
    facts.deviceDuplicates += isDeviceWork(s.category[i]);
    first(facts.firstDuplicate, SliceId(i));
  }
}

bool isHost(Category c) {
  return c == Category::cpuOp || c == Category::runtime || c == Category::pythonFunction ||
         c == Category::userAnnotation;
}

void lookAtHost(const Trace& trace, SliceId id, TimeSpan& host, RecordingFacts& facts) {
  const SliceTable& s = trace.slices();
  const Category c = s.category[id.index()];
  facts.shapes = facts.shapes || s.shape[id.index()].valid();
  facts.ops = facts.ops || c == Category::cpuOp;
  facts.stacks = facts.stacks || c == Category::pythonFunction;
  facts.sync = facts.sync || c == Category::sync;
  if (!facts.streamWaits && c == Category::runtime) {
    facts.streamWaits = trace.name(id).find("StreamWaitEvent") != std::string_view::npos;
    facts.hipWaits = facts.streamWaits && trace.name(id).starts_with("hip");
  }
  if (!isHost(c)) return;
  const TimeSpan span = s.span(id);
  host = host.empty() ? span
                      : TimeSpan{std::min(host.begin, span.begin), std::max(host.end, span.end)};
  if (!trace.rowOf(id).spill || trace.track(trace.trackOf(id)).kind != TrackKind::thread) return;
  ++facts.hostSpill;
  first(facts.firstHostSpill, id);
}

}  // namespace

RecordingFacts recordingFacts(const Trace& trace) {
  const SliceTable& s = trace.slices();
  RecordingFacts facts;
  TimeSpan host;
  const HostActivities activities(trace);
  std::vector<bool> launched(s.size(), false);
  for (std::size_t i = 0; i < s.size(); ++i) {
    const SliceId id(i);
    if (!isDeviceWork(s.category[i])) {
      lookAtHost(trace, id, host, facts);
      continue;
    }
    ++facts.deviceEvents;
    if (const SliceId call = trace.launchOf(id); call.valid()) launched[call.index()] = true;
    if (s.duration(id) == 0) {
      ++facts.zeroDevice;
      first(facts.firstZero, id);
    }
    if (trace.rowOf(id).depth > 0 || trace.rowOf(id).spill) {
      ++facts.streamSpill;
      first(facts.firstStreamSpill, id);
    }
  }
  facts.hostLength = host.length();
  for (std::size_t i = 0; i < s.size(); ++i) {
    const SliceId id(i);
    if (isDeviceWork(s.category[i]) && facts.ops && s.duration(id) > facts.hostLength) {
      ++facts.impossible;
      first(facts.firstImpossible, id);
    }
    if (s.category[i] != Category::runtime || activities.of(id) != HostActivity::launchCall)
      continue;
    const SliceId parent = s.parent[i];
    if (parent.valid() && s.category[parent.index()] == Category::runtime) continue;
    ++facts.launchCalls;
    if (launched[i]) continue;
    ++facts.launchesWithoutWork;
    first(facts.firstLost, id);
  }
  lookForDuplicates(trace, facts);
  facts.wholeMicroseconds = wholeMicroseconds(s, trace.origin());
  return facts;
}

StepKinds stepKinds(const Workload& w) {
  const Trace& trace = *w.trace;
  const SliceTable& s = trace.slices();
  const std::vector<std::size_t> steady = w.steps.steadyIndices();
  if (trace.shapes().empty() || steady.size() < 2) return {};
  std::vector<TimeSpan> hosts;
  for (const std::size_t k : steady) hosts.push_back(w.steps.steps[k].host);
  std::sort(hosts.begin(), hosts.end(),
            [](const TimeSpan& a, const TimeSpan& b) { return a.begin < b.begin; });
  // A sum of mixed bits does not depend on the order, and counts repetitions.
  std::map<std::size_t, std::uint64_t> hashes;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (!s.shape[i].valid()) continue;
    const auto after =
        std::upper_bound(hosts.begin(), hosts.end(), s.start[i],
                         [](TimeNs t, const TimeSpan& host) { return t < host.begin; });
    if (after == hosts.begin() || !std::prev(after)->contains(s.start[i])) continue;
    std::uint64_t x = (std::uint64_t{s.name[i].value} << 32) ^ s.shape[i].value;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    hashes[static_cast<std::size_t>(after - hosts.begin())] += x ^ (x >> 31);
  }
  std::map<std::uint64_t, std::uint64_t> counts;
  StepKinds kinds;
  for (const auto& [k, hash] : hashes) {
    ++kinds.steps;
    kinds.most = std::max(kinds.most, ++counts[hash]);
  }
  kinds.kinds = counts.size();
  return kinds;
}

}  // namespace ridgeline
