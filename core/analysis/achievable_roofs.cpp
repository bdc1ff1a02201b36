#include "core/analysis/achievable_roofs.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/duration_text.h"
#include "core/base/share_text.h"

namespace ridgeline {

namespace {

/// Of the bandwidth seen, above which memory may be what binds a point of a device without peaks.
constexpr double kOnTheSlope = 0.8;
/// A given rate counts as below a reached one from here on: rates are given rounded.
constexpr double kBelow = 0.99;

/// Algorithms that do fewer operations than the formula counts: their rate is none of the device.
bool doesFewerOperations(std::string_view kernel) {
  std::string lower(kernel);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower.find("winograd") != lower.npos || lower.find("fft") != lower.npos;
}

/// The peak that a point runs against; by its type and unit where the device has no peaks.
std::string keyOf(const RooflinePoint& p, const DeviceSpec* spec) {
  if (spec != nullptr) return p.peakKey;
  const std::string key(peakDType(p.computeType));
  if (key.empty() || key == "int8") return p.matrixUnit ? key : std::string();
  if (!p.matrixUnit) return key == "fp64" ? key : "fp32";
  if (key == "fp32") return "tf32";
  return key == "fp64" ? "fp64_matrix" : key;
}

std::string spoken(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

/// "best of this trace: aten::mm 4096×4096 …, mean of 62 calls of 310 µs, 62 % of the peak".
std::string sourceOf(const RooflinePoint& p, std::optional<double> ofPeak, const char* peak) {
  std::string name = p.op;
  if (!p.shape.empty()) name += " " + p.shape;
  const TimeNs mean = p.time / static_cast<TimeNs>(p.calls);
  std::string text = "best of this trace: " + name + ", ";
  text += p.calls == 1 ? "a call of " + durationText(mean)
                       : "mean of " + std::to_string(p.calls) + " calls of " + durationText(mean);
  if (ofPeak) text += ", " + percentText(*ofPeak) + " of the " + peak;
  if (p.measured && (p.measured->flops || p.measured->bytes)) text += ", counted";
  return text;
}

/// The achievable roofs of one device.
class DeviceRoofs {
 public:
  DeviceRoofs(const Workload& w, const std::vector<RooflinePoint>& all, Roofline::PerDevice& device)
      : trace_(*w.trace),
        rates_(w.settings.achievable),
        spec_(w.specOf(device.device)),
        device_(device) {
    for (const RooflinePoint& p : all)
      if (p.device == device.device && mayCount(p)) points_.push_back(&p);
  }

  void run() {
    addMemory();
    addCompute();
  }

 private:
  static bool mayCount(const RooflinePoint& p) {
    return p.calls > 0 && p.time / static_cast<TimeNs>(p.calls) >= kShortestForRoof &&
           p.kernelClass != KernelClass::collective && p.flops && p.bytes && !p.upperBound &&
           p.bandwidth;
  }

  /// Says where the user's rate is above the datasheet's, or below what was reached.
  void doubt(const std::string& what, const char* unit, double given, std::optional<double> peak,
             const RooflinePoint* best, std::optional<double> reached) {
    if (peak && given > *peak)
      device_.doubts.push_back("the achievable rate that you gave for " + what + ", " +
                               rateText(given, unit) + ", is above the " + rateText(*peak, unit) +
                               " of the datasheet");
    if (best != nullptr && reached && given < kBelow * *reached)
      device_.doubts.push_back("the achievable rate that you gave for " + what + ", " +
                               rateText(given, unit) + ", is below the " +
                               rateText(*reached, unit) + " that this recording reached (" +
                               best->op + ")");
  }

  void addMemory() {
    const RooflinePoint* best = bestOnMemory();
    const double peak = spec_ != nullptr ? spec_->memoryBandwidth.value_or(0) : 0;
    if (rates_.bandwidth) {
      device_.achievableMemory =
          RooflineRoof{"memory " + rateText(*rates_.bandwidth, "B/s"), "memory", *rates_.bandwidth,
                       "achievable, given by you"};
      doubt("memory", "B/s", *rates_.bandwidth, peak > 0 ? std::optional(peak) : std::nullopt, best,
            best != nullptr ? best->bandwidth : std::nullopt);
      return;
    }
    if (best == nullptr) return;
    device_.achievableMemory = RooflineRoof{
        "memory " + rateText(*best->bandwidth, "B/s"), "memory", *best->bandwidth,
        sourceOf(*best, peak > 0 ? std::optional(*best->bandwidth / peak) : std::nullopt,
                 "bandwidth"),
        best->example};
  }

  /// Of the points that memory binds the one with most bytes/s; may be null.
  [[nodiscard]] const RooflinePoint* bestOnMemory() const {
    const double peak = spec_ != nullptr ? spec_->memoryBandwidth.value_or(0) : 0;
    const RooflinePoint* best = nullptr;
    for (const RooflinePoint* p : points_) {
      const bool memoryBinds =
          peak <= 0 || (*p->bandwidth <= peak && p->computeTime.value_or(0) * peak <= *p->bytes);
      if (!memoryBinds) continue;
      if (best == nullptr || *p->bandwidth > *best->bandwidth) best = p;
    }
    return best;
  }

  void addCompute() {
    std::map<std::string, const RooflinePoint*> best;
    for (const RooflinePoint* p : points_) {
      const std::string key = keyOf(*p, spec_);
      if (key.empty() || *p->flops <= 0 || !arithmeticBinds(*p)) continue;
      const RooflinePoint*& known = best[key];
      if (known == nullptr || *p->performance > *known->performance) known = p;
    }
    for (const auto& [key, value] : rates_.flops) {
      device_.achievable.push_back(
          {spoken(key) + " " + rateText(value, "FLOP/s"), key, value, "achievable, given by you"});
      const auto reached = best.find(key);
      const RooflinePoint* p = reached == best.end() ? nullptr : reached->second;
      doubt(spoken(key), "FLOP/s", value, spec_ != nullptr ? spec_->peak(key) : std::nullopt, p,
            p != nullptr ? p->performance : std::nullopt);
    }
    for (const auto& [key, p] : best) {
      if (rates_.flops.count(key) != 0) continue;
      const auto peak = spec_ != nullptr ? spec_->peak(key) : std::nullopt;
      device_.achievable.push_back(
          {spoken(key) + " " + rateText(*p->performance, "FLOP/s"), key, *p->performance,
           sourceOf(*p, peak ? std::optional(*p->performance / *peak) : std::nullopt, "peak"),
           p->example});
    }
  }

  [[nodiscard]] bool arithmeticBinds(const RooflinePoint& p) const {
    if (!p.performance) return false;
    const bool counted = p.measured && p.measured->flops;
    if (!counted && p.example.valid() && doesFewerOperations(trace_.name(p.example))) return false;
    if (spec_ != nullptr) {
      const auto peak = spec_->peak(p.peakKey);
      return peak && *p.performance <= *peak && p.memoryTime && p.computeTime &&
             *p.computeTime >= *p.memoryTime;
    }
    return device_.achievableMemory && *p.bandwidth < kOnTheSlope * device_.achievableMemory->value;
  }

  const Trace& trace_;
  const AchievableRates& rates_;
  const DeviceSpec* spec_;
  Roofline::PerDevice& device_;
  std::vector<const RooflinePoint*> points_;
};

void setShare(const Roofline::PerDevice& device, const DeviceSpec* spec, RooflinePoint& p) {
  if (p.time <= 0 || !p.flops || !p.bytes || !device.achievableMemory) return;
  double least = *p.bytes / device.achievableMemory->value;
  if (*p.flops > 0) {
    const std::string key = keyOf(p, spec);
    const auto roof = std::find_if(device.achievable.begin(), device.achievable.end(),
                                   [&](const RooflineRoof& r) { return r.key == key; });
    if (roof == device.achievable.end()) return;
    least = std::max(least, *p.flops / roof->value);
  }
  p.ofAchievable = least * static_cast<double>(p.calls) / (static_cast<double>(p.time) * 1e-9);
}

}  // namespace

void addAchievableRoofs(const Workload& w, const std::vector<RooflinePoint>& all,
                        Roofline& roofline) {
  for (Roofline::PerDevice& device : roofline.devices) {
    DeviceRoofs(w, all, device).run();
    for (RooflinePoint& point : roofline.points)
      if (point.device == device.device) setShare(device, w.specOf(device.device), point);
  }
}

}  // namespace ridgeline
