#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/analysis/device_time.h"
#include "core/workload/host_activity.h"
#include "core/workload/workload.h"

namespace ridgeline::test::kineto {

/// Where the time of a step went by the TensorBoard plugin of kineto, ns: each instant belongs to
/// the first of these that runs at it.
struct StepCosts {
  TimeNs kernel = 0, memcpy = 0, memset = 0, communication = 0, runtime = 0, dataLoader = 0,
         cpu = 0, other = 0, total = 0;
};

/// The plugin's own extent of steps, from ours: a step ends with its annotation or its last device
/// work, whichever is later, and begins with its annotation or the end of the step before it,
/// whichever is later.
inline std::vector<TimeSpan> extents(const Workload& w) {
  std::vector<TimeSpan> out;
  for (const Step& step : w.steps.steps) {
    TimeSpan span = step.host;
    if (!out.empty()) span.begin = std::max(span.begin, out.back().end);
    if (!step.device.empty()) span.end = std::max(span.end, step.device.end);
    out.push_back(span);
  }
  return out;
}

template <class Keep>
Intervals hostTime(const Trace& trace, Keep&& keep) {
  std::vector<TimeSpan> spans;
  for (std::size_t i = 0; i < trace.slices().size(); ++i)
    if (keep(SliceId(i))) spans.push_back(trace.slices().span(SliceId(i)));
  return unionOf(std::move(spans));
}

inline bool isStepMark(const Trace& trace, SliceId s) {
  return trace.name(s).rfind("ProfilerStep", 0) == 0;
}

/// Device parts are projections of our sweep (it puts collectives before copies, the plugin after
/// them: the same where the two do not overlap); host parts are what of the host lies beside them.
inline StepCosts costsOf(const Workload& w, TimeSpan span) {
  const Trace& trace = *w.trace;
  const DeviceTime device = deviceTimes(w, spanWindow(span)).devices.front();
  const auto exclusive = [&](KernelClass c) {
    return device.byClassExclusive[static_cast<std::size_t>(c)];
  };
  StepCosts out;
  out.total = span.length();
  out.kernel = device.compute;
  out.communication = device.exposedCommunication;
  out.memcpy = exclusive(KernelClass::memcpy);
  out.memset = exclusive(KernelClass::memset);
  const auto category = [&](SliceId s) { return trace.slices().category[s.index()]; };
  const auto loads = [&](SliceId s) {
    return hostActivityOf(category(s), trace.name(s)) == HostActivity::input;
  };
  Intervals rest = difference(Intervals{span}, device.busyIntervals);
  const auto take = [&](const Intervals& part) {
    const TimeNs before = measure(rest);
    rest = difference(rest, part);
    return before - measure(rest);
  };
  out.runtime = take(hostTime(trace, [&](SliceId s) { return category(s) == Category::runtime; }));
  out.dataLoader = take(hostTime(trace, loads));
  out.cpu = take(hostTime(trace, [&](SliceId s) {
    return category(s) == Category::cpuOp && !isStepMark(trace, s) && !loads(s);
  }));
  out.other = measure(rest);
  return out;
}

/// One row of the plugin's table of operators, ns.
struct OpTimes {
  std::size_t calls = 0;
  TimeNs deviceSelf = 0, deviceTotal = 0, hostSelf = 0, hostTotal = 0;
};

/// By name; self times are without what runs in calls and ops one level below.
inline std::map<std::string, OpTimes> opTable(const Workload& w) {
  std::map<std::string, OpTimes> out;
  const Trace& trace = *w.trace;
  const SliceTable& s = trace.slices();
  const auto isOp = [&](SliceId id) {
    return id.valid() && s.category[id.index()] == Category::cpuOp && !isStepMark(trace, id);
  };
  for (std::size_t i = 0; i < s.size(); ++i) {
    const SliceId id(i);
    const bool op = isOp(id);
    if (!op && s.category[i] != Category::runtime) continue;
    if (op) {
      OpTimes& row = out[std::string(trace.name(id))];
      ++row.calls;
      row.hostTotal += s.duration(id);
      row.hostSelf += s.duration(id);
    }
    if (isOp(s.parent[i])) out[std::string(trace.name(s.parent[i]))].hostSelf -= s.duration(id);
  }
  for (const SliceId work : w.deviceWork) {
    const SliceId owner = w.opOf[work.index()];
    for (SliceId at = owner; at.valid(); at = s.parent[at.index()]) {
      if (!isOp(at)) continue;
      OpTimes& row = out[std::string(trace.name(at))];
      if (at == owner) row.deviceSelf += s.duration(work);
      row.deviceTotal += s.duration(work);
    }
  }
  return out;
}

}  // namespace ridgeline::test::kineto
