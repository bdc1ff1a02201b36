#include "core/report/sections.h"

namespace ridgeline::sections {

ReportJson collectives(Ranks ranks) {
  ReportJson json = {{"groups", ReportJson::array()}, {"fits", ReportJson::array()}};
  for (const ReportRank& rank : ranks) {
    const Collectives& c = rank.results->collectives;
    for (const CollectiveGroup& g : c.groups) {
      ReportJson one = {{"rank", rank.rank},         {"device", ordinalOf(rank, g.device)},
                        {"collective", g.kind},      {"group_size", orNull(g.ranks)},
                        {"bytes", orNull(g.bytes)},  {"calls", g.calls},
                        {"total_ns", g.total},       {"exposed_ns", g.exposed},
                        {"shortest_ns", g.shortest}, {"median_ns", g.median},
                        {"longest_ns", g.longest}};
      one["algorithm_bytes_per_s"] = orNull(g.algorithmBandwidth);
      one["bus_bytes_per_s"] = orNull(g.busBandwidth);
      one["least_ns"] = orNull(g.least);
      one["least_from"] = g.leastFrom.empty() ? ReportJson() : ReportJson(g.leastFrom);
      json["groups"].push_back(std::move(one));
    }
    for (const CollectiveFit& fit : c.fits)
      json["fits"].push_back({{"rank", rank.rank},
                              {"collective", fit.kind},
                              {"group_size", fit.ranks},
                              {"sizes", fit.samples},
                              {"fixed_s", fit.fixedSeconds},
                              {"bytes_per_s", fit.bytesPerSecond}});
  }
  return json;
}

std::vector<Table> collectivesTables(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Collectives",
              .note =
                  "By kind, group size and message size. A rank that waits for a later one runs "
                  "its collective all that time: a low bandwidth may be waiting.",
              .columns = {{"rank", "rank", Kind::count},
                          {"device", "device", Kind::count},
                          {"collective", "collective"},
                          {"group_size", "ranks in the group", Kind::count},
                          {"bytes", "message", Kind::quantity, "B"},
                          {"calls", "calls", Kind::count},
                          {"total_ns", "time", Kind::time},
                          {"exposed_ns", "exposed", Kind::time},
                          {"median_ns", "median", Kind::time},
                          {"bus_bytes_per_s", "bus bandwidth", Kind::quantity, "B/s"},
                          {"least_ns", "takes at least", Kind::time},
                          {"least_from", "as told by", Kind::sentence, {}, "nothing"}},
              .rows = {}};
  for (const ReportRank& rank : ranks)
    for (const CollectiveGroup& g : rank.results->collectives.groups) {
      Cell size;
      if (g.ranks) size = std::int64_t{*g.ranks};
      table.rows.push_back({rank.rank, ordinalOf(rank, g.device), g.kind, size, orUnknown(g.bytes),
                            static_cast<std::int64_t>(g.calls), g.total, g.exposed, g.median,
                            orUnknown(g.busBandwidth), orUnknown(g.least), g.leastFrom});
    }
  for (const ReportRank& rank : ranks)
    if (const std::string& unused = rank.results->collectives.unusedTable;
        !unused.empty() && table.note.find(unused) == std::string::npos)
      table.note += " Not used: " + unused + ".";
  if (table.rows.empty()) return {};
  return {std::move(table)};
}

}  // namespace ridgeline::sections
