#include "core/report/sections.h"

namespace ridgeline::sections {

ReportJson bounds(Ranks ranks) {
  ReportJson json = ReportJson::array();
  for (const ReportRank& rank : ranks)
    for (const Bounds& b : rank.results->bounds) {
      ReportJson one = {
          {"rank", rank.rank}, {"device", ordinalOf(rank, b.device)}, {"measured_ns", b.measured}};
      one["compute_ns"] = orNull(b.compute);
      one["memory_ns"] = orNull(b.memory);
      one["communication_ns"] = orNull(b.communication);
      one["communication_from"] =
          b.communicationFrom.empty() ? ReportJson() : ReportJson(b.communicationFrom);
      one["floor_ns"] = orNull(b.floor());
      one["floor"] = b.floorName();
      one["coverage"] = b.coverage;
      one["missing"] = b.missing;
      json.push_back(std::move(one));
    }
  return json;
}

std::vector<Table> boundsTables(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Bounds",
              .note = "Lower bounds of a step, each on its own; they overlap and are never added.",
              .columns = {{"rank", "rank", Kind::count},
                          {"device", "device", Kind::count},
                          {"measured_ns", "measured", Kind::time},
                          {"compute_ns", "compute", Kind::time},
                          {"memory_ns", "memory", Kind::time},
                          {"communication_ns", "communication", Kind::time},
                          {"coverage", "kernel time with known work", Kind::share},
                          {"missing", "missing", Kind::sentence, {}, "nothing"}},
              .rows = {}};
  for (const ReportRank& rank : ranks)
    for (const Bounds& b : rank.results->bounds) {
      std::string missing;
      for (const std::string& text : b.missing)
        missing.append(missing.empty() ? "" : "; ").append(text);
      table.rows.push_back({rank.rank, ordinalOf(rank, b.device), b.measured, orUnknown(b.compute),
                            orUnknown(b.memory), orUnknown(b.communication), b.coverage, missing});
    }
  return {std::move(table)};
}

}  // namespace ridgeline::sections
