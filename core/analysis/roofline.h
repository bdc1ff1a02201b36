#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/window.h"
#include "core/workload/measured_kernels.h"

namespace ridgeline {

enum class RooflineBound : std::uint8_t { compute, memory, latency, unknown };
[[nodiscard]] std::string_view word(RooflineBound bound);

/// What hardware counters say of one call: the sum over its kernels, each the mean of the launches
/// that were measured. A figure is unknown unless all kernels of the point have it.
struct MeasuredWork {
  std::optional<double> flops, bytes;
  std::optional<double> seconds;  ///< while counted: other clocks and caches than in the trace
  std::string how;  ///< "measured by Nsight Compute: 3 launches", and what is unsure or missing
};

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
  TimeNs time = 0;              ///< Σ over calls of the union of its kernels, ns
  std::optional<double> flops;  ///< of one call: measured, else computed
  std::optional<double> bytes;  ///< of one call: measured, else computed
  std::optional<double> computedFlops, computedBytes;  ///< of one call, from its shapes
  std::optional<MeasuredWork> measured;                ///< where counters speak of its kernels
  std::optional<double> intensity;                     ///< FLOP/byte
  std::optional<double> performance;                   ///< FLOP/s achieved: flops · calls / time
  std::optional<double> bandwidth;                     ///< bytes/s achieved
  std::optional<double> computeTime;   ///< s a call needs at least for its FLOPs: flops / peak
  std::optional<double> memoryTime;    ///< s a call needs at least for its bytes: bytes / bandwidth
  std::optional<double> roof;          ///< FLOP/s attainable at this intensity; needs peaks
  std::optional<double> ofRoof;        ///< roofline time / measured time, 1 = on the roof
  std::optional<double> ofAchievable;  ///< the same against the achievable roofs
  /// s a call of a collective needs at least on its links; see addCommunicationTimes().
  std::optional<double> communicationTime;
  std::string communicationFrom;  ///< where that comes from, or why it is not known
  RooflineBound bound = RooflineBound::unknown;
  bool aboveRoof = false;  ///< > 110 %: see whyAbove()
  /// No arithmetic at all (copies, gathers): its only roof is the memory's.
  [[nodiscard]] bool movesOnly() const { return flops == 0.0; }
  bool inferred = false, upperBound = false;
  std::string formula;
  std::vector<std::string> missing;  ///< why figures are absent, in plain words
  std::vector<SliceId> slices;       ///< its device work
  SliceId example;                   ///< the longest kernel of its first call
};

/// Horizontal (FLOP/s of a dtype) and slanted (memory) roofs of a device.
struct RooflineRoof {
  std::string label;  ///< "bf16 matrix 312 TFLOP/s", "HBM 2.04 TB/s"
  std::string key;    ///< "bf16", "memory"
  double value = 0;   ///< FLOP/s or bytes/s
  std::string source;
  SliceId example = {};  ///< the event that reached it; invalid for datasheets and the user's
};

struct Roofline {
  AnalysisWindow window;
  std::vector<RooflinePoint> points;  ///< largest time first
  struct PerDevice {
    DeviceId device;
    std::vector<RooflineRoof> compute;  ///< only dtypes that occur, at least the largest one
    std::optional<RooflineRoof> memory;
    /// What is known to be reached, by the same keys: given by the user, else the best call of the
    /// whole trace (see addAchievableRoofs()). Absent where nothing of the kind ran long enough.
    std::vector<RooflineRoof> achievable;
    std::optional<RooflineRoof> achievableMemory;
    /// Which of the user's rates the datasheet or the recording contradicts, a sentence each.
    std::vector<std::string> doubts;
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
  /// What counters measured, if the user gave any: which names, and Σ time of such points.
  struct Measured {
    MeasuredKernels::Names names;
    std::string sentence;
    TimeNs flopsTime = 0, bytesTime = 0;
    bool sizesNotTold = false;  ///< launches of all sizes of a name were taken for alike
  };
  std::optional<Measured> measured;
  /// Over all devices; collectives count as unknown.
  TimeNs computeBound = 0, memoryBound = 0, latencyBound = 0, unknownBound = 0;
};

/// The points, roofs and totals of a window. A call belongs to it if its first kernel starts in it,
/// and counts whole. Formulas: ANALYSIS section 3; roofline time = max(FLOPs / peak, bytes /
/// bandwidth).
[[nodiscard]] Roofline roofline(const Workload& w, const AnalysisWindow& window);

/// The key of DeviceSpec peaks for an element type ("bf16"); empty where there is none.
[[nodiscard]] std::string_view peakDType(DType type);

/// "312 TFLOP/s": three digits with a decimal prefix before the unit.
[[nodiscard]] std::string rateText(double value, const char* unit);

/// Why a point can stand above its roof, as a sentence; empty for the others.
[[nodiscard]] std::string whyAbove(const RooflinePoint& point);

}  // namespace ridgeline
