#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/window.h"

namespace ridgeline {

enum class RooflineBound : std::uint8_t { compute, memory, latency, unknown };
[[nodiscard]] std::string_view word(RooflineBound bound);

/// One op × shape × dtype on one device: a point of the roofline.
struct RooflinePoint {
  DeviceId device;
  std::string op;
  std::string shape;
  std::string dtype;  ///< of the data: "bf16", "fp32", …; empty if unknown
  DType computeType = DType::Unknown;
  bool matrixUnit = false;  ///< measured against the matrix peak
  std::string peakKey;      ///< the peak it is measured against ("tf32"); empty if there is none
  KernelClass kernelClass = KernelClass::unknown;
  std::uint64_t calls = 0;
  TimeNs time = 0;                    ///< Σ over calls of the union of its kernels, ns
  std::optional<double> flops;        ///< of one call
  std::optional<double> bytes;        ///< of one call
  std::optional<double> intensity;    ///< FLOP/byte
  std::optional<double> performance;  ///< FLOP/s achieved: flops · calls / time
  std::optional<double> bandwidth;    ///< bytes/s achieved
  std::optional<double> computeTime;  ///< s a call needs at least for its FLOPs: flops / peak
  std::optional<double> memoryTime;   ///< s a call needs at least for its bytes: bytes / bandwidth
  std::optional<double> roof;         ///< FLOP/s attainable at this intensity; needs peaks
  std::optional<double> ofRoof;       ///< roofline time / measured time, 1 = on the roof
  RooflineBound bound = RooflineBound::unknown;
  bool aboveRoof = false;  ///< > 110 %: cache-resident, Winograd or a wrong model
  /// No arithmetic at all (copies, gathers): its only roof is the memory's.
  [[nodiscard]] bool movesOnly() const { return flops == 0.0; }
  bool inferred = false, upperBound = false;
  std::string formula;
  std::vector<std::string> missing;  ///< why figures are absent, in plain words
  std::vector<SliceId> slices;       ///< its device work
};

/// Horizontal (FLOP/s of a dtype) and slanted (memory) roofs of a device.
struct RooflineRoof {
  std::string label;  ///< "bf16 matrix 312 TFLOP/s", "HBM 2.04 TB/s"
  std::string key;    ///< "bf16", "memory"
  double value = 0;   ///< FLOP/s or bytes/s
  std::string source;
};

struct Roofline {
  AnalysisWindow window;
  std::vector<RooflinePoint> points;  ///< largest time first
  struct PerDevice {
    DeviceId device;
    std::vector<RooflineRoof> compute;  ///< only dtypes that occur, at least the largest one
    std::optional<RooflineRoof> memory;
    std::string name;  ///< of the catalogue's entry; empty without peaks
    std::string why;   ///< when there are no peaks: the reason and what to do
    /// Σ time of its points by what bounds them; collectives are bound by links and apart.
    TimeNs kernelTime = 0;  ///< of the other five together
    TimeNs computeBound = 0, memoryBound = 0, latencyBound = 0, unknownBound = 0;
    TimeNs communication = 0;
  };
  std::vector<PerDevice> devices;
  TimeNs launchedTime = 0;  ///< device time of launched kernels in the window
  TimeNs placedTime = 0;    ///< of those with a full point (intensity and performance)
  TimeNs namedTime = 0;     ///< of those with a point or a named missing input
  /// Over all devices; collectives count as unknown.
  TimeNs computeBound = 0, memoryBound = 0, latencyBound = 0, unknownBound = 0;
};

/// The points, roofs and totals of a window. A call belongs to it if its first kernel starts in it,
/// and counts whole. Formulas: ANALYSIS section 3; roofline time = max(FLOPs / peak, bytes /
/// bandwidth).
[[nodiscard]] Roofline roofline(const Workload& w, const AnalysisWindow& window);

}  // namespace ridgeline
