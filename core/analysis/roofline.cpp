#include "core/analysis/roofline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "core/analysis/achievable_roofs.h"
#include "core/analysis/measured_work.h"
#include "core/base/intervals.h"

namespace ridgeline {

namespace {

/// Below a quarter of its roof and shorter than this a kernel's fixed cost decides, not the work.
constexpr double kLatencyShareOfRoof = 0.25;
constexpr TimeNs kLatencyKernel = 10'000;
/// More than this above the roof is said to the user (ANALYSIS 3: TraceLens' 110 %).
constexpr double kAboveRoof = 1.10;

/// Matrix units do the op's arithmetic if its kernels' names say so. Where they say nothing, narrow
/// types do (no library multiplies them elsewhere) and fp32 and fp64 do not (ANALYSIS 3).
bool usesMatrixUnit(const OpCost& cost, MatrixUnit byName) {
  if (!cost.matrixOp || byName == MatrixUnit::no) return false;
  if (byName == MatrixUnit::yes) return true;
  const std::string_view key = peakDType(cost.computeType);
  return key != "fp32" && key != "fp64" && !key.empty();
}

bool isFloating(std::string_view peakType) {
  return !peakType.empty() && peakType != "int8";
}

/// The key of the peak that bounds an op's arithmetic on this device; empty if there is none.
/// Vector kernels on narrow floats compute in fp32 (ATen's opmath type): where nobody published a
/// narrow vector peak, that of fp32 holds. Whole numbers off the matrix unit have no peak.
std::string_view peakKeyOf(const DeviceSpec& spec, DType type, bool matrixUnit) {
  const std::string_view dtype = peakDType(type);
  const std::string_view key = peakKeyFor(spec, dtype, matrixUnit);
  if (!key.empty() || matrixUnit || !isFloating(dtype) || dtype == "fp64") return key;
  return peakKeyFor(spec, "fp32", false);
}

class RooflineMaker {
 public:
  RooflineMaker(const Workload& w, const AnalysisWindow& window) : w_(w) { r_.window = window; }

  Roofline run() {
    for (const OpCall& call : w_.opCalls) add(call);
    if (w_.settings.counters) takeMeasured();
    const std::vector<RooflinePoint> ofTrace = pointsOfTrace();
    std::erase_if(r_.points, [](const RooflinePoint& p) { return p.calls == 0; });
    for (RooflinePoint& point : r_.points) place(point);
    std::sort(r_.points.begin(), r_.points.end(), [](const auto& a, const auto& b) {
      return a.time != b.time ? a.time > b.time : std::tie(a.op, a.shape) < std::tie(b.op, b.shape);
    });
    makeRoofs();
    addAchievableRoofs(w_, ofTrace, r_);
    summarise();
    return std::move(r_);
  }

 private:
  void add(const OpCall& call);
  [[nodiscard]] std::size_t pointFor(const OpCall& call, SliceId longest, DeviceId device,
                                     bool matrix, bool collective);
  void takeMeasured();
  [[nodiscard]] std::vector<RooflinePoint> pointsOfTrace() const;
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
  Roofline r_;  ///< its points are of the whole trace until pointsOfTrace() has seen them
  struct Whole {
    std::uint64_t calls = 0;
    TimeNs time = 0;
  };
  std::vector<Whole> whole_;  ///< by point: in and out of the window
  /// FLOPs and bytes are part of it: sizes that a record lacks may be inferred per call.
  using Key = std::tuple<std::uint32_t, std::string_view, std::string, DType, bool, bool,
                         std::optional<double>, std::optional<double>>;
  std::map<Key, std::size_t> pointOf_;
  /// The same by numbers alone, so that a million calls compare no texts: device, name, cost,
  /// matrix unit, collective.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool, bool>, std::size_t> known_;
};

void RooflineMaker::add(const OpCall& call) {
  const SliceTable& s = w_.trace->slices();
  if (call.deviceWork.empty()) return;
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
  const DeviceId device = w_.trace->track(w_.trace->trackOf(longest)).device;
  const StringId opName = s.name[(call.op.valid() ? call.op : longest).index()];
  const auto [near, isUnseen] = known_.try_emplace(
      {device.value, opName.value, call.costIndex, matrix, collective}, std::size_t{0});
  if (isUnseen) near->second = pointFor(call, longest, device, matrix, collective);
  const TimeNs time = measure(unionOf(std::move(spans)));
  whole_.resize(r_.points.size());
  ++whole_[near->second].calls;
  whole_[near->second].time += time;
  if (!inWindow(s.start[call.deviceWork.front().index()])) return;
  RooflinePoint& point = r_.points[near->second];
  ++point.calls;
  point.time += time;
  for (const SliceId id : call.deviceWork)
    if (s.category[id.index()] == Category::kernel) point.slices.push_back(id);
}

/// The point of a call's op, shape and arithmetic; a new one where there is none yet.
std::size_t RooflineMaker::pointFor(const OpCall& call, SliceId longest, DeviceId device,
                                    bool matrix, bool collective) {
  const OpCost& cost = *w_.costOf(call);
  const bool counted = (call.op.valid() || cost.byCompiler) && !collective;
  const std::string_view op = w_.trace->name(call.op.valid() ? call.op : longest);
  const Key key{device.value,
                op,
                counted || call.op.valid() ? cost.shape : std::string(),
                cost.computeType,
                matrix,
                collective,
                counted ? cost.flops : std::nullopt,
                counted ? cost.bytes : std::nullopt};
  const auto [it, isNew] = pointOf_.try_emplace(key, r_.points.size());
  if (isNew) {
    RooflinePoint point;
    point.device = device;
    point.example = longest;
    point.op = op;
    point.shape = std::get<2>(key);
    point.dtype = name(cost.computeType);
    point.computeType = cost.computeType;
    point.matrixUnit = matrix;
    point.kernelClass = w_.label(longest).kernelClass;
    if (counted) {
      point.flops = point.computedFlops = cost.flops;
      point.bytes = point.computedBytes = cost.bytes;
      point.inferred = cost.inferred;
      point.upperBound = cost.upperBound;
      point.formula = cost.formula;
    }
    if (collective)
      point.missing.push_back("communication: bound by links, not by a roofline");
    else
      point.missing = cost.missing;
    r_.points.push_back(std::move(point));
  }
  return it->second;
}

void RooflineMaker::takeMeasured() {
  const MeasuredKernels kernels(w_);
  r_.measured = Roofline::Measured{kernels.names(), kernels.sentence(), 0, 0,
                                   !w_.settings.counters->tellsSizes()};
  for (RooflinePoint& point : r_.points) {
    addMeasuredWork(w_, kernels, point);
    if (!point.measured) continue;
    if (point.measured->flops) r_.measured->flopsTime += point.time;
    if (point.measured->bytes) r_.measured->bytesTime += point.time;
  }
}

/// The same points over all their calls, without their slices: what was reached at best.
std::vector<RooflinePoint> RooflineMaker::pointsOfTrace() const {
  std::vector<RooflinePoint> all;
  for (std::size_t i = 0; i < r_.points.size(); ++i) {
    const RooflinePoint& p = r_.points[i];
    if (!p.flops || !p.bytes || p.kernelClass == KernelClass::collective) continue;
    if (whole_[i].time / static_cast<TimeNs>(whole_[i].calls) < kShortestForRoof) continue;
    RooflinePoint whole;
    whole.device = p.device;
    whole.op = p.op;
    whole.shape = p.shape;
    whole.dtype = p.dtype;
    whole.computeType = p.computeType;
    whole.matrixUnit = p.matrixUnit;
    whole.kernelClass = p.kernelClass;
    whole.flops = p.flops;
    whole.bytes = p.bytes;
    whole.measured = p.measured;
    whole.upperBound = p.upperBound;
    whole.example = p.example;
    whole.calls = whole_[i].calls;
    whole.time = whole_[i].time;
    place(whole);
    all.push_back(std::move(whole));
  }
  return all;
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
  p.peakKey = peakKeyOf(*spec, p.computeType, p.matrixUnit);
  const auto peak = spec->peak(p.peakKey);
  const std::string_view arithmetic = peakDType(p.computeType);
  // Arithmetic on whole numbers off the matrix unit has no published peak and never decides.
  const bool needsPeak = *p.flops > 0 && (p.matrixUnit || isFloating(arithmetic));
  if (needsPeak && !peak)
    p.missing.push_back("the peak of this device for " + p.dtype +
                        (p.matrixUnit ? " on matrix units" : ""));
  if (!spec->memoryBandwidth) p.missing.push_back("the memory bandwidth of this device");
  if (peak) p.computeTime = *p.flops / *peak;
  if (spec->memoryBandwidth) p.memoryTime = *p.bytes / *spec->memoryBandwidth;
  // Either time alone would call a point bound by what is known, not by what binds it.
  if ((needsPeak && !peak) || !p.memoryTime) return;
  const double roofTime = std::max(p.computeTime.value_or(0), *p.memoryTime);
  if (roofTime <= 0) return;
  if (*p.flops > 0) p.roof = *p.flops / roofTime;
  p.ofRoof = roofTime * calls / seconds;
  p.aboveRoof = *p.ofRoof > kAboveRoof;
  const auto meanKernel = p.time / static_cast<TimeNs>(std::max<std::size_t>(1, p.slices.size()));
  if (*p.ofRoof < kLatencyShareOfRoof && meanKernel < kLatencyKernel)
    p.bound = RooflineBound::latency;
  else
    p.bound =
        p.computeTime.value_or(0) >= *p.memoryTime ? RooflineBound::compute : RooflineBound::memory;
}

void RooflineMaker::summarise() {
  for (const RooflinePoint& p : r_.points) {
    TimeNs launched = 0;
    for (const SliceId id : p.slices)
      if (w_.trace->launchOf(id).valid()) launched += w_.trace->slices().duration(id);
    r_.launchedTime += launched;
    if (p.flops && p.bytes) r_.placedTime += launched;
    if ((p.flops && p.bytes) || !p.missing.empty()) r_.namedTime += launched;
    static constexpr TimeNs Roofline::*kOfAll[] = {&Roofline::computeBound, &Roofline::memoryBound,
                                                   &Roofline::latencyBound,
                                                   &Roofline::unknownBound};
    using Device = Roofline::PerDevice;
    static constexpr TimeNs Device::*kOfDevice[] = {&Device::computeBound, &Device::memoryBound,
                                                    &Device::latencyBound, &Device::unknownBound};
    const auto bound = static_cast<std::size_t>(p.bound);
    r_.*kOfAll[bound] += p.time;
    if (!p.device.valid() || p.device.index() >= r_.devices.size()) continue;
    Device& device = r_.devices[p.device.index()];
    device.kernelTime += p.time;
    if (p.kernelClass == KernelClass::collective)
      device.communication += p.time;
    else
      device.*kOfDevice[bound] += p.time;
  }
}

void RooflineMaker::makeRoofs() {
  for (std::size_t d = 0; d < w_.peaks.size(); ++d) {
    Roofline::PerDevice out;
    out.device = DeviceId(d);
    const DeviceMatch& match = w_.peaks[d].match;
    if (!match.spec) {
      out.why = match.missing();
      r_.devices.push_back(std::move(out));
      continue;
    }
    const DeviceSpec& spec = *match.spec;
    std::set<std::string> keys;
    out.name = spec.displayName;
    for (const RooflinePoint& p : r_.points)
      if (p.device == out.device && p.flops && *p.flops > 0) keys.insert(p.peakKey);
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
      if (const auto peak = spec.peak(key)) {
        std::string spoken = key;  // "bf16 vector"
        std::replace(spoken.begin(), spoken.end(), '_', ' ');
        out.compute.push_back(
            {spoken + ' ' + rateText(*peak, "FLOP/s"), key, *peak, sourceOf(key)});
      }
    if (spec.memoryBandwidth)
      out.memory = RooflineRoof{"memory " + rateText(*spec.memoryBandwidth, "B/s"), "memory",
                                *spec.memoryBandwidth, sourceOf("memoryBandwidth")};
    r_.devices.push_back(std::move(out));
  }
}

}  // namespace

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

std::string rateText(double value, const char* unit) {
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

std::string whyAbove(const RooflinePoint& p) {
  if (!p.aboveRoof) return {};
  // Of counted bytes none came from a cache; counted FLOPs are those that were done.
  const bool memory = p.bound == RooflineBound::memory;
  const bool counted = p.measured && (memory ? p.measured->bytes : p.measured->flops);
  std::string why;
  if (!counted)
    why = memory ? "data came from a cache, "
                 : "fewer operations were done than counted (Winograd, FFT, sparsity), ";
  why += "the peak is of another device or type, or the ";
  why += counted ? "counted launches are not like these" : "count from the shapes is wrong";
  return "Faster than its roof allows: " + why + ".";
}

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
