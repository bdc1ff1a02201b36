#include "core/report/people.h"
#include "core/report/sections.h"

namespace ridgeline::sections {
namespace {

ReportJson classesJson(const std::array<TimeNs, kKernelClassCount>& times) {
  ReportJson json = ReportJson::object();
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i] != 0) json[std::string(name(static_cast<KernelClass>(i)))] = times[i];
  return json;
}

/// Who the catalogue thinks the device is, and where its peaks come from.
ReportJson catalogueJson(const DevicePeaks& peaks) {
  const DeviceMatch& match = peaks.match;
  if (!match.spec) return {{"id", nullptr}, {"why_not", match.whyNot}, {"todo", match.todo}};
  return {{"id", match.spec->id},
          {"name", match.spec->displayName},
          {"how", match.how},
          {"source", match.spec->source}};
}

}  // namespace

ReportJson deviceTime(Ranks ranks) {
  ReportJson json = ReportJson::array();
  for (const ReportRank& rank : ranks)
    for (const DeviceTime& d : rank.results->deviceTimes.devices) {
      ReportJson one = {{"rank", rank.rank},
                        {"device", ordinalOf(rank, d.device)},
                        {"name", nameOf(rank, d.device)},
                        {"span_ns", d.span},
                        {"busy_ns", d.busy},
                        {"idle_ns", d.idle},
                        {"compute_ns", d.compute},
                        {"communication_ns", d.communication},
                        {"exposed_communication_ns", d.exposedCommunication},
                        {"memory_ns", d.memory},
                        {"exposed_memory_ns", d.exposedMemory}};
      const bool filled = d.fill.known > 0;
      one["filled_ns"] = filled ? ReportJson(d.fill.filled) : ReportJson();
      one["fill_known_ns"] = d.fill.known;
      one["occupancy"] = orNull(d.fill.occupancy);
      one["by_class_ns"] = classesJson(d.byClass);
      one["by_class_exclusive_ns"] = classesJson(d.byClassExclusive);
      if (d.device.index() < rank.workload().peaks.size())
        one["catalogue"] = catalogueJson(rank.workload().peaks[d.device.index()]);
      json.push_back(std::move(one));
    }
  return json;
}

std::vector<Table> deviceTimeTables(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Device time",
              .note =
                  "Of the union of a device's streams: busy + idle = window. Exposed: no "
                  "computing kernel ran at the same time. SMs in use: the share of the window, "
                  "each instant counted as far as multiprocessors had a block; it and the mean "
                  "occupancy of kernels are the profiler's estimates, and hold for the kernels "
                  "that have one.",
              .columns = {{"rank", "rank", Kind::count},
                          {"device", "device", Kind::count},
                          {"name", "name", Column::Kind::text, {}, "not recorded"},
                          {"span_ns", "window", Kind::time},
                          {"busy_ns", "busy", Kind::time},
                          {"busy_share", "of the window", Kind::share},
                          {"idle_ns", "idle", Kind::time},
                          {"compute_ns", "compute", Kind::time},
                          {"communication_ns", "communication", Kind::time},
                          {"exposed_communication_ns", "exposed communication", Kind::time},
                          {"memory_ns", "copies", Kind::time},
                          {"exposed_memory_ns", "exposed copies", Kind::time},
                          {"filled_share", "SMs in use", Kind::share, {}, "not recorded"},
                          {"occupancy", "occupancy", Kind::share, {}, "not recorded"},
                          {"fill_known_share", "kernel time with estimates", Kind::share}},
              .rows = {}};
  Table classes{.title = "Device time by kernel class",
                .note = "Each instant is given to one class: the column sums to the busy time.",
                .columns = {{"rank", "rank", Kind::count},
                            {"device", "device", Kind::count},
                            {"class", "class"},
                            {"exclusive_ns", "time", Kind::time},
                            {"share", "of busy", Kind::share},
                            {"union_ns", "with overlaps", Kind::time}},
                .rows = {},
                .shownRows = 40};
  for (const ReportRank& rank : ranks)
    for (const DeviceTime& d : rank.results->deviceTimes.devices) {
      const std::int64_t device = ordinalOf(rank, d.device);
      table.rows.push_back(
          {rank.rank, device, nameOf(rank, d.device), d.span, d.busy, shareOf(d.busy, d.span),
           d.idle, d.compute, d.communication, d.exposedCommunication, d.memory, d.exposedMemory,
           d.fill.known > 0 ? Cell(shareOf(d.fill.filled, d.span)) : Cell(),
           orUnknown(d.fill.occupancy),
           d.fill.kernelTime > 0 ? Cell(shareOf(d.fill.known, d.fill.kernelTime)) : Cell()});
      for (std::size_t i = 0; i < d.byClass.size(); ++i)
        if (d.byClass[i] != 0)
          classes.rows.push_back({rank.rank, device, std::string(name(static_cast<KernelClass>(i))),
                                  d.byClassExclusive[i], shareOf(d.byClassExclusive[i], d.busy),
                                  d.byClass[i]});
    }
  return {std::move(table), std::move(classes)};
}

}  // namespace ridgeline::sections
