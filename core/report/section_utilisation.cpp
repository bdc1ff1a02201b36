#include "core/report/sections.h"

namespace ridgeline::sections {

ReportJson utilisation(Ranks ranks) {
  ReportJson json = ReportJson::array();
  for (const ReportRank& rank : ranks)
    for (const Utilisation& u : rank.results->utilisation) {
      ReportJson one = {
          {"rank", rank.rank}, {"device", ordinalOf(rank, u.device)}, {"step_ns", u.step}};
      one["mfu"] = orNull(u.mfu);
      one["hfu"] = orNull(u.hfu);
      one["peak_flops_per_s"] = u.peak > 0 ? ReportJson(u.peak) : ReportJson();
      one["peak"] = u.peakKey.empty() ? ReportJson() : ReportJson(u.peakKey);
      one["model_flops"] = orNull(u.modelFlops);
      one["model_from"] = u.modelFrom.empty() ? ReportJson() : ReportJson(u.modelFrom);
      one["hardware_flops"] = u.hardwareFlops;
      one["recomputed_flops"] = u.recomputedFlops;
      one["coverage"] = u.coverage;
      one["missing"] = u.missing;
      json.push_back(std::move(one));
    }
  return json;
}

std::vector<Table> utilisationTables(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Utilisation of the arithmetic peak",
              .note =
                  "MFU counts the model's useful FLOPs, HFU all that "
                  "are known to have run, recomputed ones too.",
              .columns = {{"rank", "rank", Kind::count},
                          {"device", "device", Kind::count},
                          {"step_ns", "step", Kind::time},
                          {"mfu", "MFU", Kind::share},
                          {"hfu", "HFU", Kind::share},
                          {"peak_flops_per_s", "peak", Kind::quantity, "FLOP/s"},
                          {"peak", "of type", Column::Kind::text, {}, "unknown"},
                          {"hardware_flops", "FLOPs that ran", Kind::quantity, "FLOP"},
                          {"recomputed_flops", "recomputed", Kind::quantity, "FLOP"},
                          {"coverage", "kernel time with known FLOPs", Kind::share},
                          {"missing", "missing", Kind::sentence, {}, "nothing"}},
              .rows = {}};
  for (const ReportRank& rank : ranks)
    for (const Utilisation& u : rank.results->utilisation) {
      std::string missing;
      for (const std::string& text : u.missing)
        missing.append(missing.empty() ? "" : "; ").append(text);
      table.rows.push_back({rank.rank, ordinalOf(rank, u.device), u.step, orUnknown(u.mfu),
                            orUnknown(u.hfu), u.peak > 0 ? Cell(u.peak) : Cell(), u.peakKey,
                            u.hardwareFlops, u.recomputedFlops, u.coverage, missing});
    }
  return {std::move(table)};
}

}  // namespace ridgeline::sections
