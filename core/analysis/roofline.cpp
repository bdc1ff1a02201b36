#include "core/analysis/roofline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "core/base/intervals.h"

namespace ridgeline {

namespace {

/// Below a quarter of its roof and shorter than this a kernel's fixed cost decides, not the work.
constexpr double kLatencyShareOfRoof = 0.25;
constexpr TimeNs kLatencyKernel = 10'000;
/// More than this above the roof is said to the user (ANALYSIS 3: TraceLens' 110 %).
constexpr double kAboveRoof = 1.10;

/// The key of DeviceSpec peaks for an element type; empty where arithmetic has no published peak.
std::string_view peakDType(DType type) {
  switch (type) {
    case DType::Float64:
    case DType::ComplexDouble:
      return "fp64";
    case DType::Float32:
    case DType::ComplexFloat:
      return "fp32";
    case DType::Float16:
    case DType::ComplexHalf:
      return "fp16";
    case DType::BFloat16:
      return "bf16";
    case DType::Float8E4M3:
    case DType::Float8E5M2:
    case DType::Float8E8M0:
      return "fp8";
    case DType::Float4x2:
      return "fp4";
    case DType::Int8:
    case DType::UInt8:
      return "int8";
    default:
      return {};
  }
}

/// Matrix units do the op's arithmetic if its kernels' names say so. Where they say nothing, narrow
/// types do (no library multiplies them elsewhere) and fp32 and fp64 do not (ANALYSIS 3).
bool usesMatrixUnit(const OpCost& cost, MatrixUnit byName) {
  if (!cost.matrixOp || byName == MatrixUnit::no) return false;
  if (byName == MatrixUnit::yes) return true;
  const std::string_view key = peakDType(cost.computeType);
  return key != "fp32" && key != "fp64" && !key.empty();
}

std::string withPrefix(double value, const char* unit) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  int i = 0;
  while (value >= 999.5 && i < 5) {
    value /= 1000;
    ++i;
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.3g %s%s", value, kPrefixes[i], unit);
  return text;
}

class RooflineMaker {
 public:
  RooflineMaker(const Workload& w, const AnalysisWindow& window) : w_(w) { r_.window = window; }

  Roofline run() {
    for (const OpCall& call : w_.opCalls) add(call);
    for (RooflinePoint& point : r_.points) place(point);
    std::sort(r_.points.begin(), r_.points.end(), [](const auto& a, const auto& b) {
      return a.time != b.time ? a.time > b.time : std::tie(a.op, a.shape) < std::tie(b.op, b.shape);
    });
    summarise();
    makeRoofs();
    return std::move(r_);
  }

 private:
  void add(const OpCall& call);
  void nameMissing(const OpCall& call, SliceId longest, RooflinePoint& point) const;
  void place(RooflinePoint& point) const;
  void summarise();
  void makeRoofs();
  [[nodiscard]] bool inWindow(TimeNs t) const {
    const auto& spans = r_.window.spans;
    const auto it = std::partition_point(spans.begin(), spans.end(),
                                         [t](const TimeSpan& s) { return s.end <= t; });
    return it != spans.end() && it->begin <= t;
  }

  const Workload& w_;
  Roofline r_;
  std::map<std::tuple<std::uint32_t, std::string_view, std::string, int, bool, bool>, std::size_t>
      pointOf_;
};

void RooflineMaker::nameMissing(const OpCall& call, SliceId longest, RooflinePoint& point) const {
  if (point.kernelClass == KernelClass::collective) {
    point.missing.push_back("communication: bound by links, not by a roofline");
  } else if (!call.op.valid()) {
    point.missing.push_back(w_.trace->launchOf(longest).valid()
                                ? "no operator was recorded around its launch"
                                : "its launch is not in the recording, so its operator is unknown");
  } else {
    point.missing = w_.costOf(call)->missing;
  }
}

void RooflineMaker::add(const OpCall& call) {
  const SliceTable& s = w_.trace->slices();
  if (call.deviceWork.empty() || !inWindow(s.start[call.deviceWork.front().index()])) return;
  std::vector<TimeSpan> spans;
  SliceId longest;
  for (const SliceId id : call.deviceWork) {
    if (s.category[id.index()] != Category::kernel) continue;
    spans.push_back(s.span(id));
    if (!longest.valid() || s.duration(id) > s.duration(longest)) longest = id;
  }
  if (!longest.valid()) return;  // copies and sets alone: not work on a roofline
  const OpCost& cost = *w_.costOf(call);
  const KernelLabel& label = w_.label(longest);
  const bool matrix = usesMatrixUnit(cost, label.matrixUnit);
  const bool collective = label.kernelClass == KernelClass::collective;
  const std::string_view op = call.op.valid() ? w_.trace->name(call.op) : w_.trace->name(longest);
  const DeviceId device = w_.trace->track(w_.trace->trackOf(longest)).device;
  const auto [it, isNew] =
      pointOf_.try_emplace({device.value, op, call.op.valid() ? cost.shape : std::string(),
                            static_cast<int>(cost.computeType), matrix, collective},
                           r_.points.size());
  if (isNew) {
    RooflinePoint point;
    point.device = device;
    point.op = op;
    point.shape = call.op.valid() ? cost.shape : std::string();
    point.dtype = name(cost.computeType);
    point.matrixUnit = matrix;
    point.kernelClass = label.kernelClass;
    if (call.op.valid() && !collective) {
      point.flops = cost.flops;
      point.bytes = cost.bytes;
      point.inferred = cost.inferred;
      point.upperBound = cost.upperBound;
      point.formula = cost.formula;
    }
    nameMissing(call, longest, point);
    r_.points.push_back(std::move(point));
  }
  RooflinePoint& point = r_.points[it->second];
  ++point.calls;
  point.time += measure(unionOf(std::move(spans)));
  for (const SliceId id : call.deviceWork)
    if (s.category[id.index()] == Category::kernel) point.slices.push_back(id);
}

void RooflineMaker::place(RooflinePoint& p) const {
  std::sort(p.slices.begin(), p.slices.end());
  if (p.time <= 0) return;
  const double seconds = static_cast<double>(p.time) * 1e-9;
  const auto calls = static_cast<double>(p.calls);
  if (p.flops) p.performance = *p.flops * calls / seconds;
  if (p.bytes) p.bandwidth = *p.bytes * calls / seconds;
  if (p.flops && p.bytes && *p.bytes > 0) p.intensity = *p.flops / *p.bytes;
  if (!p.flops || !p.bytes) return;
  const DeviceSpec* spec = w_.specOf(p.device);
  if (spec == nullptr) {
    p.missing.push_back("peaks of the device: set them in a peaks file");
    return;
  }
  // Integer and index arithmetic has no published peak; what such ops move is bounded all the same.
  DType type = DType::Unknown;
  for (int t = 0; t <= static_cast<int>(DType::ComplexDouble); ++t)
    if (name(static_cast<DType>(t)) == p.dtype) type = static_cast<DType>(t);
  const auto peak = peakFor(*spec, peakDType(type), p.matrixUnit);
  if (*p.flops > 0 && !peak && !peakDType(type).empty())
    p.missing.push_back("the peak of this device for " + p.dtype);
  if (!spec->memoryBandwidth) p.missing.push_back("the memory bandwidth of this device");
  const double computeTime = peak ? *p.flops / *peak : 0;
  const double memoryTime = spec->memoryBandwidth ? *p.bytes / *spec->memoryBandwidth : 0;
  if (computeTime <= 0 && memoryTime <= 0) return;
  const double roofTime = std::max(computeTime, memoryTime);
  if (*p.flops > 0) p.roof = *p.flops / roofTime;
  p.ofRoof = roofTime * calls / seconds;
  p.aboveRoof = *p.ofRoof > kAboveRoof;
  const auto meanKernel = p.time / static_cast<TimeNs>(std::max<std::size_t>(1, p.slices.size()));
  if (*p.ofRoof < kLatencyShareOfRoof && meanKernel < kLatencyKernel)
    p.bound = RooflineBound::latency;
  else
    p.bound = computeTime >= memoryTime ? RooflineBound::compute : RooflineBound::memory;
}

void RooflineMaker::summarise() {
  for (const RooflinePoint& p : r_.points) {
    TimeNs launched = 0;
    for (const SliceId id : p.slices)
      if (w_.trace->launchOf(id).valid()) launched += w_.trace->slices().duration(id);
    r_.launchedTime += launched;
    if (p.flops && p.bytes) r_.placedTime += launched;
    if ((p.flops && p.bytes) || !p.missing.empty()) r_.namedTime += launched;
    switch (p.bound) {
      case RooflineBound::compute:
        r_.computeBound += p.time;
        break;
      case RooflineBound::memory:
        r_.memoryBound += p.time;
        break;
      case RooflineBound::latency:
        r_.latencyBound += p.time;
        break;
      case RooflineBound::unknown:
        r_.unknownBound += p.time;
        break;
    }
  }
}

void RooflineMaker::makeRoofs() {
  for (std::size_t d = 0; d < w_.peaks.size(); ++d) {
    Roofline::PerDevice out;
    out.device = DeviceId(d);
    const DeviceMatch& match = w_.peaks[d].match;
    if (!match.spec) {
      out.why = match.whyNot + (match.todo.empty() ? "" : " " + match.todo);
      r_.devices.push_back(std::move(out));
      continue;
    }
    const DeviceSpec& spec = *match.spec;
    std::set<std::string> keys;
    for (const RooflinePoint& p : r_.points) {
      if (p.device != out.device || !p.flops || *p.flops <= 0) continue;
      for (int t = 0; t <= static_cast<int>(DType::ComplexDouble); ++t)
        if (name(static_cast<DType>(t)) == p.dtype)
          keys.insert(
              std::string(peakKeyFor(spec, peakDType(static_cast<DType>(t)), p.matrixUnit)));
    }
    keys.erase("");
    if (keys.empty() && !spec.peaks.empty())
      keys.insert(std::max_element(spec.peaks.begin(), spec.peaks.end(), [](auto& a, auto& b) {
                    return a.second < b.second;
                  })->first);
    const auto sourceOf = [&](std::string_view key) {
      return std::string(spec.provenance(key)) + ": " + spec.displayName +
             (spec.userKeys.count(std::string(key)) != 0 ? "" : ", " + spec.source);
    };
    for (const std::string& key : keys)
      if (const auto peak = spec.peak(key))
        out.compute.push_back({key + " " + withPrefix(*peak, "FLOP/s"), key, *peak, sourceOf(key)});
    if (spec.memoryBandwidth)
      out.memory = RooflineRoof{"memory " + withPrefix(*spec.memoryBandwidth, "B/s"), "memory",
                                *spec.memoryBandwidth, sourceOf("memoryBandwidth")};
    r_.devices.push_back(std::move(out));
  }
}

}  // namespace

std::string_view word(RooflineBound bound) {
  switch (bound) {
    case RooflineBound::compute:
      return "compute";
    case RooflineBound::memory:
      return "memory";
    case RooflineBound::latency:
      return "latency";
    case RooflineBound::unknown:
      return "unknown";
  }
  return "unknown";
}

Roofline roofline(const Workload& w, const AnalysisWindow& window) {
  return RooflineMaker(w, window).run();
}

}  // namespace ridgeline
