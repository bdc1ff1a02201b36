#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/analysis/bounds.h"
#include "core/analysis/collectives.h"
#include "core/analysis/compiled_programs.h"
#include "core/analysis/critical_path.h"
#include "core/analysis/device_time.h"
#include "core/analysis/headline.h"
#include "core/analysis/idle_gaps.h"
#include "core/analysis/kernel_groups.h"
#include "core/analysis/launches.h"
#include "core/analysis/memory_use.h"
#include "core/analysis/profiler_cost.h"
#include "core/analysis/roofline.h"
#include "core/analysis/run_info.h"
#include "core/analysis/utilisation.h"
#include "core/analysis/what_if.h"

namespace ridgeline {

/// Everything computed for one window of one Workload.
struct AnalysisResults {
  std::shared_ptr<const Workload> workload;
  AnalysisWindow window;
  DeviceTimes deviceTimes;
  IdleGaps idleGaps;
  KernelGroups kernelGroups;
  Roofline roofline;
  CriticalPaths criticalPaths;
  WhatIfs whatIfs;
  Collectives collectives;
  std::vector<Bounds> bounds;
  std::vector<Utilisation> utilisation;
  Launches launches;
  MemoryUse memory;
  ProfilerCost profilerCost;
  CompiledPrograms compiled;
  std::shared_ptr<const RunInfo> run;  ///< of the whole recording; never null
  Headline headline;
};

/// Results by (workload, window): computed once, shared by panels, overlays and the report.
/// Thread safe; two threads that ask for the same missing result may both compute it.
class AnalysisStore {
 public:
  /// Null when the task was cancelled.
  std::shared_ptr<const AnalysisResults> results(const std::shared_ptr<const Workload>& workload,
                                                 const AnalysisWindow& window,
                                                 const Task& task = {});
  void clear();

 private:
  /// What an earlier window of the same Workload has computed of the whole recording; else null.
  std::shared_ptr<const AnalysisResults> another(const Workload* workload);

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const AnalysisResults>> cache_;
};

}  // namespace ridgeline
