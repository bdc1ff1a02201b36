#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/hardware/achievable_rates.h"
#include "core/hardware/collective_table.h"
#include "core/hardware/device_catalog.h"
#include "core/hardware/kernel_counters.h"
#include "core/trace/trace.h"
#include "core/workload/kernel_class.h"
#include "core/workload/op_cost.h"
#include "core/workload/steps.h"

namespace ridgeline {

/// What a step of the user's model computes, as far as the user says so; a trace alone cannot tell.
struct ModelWork {
  std::optional<double> flopsPerStep;   ///< useful FLOPs of one step on one device, > 0
  std::optional<double> parameters;     ///< of the model, > 0
  std::optional<double> tokensPerStep;  ///< trained (or read) in one step on one device, > 0
  bool operator==(const ModelWork&) const = default;
};

/// Rules and device figures that give events their meaning; changed settings make a new Workload.
struct WorkloadSettings {
  std::shared_ptr<const KernelClassifier> classifier;  ///< null: the built-in rules
  std::shared_ptr<const DeviceCatalog> catalog;        ///< null: the built-in catalogue
  std::shared_ptr<const CollectiveTable> collectives;  ///< null: none were measured
  std::shared_ptr<const KernelCounters> counters;      ///< null: none were measured
  ModelWork model;
  AchievableRates achievable;
  std::vector<std::string> copies;  ///< files given that hold the same events and were left out
};

/// What one device of the trace can do, or why that is not known.
struct DevicePeaks {
  DeviceMatch match;
  VendorHint vendor = VendorHint::unknown;
};

/// One op call that owns kernels: the leaf-most op whose own launches they are.
struct OpCall {
  SliceId op;                       ///< invalid: kernels without any op around their launch
  std::uint32_t costIndex = 0;      ///< into Workload::costs
  std::vector<SliceId> deviceWork;  ///< in start order
};

/// Meaning per event, computed once beside an immutable Trace.
/// `label*` are per slice and only meaningful for device work.
struct Workload {
  std::shared_ptr<const Trace> trace;
  WorkloadSettings settings;
  Steps steps;
  std::vector<SliceId> deviceWork;  ///< all kernels, copies and sets by (device, start)
  std::vector<std::vector<SliceId>> deviceWorkOf;  ///< the same by DeviceId, in start order
  std::vector<std::uint16_t> labelIndex;           ///< by slice: into labels; device work only
  std::vector<std::uint16_t> labelByNameIndex;     ///< the same before refinement by the parent op
  std::vector<KernelLabel> labels;                 ///< label 0: unknown
  std::vector<SliceId> opOf;  ///< by slice: owning op of device work, else invalid
  std::vector<OpCall> opCalls;
  std::vector<std::uint32_t> opCallOf;  ///< by slice: device work → opCalls; kNone otherwise
  std::vector<OpCost> costs;            ///< one a distinct (op, shape[, inference])
  std::vector<DevicePeaks> peaks;       ///< by DeviceId
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  [[nodiscard]] const KernelLabel& label(SliceId s) const { return labels[labelIndex[s.index()]]; }
  [[nodiscard]] KernelClass classOf(SliceId s) const { return label(s).kernelClass; }
  [[nodiscard]] const OpCost* costOf(const OpCall& call) const { return &costs[call.costIndex]; }
  /// The cost of the op that owns a device slice, or null.
  [[nodiscard]] const OpCost* costOfSlice(SliceId s) const;
  /// Device → catalogue entry, or null.
  [[nodiscard]] const DeviceSpec* specOf(DeviceId device) const {
    return device.valid() && peaks[device.index()].match.spec ? &*peaks[device.index()].match.spec
                                                              : nullptr;
  }
};

[[nodiscard]] Result<std::shared_ptr<const Workload>> makeWorkload(
    std::shared_ptr<const Trace> trace, const WorkloadSettings& settings = {},
    const Task& task = {});

}  // namespace ridgeline
