#include "core/workload/code_loading.h"

#include <algorithm>

#include "core/base/intervals.h"

namespace ridgeline {

namespace {

struct LongLaunch {
  SliceId call;
  DeviceId device;
  std::vector<TimeSpan> busy;  ///< of its device, clipped to the call
};

DeviceId deviceOf(const Trace& trace, SliceId work) {
  return trace.track(trace.trackOf(work)).device;
}

/// Long calls that launch the first event of a name, by start.
std::vector<LongLaunch> longFirstLaunches(const Trace& trace) {
  const SliceTable& s = trace.slices();
  std::vector<SliceId> firstOfName(trace.strings().size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.category[i] != Category::kernel) continue;
    SliceId& first = firstOfName[s.name[i].index()];
    if (!first.valid() || s.start[i] < s.start[first.index()]) first = SliceId(i);
  }
  std::vector<LongLaunch> launches;
  for (const SliceId work : firstOfName) {
    if (!work.valid()) continue;
    const SliceId call = trace.launchOf(work);
    if (call.valid() && s.category[call.index()] == Category::runtime &&
        s.duration(call) >= kLoadsCode && trace.name(call).find("Graph") == std::string_view::npos)
      launches.push_back({call, deviceOf(trace, work), {}});
  }
  std::sort(launches.begin(), launches.end(), [&](const LongLaunch& a, const LongLaunch& b) {
    const TimeNs one = s.start[a.call.index()], other = s.start[b.call.index()];
    return one != other ? one < other : a.call < b.call;
  });
  return launches;
}

}  // namespace

std::vector<SliceId> launchesThatLoadCode(const Trace& trace) {
  const SliceTable& s = trace.slices();
  std::vector<LongLaunch> launches = longFirstLaunches(trace);
  if (launches.empty()) return {};
  TimeNs longest = 0;
  for (const LongLaunch& one : launches) longest = std::max(longest, s.duration(one.call));
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (!isDeviceWork(s.category[i])) continue;
    const TimeSpan span = s.span(SliceId(i));
    auto it = std::lower_bound(
        launches.begin(), launches.end(), span.begin - longest,
        [&](const LongLaunch& one, TimeNs t) { return s.start[one.call.index()] < t; });
    for (; it != launches.end() && s.start[it->call.index()] < span.end; ++it) {
      const TimeSpan part = span.clippedTo(s.span(it->call));
      if (!part.empty() && deviceOf(trace, SliceId(i)) == it->device) it->busy.push_back(part);
    }
  }
  std::vector<SliceId> loading;
  for (const LongLaunch& one : launches)
    if (measure(unionOf(one.busy)) * 2 < s.duration(one.call) &&
        (loading.empty() || loading.back() != one.call))
      loading.push_back(one.call);
  return loading;
}

}  // namespace ridgeline
