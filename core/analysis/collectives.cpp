#include "core/analysis/collectives.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/analysis/exposure.h"

namespace ridgeline {

namespace {

/// Calls that should take the same time: kind, ranks (0: unknown), bytes (0: unknown).
using Key = std::tuple<std::string, int, double>;

Key keyOf(const CollectiveCall& call) {
  return {call.kind, call.ranks.value_or(0), call.bytes.value_or(0)};
}

struct Best {
  TimeNs shortest = 0;
  std::size_t calls = 0;
};

/// The shortest call of each key in the whole trace.
std::map<Key, Best> bestOf(const Workload& w, const std::vector<CollectiveCall>& calls) {
  std::map<Key, Best> best;
  for (const CollectiveCall& call : calls) {
    if (!call.bytes) continue;
    Best& b = best[keyOf(call)];
    const TimeNs duration = w.trace->slices().duration(call.kernel);
    b.shortest = b.calls++ == 0 ? duration : std::min(b.shortest, duration);
  }
  return best;
}

bool inWindow(const AnalysisWindow& window, TimeNs t) {
  const auto after =
      std::upper_bound(window.spans.begin(), window.spans.end(), t,
                       [](TimeNs time, const TimeSpan& span) { return time < span.begin; });
  return after != window.spans.begin() && t < (after - 1)->end;
}

void setLeast(const Workload& w, const std::map<Key, Best>& best, CollectiveGroup& group) {
  if (group.bytes && group.ranks && w.settings.collectives) {
    if (const CollectiveFit* fit = w.settings.collectives->find(group.kind, *group.ranks)) {
      group.least = static_cast<TimeNs>(std::llround(fit->seconds(*group.bytes) * 1e9));
      group.leastFrom = "measured by you: " + std::to_string(fit->ranks) + " ranks, " +
                        std::to_string(fit->samples) + " sizes";
      if (*group.bytes < fit->smallest || *group.bytes > fit->largest)
        group.leastFrom += ", extrapolated";
      group.leastMeasured = true;
      return;
    }
  }
  const auto found = best.find({group.kind, group.ranks.value_or(0), group.bytes.value_or(0)});
  if (found == best.end() || found->second.calls < 2) return;
  group.least = found->second.shortest;
  group.leastFrom = "the shortest of " + std::to_string(found->second.calls) + " in this trace";
}

void finish(CollectiveGroup& group, std::vector<TimeNs>& durations) {
  std::sort(durations.begin(), durations.end());
  group.shortest = durations.front();
  group.longest = durations.back();
  group.median = durations[(durations.size() - 1) / 2];
  if (!group.bytes || group.median <= 0) return;
  group.algorithmBandwidth = *group.bytes / (static_cast<double>(group.median) * 1e-9);
  if (group.ranks)
    group.busBandwidth = *group.algorithmBandwidth * busFactor(group.kind, *group.ranks);
}

std::string sourcesOf(const std::set<std::string>& sources, TimeNs known, TimeNs total) {
  if (sources.empty()) return {};
  std::string text;
  for (const std::string& source : sources) text += (text.empty() ? "" : " and ") + source;
  if (known < total) text += "; the rest is not known";
  return text;
}

std::vector<CommunicationBound> boundsOf(const Workload& w,
                                         const std::vector<CollectiveGroup>& groups) {
  std::map<DeviceId, CommunicationBound> bounds;
  std::map<DeviceId, std::set<std::string>> sources;
  // Those of one stream follow each other; those of several may run side by side, on other links,
  // so that their sum is no bound.
  std::map<TrackId, TimeNs> ofStream;
  const SliceTable& s = w.trace->slices();
  for (const CollectiveGroup& group : groups) {
    CommunicationBound& b = bounds[group.device];
    b.device = group.device;
    b.total += group.total;
    b.exposed += group.exposed;
    if (!group.least) continue;
    b.known += group.total;
    // A call may beat what was measured elsewhere; then its own time is the bound.
    for (const SliceId slice : group.slices) {
      TimeNs& sum = ofStream[w.trace->trackOf(slice)];
      sum += std::min(*group.least, s.duration(slice));
      b.least = std::max(b.least, sum);
    }
    sources[group.device].insert(group.leastMeasured
                                     ? "the bandwidth that you measured"
                                     : "the shortest call of each size in this trace");
  }
  std::vector<CommunicationBound> all;
  for (auto& [device, bound] : bounds) {
    bound.from = sourcesOf(sources[device], bound.known, bound.total);
    all.push_back(std::move(bound));
  }
  return all;
}

/// Fits over the shortest call of each size: what waiting adds is then least.
std::vector<CollectiveFit> fitsOf(const std::map<Key, Best>& best) {
  std::vector<CollectiveSample> samples;
  for (const auto& [key, b] : best) {
    const auto& [kind, ranks, bytes] = key;
    if (ranks > 1 && bytes > 0 && b.shortest > 0 && kind != "generic")
      samples.push_back({kind, ranks, bytes, static_cast<double>(b.shortest) * 1e-9});
  }
  std::vector<CollectiveFit> fits = fitCollectives(samples);
  std::erase_if(fits, [](const CollectiveFit& fit) { return fit.samples < 2; });
  return fits;
}

using KindAndRanks = std::pair<std::string, int>;

/// "all-reduce with 4 ranks, all-gather with 8 ranks".
std::string listOf(const std::set<KindAndRanks>& all) {
  constexpr std::size_t kMostListed = 6;
  std::string text;
  std::size_t listed = 0;
  for (const auto& [kind, ranks] : all) {
    if (listed++ == kMostListed) return text + ", …";
    text.append(text.empty() ? "" : ", ").append(kind).append(" with ");
    text += ranks == 0 ? "an unknown number of ranks" : std::to_string(ranks) + " ranks";
  }
  return text;
}

std::string unusedTable(const Workload& w, const std::vector<CollectiveCall>& calls) {
  if (!w.settings.collectives) return {};
  std::set<KindAndRanks> given, recorded;
  for (const CollectiveFit& fit : w.settings.collectives->fits())
    given.emplace(fit.kind, fit.ranks);
  for (const CollectiveCall& call : calls) {
    const KindAndRanks one(call.kind, call.ranks.value_or(0));
    if (call.bytes && given.count(one) != 0) return {};
    recorded.insert(one);
  }
  const std::string text = "your table of collectives (" + listOf(given) + ") ";
  if (calls.empty()) return text + "is not used, as the recording has no collectives";
  return text + "has none of those in the recording (" + listOf(recorded) + ")";
}

}  // namespace

Collectives collectives(const Workload& w, const AnalysisWindow& window) {
  Collectives result;
  result.window = window;
  const std::vector<CollectiveCall> calls = collectiveCalls(w);
  result.unusedTable = unusedTable(w, calls);
  if (calls.empty()) return result;
  const std::map<Key, Best> best = bestOf(w, calls);
  const Exposure exposure(w);
  const SliceTable& s = w.trace->slices();
  std::map<std::pair<DeviceId, Key>, std::size_t> index;
  std::vector<std::vector<TimeNs>> durations;
  for (const CollectiveCall& call : calls) {
    if (!inWindow(window, s.start[call.kernel.index()])) continue;
    const auto [at, added] =
        index.emplace(std::pair(call.device, keyOf(call)), result.groups.size());
    if (added) {
      CollectiveGroup group;
      group.device = call.device;
      group.kind = call.kind;
      group.ranks = call.ranks;
      group.bytes = call.bytes;
      result.groups.push_back(std::move(group));
      durations.emplace_back();
    }
    CollectiveGroup& group = result.groups[at->second];
    ++group.calls;
    group.total += s.duration(call.kernel);
    group.exposed += exposure.exposedTime(w, call.kernel).value_or(0);
    group.slices.push_back(call.kernel);
    durations[at->second].push_back(s.duration(call.kernel));
  }
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    finish(result.groups[i], durations[i]);
    setLeast(w, best, result.groups[i]);
  }
  std::stable_sort(
      result.groups.begin(), result.groups.end(),
      [](const CollectiveGroup& a, const CollectiveGroup& b) { return a.total > b.total; });
  result.bounds = boundsOf(w, result.groups);
  if (!result.unusedTable.empty())
    for (CommunicationBound& bound : result.bounds)
      bound.from += (bound.from.empty() ? "" : "; ") + result.unusedTable;
  result.fits = fitsOf(best);
  return result;
}

}  // namespace ridgeline
