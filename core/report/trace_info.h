#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/report/report.h"
#include "core/workload/steps.h"

namespace ridgeline {

/// One recording as `info` and `report` describe it.
struct DescribedTrace {
  std::int64_t rank = 0;  ///< as recorded, else its place in the list
  const Trace* trace = nullptr;
  const Steps* steps = nullptr;
};

/// `trace`: one recording, or the sums and spans of several. Fields: core/report/README.md.
[[nodiscard]] ReportJson traceJson(std::span<const DescribedTrace> traces);
/// `facts` and `process_groups` of a run.
[[nodiscard]] ReportJson runJson(const RunInfo& run);
/// One element of `steps` a step.
[[nodiscard]] ReportJson stepsJson(const DescribedTrace& trace);
/// The document that `info --json` prints.
[[nodiscard]] ReportJson infoToJson(std::span<const DescribedTrace> traces,
                                    std::string_view version);
/// The same for people.
[[nodiscard]] std::string infoToText(std::span<const DescribedTrace> traces);

}  // namespace ridgeline
