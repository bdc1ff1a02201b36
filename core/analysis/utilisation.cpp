#include "core/analysis/utilisation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "core/analysis/missing_work.h"

namespace ridgeline {

namespace {

bool isBackwardNode(std::string_view name) {
  return name.starts_with("autograd::engine::evaluate_function") ||
         name.find("Backward") != std::string_view::npos;
}

/// Whether an op of the forward runs again inside the backward. Inside a backward node gradients
/// are not recorded, so its ops have no sequence number of their own; an op that has one, and no
/// forward thread as backward nodes have, is a forward op: activation checkpointing.
bool isRecomputed(const Trace& trace, SliceId op) {
  const SliceTable& s = trace.slices();
  bool forward = false;
  for (SliceId p = op; p.valid(); p = s.parent[p.index()]) {
    if (s.category[p.index()] != Category::cpuOp) continue;
    if (isBackwardNode(trace.name(p))) return forward;
    const auto sequence = s.sequence.get(p);
    const auto thread = s.forwardThread.get(p);
    if (sequence && *sequence >= 0 && (!thread || *thread == 0)) forward = true;
  }
  return false;
}

struct Work {
  double flops = 0, recomputed = 0;
  std::map<std::string, double> byPeak;  ///< FLOPs by the key of the peak they run against
  TimeNs known = 0, all = 0;
};

Work workOf(const Workload& w, const Roofline& roofline, DeviceId device) {
  Work work;
  for (const RooflinePoint& p : roofline.points) {
    if (p.device != device || p.kernelClass == KernelClass::collective) continue;
    work.all += p.time;
    if (!p.flops || p.upperBound) continue;  // HFU claims no more than is known to have run
    work.known += p.time;
    const double flops = *p.flops * static_cast<double>(p.calls);
    work.flops += flops;
    if (!p.peakKey.empty()) work.byPeak[p.peakKey] += flops;
    if (*p.flops <= 0 || p.slices.empty()) continue;
    // Calls of a point differ in where they ran: each is looked at by its first kernel.
    std::uint32_t last = Workload::kNone;
    for (const SliceId slice : p.slices) {
      const std::uint32_t call = w.opCallOf[slice.index()];
      if (call == Workload::kNone || call == last) continue;
      last = call;
      const OpCall& opCall = w.opCalls[call];
      if (opCall.deviceWork.empty() || opCall.deviceWork.front() != slice) continue;
      if (opCall.op.valid() && isRecomputed(*w.trace, opCall.op)) work.recomputed += *p.flops;
    }
  }
  return work;
}

std::string figure(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

void setModel(const ModelWork& model, Utilisation& u) {
  u.modelFlops = usefulFlops(model);
  if (u.modelFlops) {
    u.modelFrom = model.flopsPerStep ? "FLOPs of a step, given by you"
                                     : "6 × " + figure(*model.parameters) + " parameters × " +
                                           figure(*model.tokensPerStep) + " tokens, given by you";
  } else {
    u.missing.push_back(
        "useful FLOPs of a step for MFU: give --model-flops, or --parameters and --tokens of a "
        "step on one device");
  }
}

}  // namespace

std::optional<double> usefulFlops(const ModelWork& model) {
  if (model.flopsPerStep) return model.flopsPerStep;
  if (model.parameters && model.tokensPerStep) return 6 * *model.parameters * *model.tokensPerStep;
  return std::nullopt;
}

std::vector<Utilisation> utilisation(const Workload& w, const Roofline& roofline,
                                     const DeviceTimes& times) {
  std::vector<Utilisation> all;
  const auto spans = static_cast<double>(std::max<std::size_t>(1, roofline.window.spans.size()));
  for (const DeviceTime& time : times.devices) {
    Utilisation u;
    u.device = time.device;
    u.step = static_cast<TimeNs>(std::llround(static_cast<double>(time.span) / spans));
    const Work work = workOf(w, roofline, time.device);
    u.hardwareFlops = work.flops / spans;
    u.recomputedFlops = work.recomputed / spans;
    u.coverage = work.all > 0 ? static_cast<double>(work.known) / static_cast<double>(work.all) : 0;
    double most = 0;
    for (const auto& [key, flops] : work.byPeak)
      if (flops > most) most = flops, u.peakKey = key;
    const DeviceSpec* spec = w.specOf(time.device);
    if (spec != nullptr && !u.peakKey.empty()) u.peak = spec->peak(u.peakKey).value_or(0);
    if (spec == nullptr) {
      u.missing.push_back(w.peaks[time.device.index()].match.missing());
    } else if (u.peak <= 0) {
      u.missing.push_back(missingShapes(w));
    }
    setModel(w.settings.model, u);
    if (u.peak > 0 && u.step > 0) {
      const double possible = u.peak * static_cast<double>(u.step) * 1e-9;
      u.hfu = u.hardwareFlops / possible;
      if (u.modelFlops) u.mfu = *u.modelFlops / possible;
      if (u.mfu.value_or(0) > 1)
        u.missing.push_back(
            "a model's figures that fit this step: MFU is above 100 %, so the useful FLOPs given "
            "cannot be those of one step on one device, or the peak is of another device or type");
    }
    all.push_back(std::move(u));
  }
  return all;
}

}  // namespace ridgeline
