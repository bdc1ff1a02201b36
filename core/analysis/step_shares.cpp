#include "core/analysis/step_shares.h"

#include <algorithm>
#include <array>

#include "core/analysis/device_sweep.h"

namespace ridgeline {

namespace {

using Totals = std::array<StepShares::Share, kStepPartCount>;

StepPart partOf(RooflineBound bound) {
  switch (bound) {
    case RooflineBound::compute:
      return StepPart::compute;
    case RooflineBound::memory:
      return StepPart::memory;
    case RooflineBound::latency:
      return StepPart::latency;
    case RooflineBound::unknown:
      break;
  }
  return StepPart::kernels;
}

bool crossesHost(std::string_view subclass) {
  return subclass == "HtoD" || subclass == "DtoH";
}

/// What each device slice counts as while it has the device.
std::vector<StepPart> partOfSlices(const Workload& w, DeviceId device, const Roofline& roofline) {
  std::vector<StepPart> parts(w.trace->slices().size(), StepPart::kernels);
  for (const RooflinePoint& point : roofline.points)
    if (point.device == device)
      for (const SliceId slice : point.slices) parts[slice.index()] = partOf(point.bound);
  for (const SliceId slice : w.deviceWorkOf[device.index()]) {
    const WorkRank rank = workRank(w, slice);
    if (rank == WorkRank::communication)
      parts[slice.index()] = StepPart::collectives;
    else if (rank == WorkRank::copy && crossesHost(w.label(slice).subclass))
      parts[slice.index()] = StepPart::hostCopies;
    else if (rank != WorkRank::compute)
      parts[slice.index()] = StepPart::otherCopies;
  }
  return parts;
}

const DeviceTime* busiest(const DeviceTimes& times) {
  const DeviceTime* best = nullptr;
  for (const DeviceTime& time : times.devices)
    if (time.busy > 0 && (best == nullptr || time.busy > best->busy)) best = &time;
  return best;
}

void addWork(const Workload& w, const DeviceTimes& times, DeviceId device, const Roofline& roofline,
             Totals& totals) {
  const SliceTable& slices = w.trace->slices();
  const WorkInTime work(slices, w.deviceWorkOf[device.index()]);
  const std::vector<StepPart> parts = partOfSlices(w, device, roofline);
  for (const TimeSpan& span : times.window.spans)
    sweepWork(w, work, span, [&](SliceId slice, TimeSpan piece) {
      StepShares::Share& share = totals[static_cast<std::size_t>(parts[slice.index()])];
      share.time += piece.length();
      if (!share.example.valid() ||
          slices.span(slice).length() > slices.span(share.example).length())
        share.example = slice;
    });
}

void addIdle(const IdleGaps& gaps, DeviceId device, Totals& totals) {
  for (const IdleGap& gap : gaps.gaps) {
    if (gap.device != device) continue;
    StepShares::Share& share = totals[static_cast<std::size_t>(partOf(gap.cause))];
    share.time += gap.span.length();
    if (gap.span.length() > share.longest.length()) share.longest = gap.span;
  }
}

struct PartText {
  std::string_view word, title, explanation;
};

PartText textOf(StepPart part) {
  switch (part) {
    case StepPart::compute:
      return {"compute", "compute-bound kernels",
              "Kernels that the roofline finds bound by arithmetic."};
    case StepPart::memory:
      return {"memory", "memory-bound kernels",
              "Kernels that the roofline finds bound by the device's memory."};
    case StepPart::latency:
      return {"latency", "latency-bound kernels",
              "Kernels far below both roofs: too short or too small to fill the device."};
    case StepPart::kernels:
      return {"kernels", "kernels of unknown work",
              "Kernels whose FLOPs or bytes are not known, so that no roof can be named: the "
              "roofline says what is missing."};
    case StepPart::collectives:
      return {"collectives", "exposed collectives", "Collectives while no other kernel runs."};
    case StepPart::hostCopies:
      return {"host_copies", "exposed copies between host and device",
              "Copies to or from the host while no kernel and no collective runs."};
    case StepPart::otherCopies:
      return {"other_copies", "other exposed copies and sets",
              "Copies within or between devices, and sets, while nothing else runs."};
    case StepPart::input:
      return {"input", "idle: waiting for input", "The device is idle while data is loaded."};
    case StepPart::host:
      return {"host", "idle: the host blocks",
              "The device is idle during synchronising calls, allocation, compiling, loading or "
              "the profiler's own work."};
    case StepPart::launch:
      return {"launch", "idle: waiting for launches",
              "The device is idle because the host hands over work too slowly: operators, Python, "
              "nothing recorded, or the latency between kernels queued in time."};
    case StepPart::waiting:
      return {"waiting", "idle: waiting for others",
              "The device is idle for a collective or because the host waits for other processes."};
    case StepPart::unexplained:
      return {"unexplained", "idle: unexplained",
              "The device is idle and the recording does not say why, or it lies outside the "
              "recording of the device."};
  }
  return {};
}

}  // namespace

std::string_view word(StepPart part) {
  return textOf(part).word;
}
std::string_view title(StepPart part) {
  return textOf(part).title;
}
std::string_view explanation(StepPart part) {
  return textOf(part).explanation;
}

StepPart partOf(GapCause cause) {
  switch (cause) {
    case GapCause::input:
      return StepPart::input;
    case GapCause::hostSync:
    case GapCause::allocation:
    case GapCause::compileLoad:
    case GapCause::profiler:
      return StepPart::host;
    case GapCause::launch:
    case GapCause::python:
    case GapCause::hostIdle:
    case GapCause::launchLatency:
      return StepPart::launch;
    case GapCause::collective:
    case GapCause::otherRank:
      return StepPart::waiting;
    case GapCause::otherStream:
    case GapCause::outsideCapture:
    case GapCause::deviceWait:
    case GapCause::unknown:
      break;
  }
  return StepPart::unexplained;
}

TimeNs StepShares::of(StepPart part) const {
  for (const Share& one : shares)
    if (one.part == part) return one.time;
  return 0;
}

double StepShares::share(const Share& one) const {
  return window > 0 ? static_cast<double>(one.time) / static_cast<double>(window) : 0;
}

StepShares stepShares(const Workload& w, const DeviceTimes& times, const IdleGaps& gaps,
                      const Roofline& roofline) {
  StepShares r;
  const DeviceTime* device = busiest(times);
  if (device == nullptr || times.window.spans.empty()) return r;
  r.device = device->device;
  r.window = device->span;
  Totals totals;
  addWork(w, times, r.device, roofline, totals);
  addIdle(gaps, r.device, totals);
  // Each mean is the difference of two rounded sums, so that the means sum to the mean step.
  const auto spans = static_cast<TimeNs>(times.window.spans.size());
  TimeNs before = 0;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    StepShares::Share share = totals[i];
    if (share.time == 0) continue;
    share.part = static_cast<StepPart>(i);
    share.perStep = (before + share.time) / spans - before / spans;
    before += share.time;
    r.shares.push_back(share);
  }
  r.step = r.window / spans;
  return r;
}

}  // namespace ridgeline
