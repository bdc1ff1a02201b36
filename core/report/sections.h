#pragma once

#include "core/report/report.h"

namespace ridgeline::sections {

using Ranks = std::span<const ReportRank>;

// One pair a section; see ReportSection. Each in a file of its own: section_<name>.cpp.
ReportJson stepsSection(Ranks ranks);
std::vector<Table> stepsTables(Ranks ranks);
ReportJson deviceTime(Ranks ranks);
std::vector<Table> deviceTimeTables(Ranks ranks);
ReportJson idleGaps(Ranks ranks);
std::vector<Table> idleGapsTables(Ranks ranks);
ReportJson kernelGroups(Ranks ranks);
std::vector<Table> kernelGroupsTables(Ranks ranks);
ReportJson roofline(Ranks ranks);
std::vector<Table> rooflineTables(Ranks ranks);
ReportJson criticalPath(Ranks ranks);
std::vector<Table> criticalPathTables(Ranks ranks);
ReportJson bounds(Ranks ranks);
std::vector<Table> boundsTables(Ranks ranks);
ReportJson launches(Ranks ranks);
std::vector<Table> launchesTables(Ranks ranks);
ReportJson whatIf(Ranks ranks);
std::vector<Table> whatIfTables(Ranks ranks);
ReportJson compiledSection(Ranks ranks);
std::vector<Table> compiledTables(Ranks ranks);
ReportJson memory(Ranks ranks);
std::vector<Table> memoryTables(Ranks ranks);
ReportJson dataQualitySection(Ranks ranks);
std::vector<Table> dataQualityTables(Ranks ranks);
ReportJson profilerCostSection(Ranks ranks);
std::vector<Table> profilerCostTables(Ranks ranks);
ReportJson run(Ranks ranks);
std::vector<Table> runTables(Ranks ranks);
ReportJson collectives(Ranks ranks);
std::vector<Table> collectivesTables(Ranks ranks);
ReportJson utilisation(Ranks ranks);
std::vector<Table> utilisationTables(Ranks ranks);
ReportJson headline(Ranks ranks);
std::vector<Table> headlineTables(Ranks ranks);

/// The recorded number of a device; -1 for an invalid id.
std::int64_t ordinalOf(const ReportRank& rank, DeviceId device);
/// The name of the device in the trace; null or empty when it was not recorded.
std::string nameOf(const ReportRank& rank, DeviceId device);
/// A value or null.
template <class T>
ReportJson orNull(const std::optional<T>& value) {
  return value ? ReportJson(*value) : ReportJson();
}
template <class T>
Cell orUnknown(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell();
}
/// An event as evidence: {id, name, track, start_ns, end_ns}; null for an invalid id.
ReportJson eventJson(const Trace& trace, SliceId slice);
/// a / b; nothing of nothing is 0.
double shareOf(TimeNs part, TimeNs whole);

}  // namespace ridgeline::sections
