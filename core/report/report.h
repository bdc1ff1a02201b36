#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/analysis/analysis_store.h"
#include "core/report/table.h"

namespace ridgeline {

using ReportJson = nlohmann::ordered_json;

/// One recording with its results in the window that the report is about.
struct ReportRank {
  std::int64_t rank = 0;  ///< as recorded, else its place in the list
  std::shared_ptr<const AnalysisResults> results;
  std::vector<WhatIf> asked = {};  ///< what-ifs of the user, beside the usual ones of `results`

  [[nodiscard]] const Workload& workload() const { return *results->workload; }
  [[nodiscard]] const Trace& trace() const { return *results->workload->trace; }
};

/// One analysis as a report shows it: its JSON under `key`, and tables for people and for CSV.
/// Both only restate results; nothing is computed here but sums over ranks.
struct ReportSection {
  std::string_view key;  ///< of the JSON object: "idle_gaps"
  ReportJson (*json)(std::span<const ReportRank> ranks);
  std::vector<Table> (*tables)(std::span<const ReportRank> ranks);
};
/// In the order in which they are printed.
[[nodiscard]] std::span<const ReportSection> reportSections();

/// The whole report. Fields: core/report/README.md. At least one rank.
[[nodiscard]] ReportJson reportToJson(std::span<const ReportRank> ranks, std::string_view version);
/// At most seven lines that say what matters, then the tables.
[[nodiscard]] std::string reportToMarkdown(std::span<const ReportRank> ranks);
/// All tables, each under a line "# title", with an empty line between them.
[[nodiscard]] std::string reportToCsv(std::span<const ReportRank> ranks);

}  // namespace ridgeline
