#include "core/analysis/bounds.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/analysis/missing_work.h"

namespace ridgeline {

namespace {

/// What a device's points need at least, in ns over the whole window.
struct Needs {
  double compute = 0;
  double memory = 0;
  double flops = 0, bytes = 0;
  bool hasCompute = false;
  TimeNs known = 0;                 ///< kernel time whose FLOPs and bytes are known
  TimeNs all = 0;                   ///< kernel time
  std::set<std::string> uncertain;  ///< why the work of some points is only bounded from above
};

Needs needsOf(const Roofline& roofline, DeviceId device) {
  Needs needs;
  for (const RooflinePoint& p : roofline.points) {
    if (p.device != device) continue;
    if (p.kernelClass == KernelClass::collective) continue;
    needs.all += p.time;
    if (!p.flops || !p.bytes) continue;
    if (p.upperBound) {
      needs.uncertain.insert(p.missing.begin(), p.missing.end());
      if (p.missing.empty())
        needs.uncertain.insert("lengths behind masks and ragged batches, which shapes do not tell");
      continue;
    }
    needs.known += p.time;
    const auto calls = static_cast<double>(p.calls);
    needs.flops += *p.flops * calls;
    needs.bytes += *p.bytes * calls;
    // Where the model asks for more than was measured (data from cache, Winograd), the measured
    // time is what a lower bound may claim.
    const auto measured = static_cast<double>(p.time);
    if (p.computeTime) needs.compute += std::min(measured, *p.computeTime * calls * 1e9);
    if (p.memoryTime) needs.memory += std::min(measured, *p.memoryTime * calls * 1e9);
    needs.hasCompute = needs.hasCompute || p.computeTime.has_value();
  }
  return needs;
}

/// T_communication of a step; calls whose least time is not known count for nothing.
void addCommunication(const Collectives& collectives, double spans, Bounds& b) {
  for (const CommunicationBound& bound : collectives.bounds) {
    if (bound.device != b.device) continue;
    if (bound.known < bound.total)
      b.missing.push_back(
          "measured bandwidth of the collectives: " +
          (collectives.unusedTable.empty()
               ? "give the output of nccl-tests or rccl-tests, or a table (--collectives)"
               : collectives.unusedTable));
    if (bound.known == 0) return;
    b.communication = std::min(
        b.measured, static_cast<TimeNs>(std::llround(static_cast<double>(bound.least) / spans)));
    b.communicationFrom = bound.from;
    return;
  }
  b.communication = 0;
}

}  // namespace

// An absent bound is below every other one.
std::optional<TimeNs> Bounds::deviceFloor() const {
  return std::max(compute, memory);
}

std::optional<TimeNs> Bounds::floor() const {
  const auto largest = std::max(deviceFloor(), communication);
  return largest > TimeNs{0} ? largest : std::nullopt;
}

std::string_view Bounds::floorName() const {
  const auto largest = floor();
  if (!largest) return "";
  if (compute == largest) return "compute";
  return memory == largest ? "memory" : "communication";
}

std::vector<Bounds> bounds(const Workload& w, const Roofline& roofline, const DeviceTimes& times,
                           const Collectives& collectives) {
  std::vector<Bounds> all;
  const auto spans = static_cast<double>(std::max<std::size_t>(1, roofline.window.spans.size()));
  for (const DeviceTime& time : times.devices) {
    Bounds b;
    b.device = time.device;
    b.measured = static_cast<TimeNs>(std::llround(static_cast<double>(time.span) / spans));
    const Needs needs = needsOf(roofline, time.device);
    b.coverage =
        needs.all > 0 ? static_cast<double>(needs.known) / static_cast<double>(needs.all) : 0;
    b.flops = needs.flops / spans;
    b.bytes = needs.bytes / spans;
    if (w.specOf(time.device) == nullptr) {
      b.missing.push_back(w.peaks[time.device.index()].match.missing());
    } else if (needs.known == 0) {
      b.missing.push_back(missingShapes(w));
    } else {
      // Streams side by side can be counted for more than the step took; no bound is.
      const auto aStep = [&](double ns) {
        return std::min(b.measured, static_cast<TimeNs>(std::llround(ns / spans)));
      };
      if (needs.hasCompute)
        b.compute = aStep(needs.compute);
      else
        b.missing.push_back("the peak of this device for the types in use");
      if (w.specOf(time.device)->memoryBandwidth)
        b.memory = aStep(needs.memory);
      else
        b.missing.push_back("the memory bandwidth of this device");
    }
    b.missing.insert(b.missing.end(), needs.uncertain.begin(), needs.uncertain.end());
    addCommunication(collectives, spans, b);
    all.push_back(std::move(b));
  }
  return all;
}

}  // namespace ridgeline
