#include "core/analysis/device_time.h"

#include <algorithm>

#include "core/analysis/device_sweep.h"

namespace ridgeline {

namespace {

/// The measure of a union whose spans come in order of their begin.
struct RunningUnion {
  TimeNs measure = 0;
  TimeNs end = 0;

  void startAt(TimeNs begin) { end = begin; }
  void add(TimeSpan span) {
    const TimeNs begin = std::max(span.begin, end);
    if (span.end <= begin) return;
    measure += span.end - begin;
    end = span.end;
  }
};

DeviceTime timeOf(const Workload& w, DeviceId device, const WorkInTime& work,
                  const std::vector<TimeSpan>& spans) {
  const SliceTable& slices = w.trace->slices();
  DeviceTime time;
  time.device = device;
  std::array<RunningUnion, kKernelClassCount> classes;
  RunningUnion compute, communication, memory;
  for (const TimeSpan& span : spans) {
    time.span += span.length();
    for (RunningUnion& u : classes) u.startAt(span.begin);
    for (RunningUnion* u : {&compute, &communication, &memory}) u->startAt(span.begin);
    work.forEachIn(span, [&](SliceId s) {
      const TimeSpan part = slices.span(s).clippedTo(span);
      classes[static_cast<std::size_t>(w.classOf(s))].add(part);
      const WorkRank rank = workRank(w, s);
      (rank == WorkRank::compute         ? compute
       : rank == WorkRank::communication ? communication
                                         : memory)
          .add(part);
    });
    sweepWork(w, work, span, [&](SliceId s, TimeSpan part) {
      const TimeNs length = part.length();
      time.busy += length;
      time.byClassExclusive[static_cast<std::size_t>(w.classOf(s))] += length;
      const WorkRank rank = workRank(w, s);
      if (rank == WorkRank::communication) time.exposedCommunication += length;
      if (rank == WorkRank::copy || rank == WorkRank::fill) time.exposedMemory += length;
      if (!time.busyIntervals.empty() && time.busyIntervals.back().end == part.begin) {
        time.busyIntervals.back().end = part.end;
      } else {
        time.busyIntervals.push_back(part);
      }
    });
  }
  for (std::size_t c = 0; c < classes.size(); ++c) time.byClass[c] = classes[c].measure;
  time.compute = compute.measure;
  time.communication = communication.measure;
  time.memory = memory.measure;
  time.idle = time.span - time.busy;
  time.fill = deviceFill(w, work, spans);
  return time;
}

}  // namespace

DeviceTimes deviceTimes(const Workload& w, const AnalysisWindow& window) {
  DeviceTimes times;
  times.window = window;
  for (std::size_t d = 0; d < w.deviceWorkOf.size(); ++d) {
    const WorkInTime work(w.trace->slices(), w.deviceWorkOf[d]);
    times.devices.push_back(timeOf(w, DeviceId(d), work, window.spans));
  }
  return times;
}

DeviceTime deviceTimeOf(const Workload& w, DeviceId device, std::span<const SliceId> events,
                        const std::vector<TimeSpan>& spans) {
  const SliceTable& slices = w.trace->slices();
  std::vector<SliceId> sorted(events.begin(), events.end());
  std::sort(sorted.begin(), sorted.end(), [&](SliceId a, SliceId b) {
    return slices.start[a.index()] != slices.start[b.index()]
               ? slices.start[a.index()] < slices.start[b.index()]
               : a < b;
  });
  return timeOf(w, device, WorkInTime(slices, sorted), spans);
}

}  // namespace ridgeline
