#include "core/report/sections.h"

namespace ridgeline::sections {
namespace {

ReportJson pointJson(const ReportRank& rank, const RooflinePoint& p) {
  ReportJson json = {{"rank", rank.rank}, {"device", ordinalOf(rank, p.device)},
                     {"op", p.op},        {"shape", p.shape},
                     {"dtype", p.dtype},  {"class", name(p.kernelClass)},
                     {"calls", p.calls},  {"time_ns", p.time}};
  json["flops"] = orNull(p.flops);
  json["bytes"] = orNull(p.bytes);
  json["intensity"] = orNull(p.intensity);
  json["flops_per_s"] = orNull(p.performance);
  json["bytes_per_s"] = orNull(p.bandwidth);
  json["roof_flops_per_s"] = orNull(p.roof);
  json["share_of_roof"] = orNull(p.ofRoof);
  json["bound"] = word(p.bound);
  json["matrix_unit"] = p.matrixUnit;
  json["above_roof"] = p.aboveRoof;
  json["inferred"] = p.inferred;
  json["upper_bound"] = p.upperBound;
  json["formula"] = p.formula;
  json["missing"] = p.missing;
  return json;
}

ReportJson roofJson(const RooflineRoof& roof, const char* valueKey) {
  return {
      {"label", roof.label}, {"key", roof.key}, {valueKey, roof.value}, {"source", roof.source}};
}

ReportJson roofsJson(const ReportRank& rank, const Roofline::PerDevice& device) {
  ReportJson json = {{"rank", rank.rank}, {"device", ordinalOf(rank, device.device)}};
  json["compute"] = ReportJson::array();
  for (const RooflineRoof& roof : device.compute)
    json["compute"].push_back(roofJson(roof, "flops_per_s"));
  json["memory"] = device.memory ? roofJson(*device.memory, "bytes_per_s") : ReportJson();
  if (!device.why.empty()) json["why"] = device.why;
  return json;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out.append(out.empty() ? "" : "; ").append(text);
  return out;
}

}  // namespace

ReportJson roofline(Ranks ranks) {
  TimeNs launched = 0, placed = 0, named = 0, compute = 0, memory = 0, latency = 0, unknown = 0;
  ReportJson points = ReportJson::array();
  ReportJson roofs = ReportJson::array();
  for (const ReportRank& rank : ranks) {
    const Roofline& r = rank.results->roofline;
    launched += r.launchedTime;
    placed += r.placedTime;
    named += r.namedTime;
    compute += r.computeBound;
    memory += r.memoryBound;
    latency += r.latencyBound;
    unknown += r.unknownBound;
    for (const RooflinePoint& point : r.points) points.push_back(pointJson(rank, point));
    for (const auto& device : r.devices) roofs.push_back(roofsJson(rank, device));
  }
  return {{"launched_ns", launched},
          {"placed_ns", placed},
          {"named_ns", named},
          {"by_bound_ns",
           {{"compute", compute}, {"memory", memory}, {"latency", latency}, {"unknown", unknown}}},
          {"roofs", std::move(roofs)},
          {"points", std::move(points)}};
}

std::vector<Table> rooflineTables(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Roofline points",
              .note =
                  "An op × shape × type each. FLOPs and bytes are computed from the recorded "
                  "shapes, the roofs are taken from the device catalogue or the user's file.",
              .columns = {{"rank", "rank", Kind::count},
                          {"op", "op"},
                          {"shape", "shape"},
                          {"dtype", "type"},
                          {"calls", "calls", Kind::count},
                          {"time_ns", "time", Kind::time},
                          {"flops", "FLOPs a call", Kind::quantity, "FLOP"},
                          {"bytes", "bytes a call", Kind::quantity, "B"},
                          {"flops_per_s", "achieved", Kind::quantity, "FLOP/s"},
                          {"share_of_roof", "of the roof", Kind::share},
                          {"bound", "bound"},
                          {"missing", "missing"}},
              .rows = {},
              .shownRows = 15};
  for (const ReportRank& rank : ranks) {
    for (const auto& device : rank.results->roofline.devices)
      if (!device.why.empty()) table.note = device.why;
    for (const RooflinePoint& p : rank.results->roofline.points)
      table.rows.push_back({rank.rank, p.op, p.shape, p.dtype, static_cast<std::int64_t>(p.calls),
                            p.time, orUnknown(p.flops), orUnknown(p.bytes),
                            orUnknown(p.performance), orUnknown(p.ofRoof),
                            std::string(word(p.bound)), joined(p.missing)});
  }
  return {std::move(table)};
}

}  // namespace ridgeline::sections
