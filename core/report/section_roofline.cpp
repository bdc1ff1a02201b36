#include <cmath>

#include "core/report/people.h"
#include "core/report/sections.h"

namespace ridgeline::sections {
namespace {

/// What all calls of a point need at least, from seconds of one call.
std::optional<TimeNs> ofAllCalls(const RooflinePoint& p, const std::optional<double>& seconds) {
  if (!seconds) return std::nullopt;
  return std::llround(*seconds * static_cast<double>(p.calls) * 1e9);
}

ReportJson measuredJson(const RooflinePoint& p) {
  if (!p.measured) return {};
  ReportJson json = {{"how", p.measured->how}};
  json["flops"] = orNull(p.measured->flops);
  json["bytes"] = orNull(p.measured->bytes);
  json["time_ns"] =
      p.measured->seconds ? ReportJson(std::llround(*p.measured->seconds * 1e9)) : ReportJson();
  return json;
}

ReportJson pointJson(const ReportRank& rank, const RooflinePoint& p) {
  ReportJson json = {{"rank", rank.rank}, {"device", ordinalOf(rank, p.device)},
                     {"op", p.op},        {"shape", p.shape},
                     {"dtype", p.dtype},  {"class", name(p.kernelClass)},
                     {"calls", p.calls},  {"time_ns", p.time}};
  json["flops"] = orNull(p.flops);
  json["bytes"] = orNull(p.bytes);
  json["computed_flops"] = orNull(p.computedFlops);
  json["computed_bytes"] = orNull(p.computedBytes);
  json["measured"] = measuredJson(p);
  json["compute_ns"] = orNull(ofAllCalls(p, p.computeTime));
  json["memory_ns"] = orNull(ofAllCalls(p, p.memoryTime));
  json["communication_ns"] = orNull(ofAllCalls(p, p.communicationTime));
  json["communication_from"] =
      p.communicationFrom.empty() ? ReportJson() : ReportJson(p.communicationFrom);
  json["intensity"] = orNull(p.intensity);
  json["flops_per_s"] = orNull(p.performance);
  json["bytes_per_s"] = orNull(p.bandwidth);
  json["roof_flops_per_s"] = orNull(p.roof);
  json["share_of_roof"] = orNull(p.ofRoof);
  json["share_of_achievable"] = orNull(p.ofAchievable);
  json["bound"] = word(p.bound);
  json["matrix_unit"] = p.matrixUnit;
  json["above_roof"] = p.aboveRoof;
  json["why_above"] = p.aboveRoof ? ReportJson(whyAbove(p)) : ReportJson();
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
  const auto reached = [&](const RooflineRoof& roof, const char* valueKey) {
    ReportJson one = roofJson(roof, valueKey);
    one["example"] = eventJson(rank.trace(), roof.example);
    return one;
  };
  json["achievable"] = ReportJson::array();
  for (const RooflineRoof& roof : device.achievable)
    json["achievable"].push_back(reached(roof, "flops_per_s"));
  json["achievable_memory"] =
      device.achievableMemory ? reached(*device.achievableMemory, "bytes_per_s") : ReportJson();
  json["doubts"] = device.doubts;
  if (!device.why.empty()) json["why"] = device.why;
  return json;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out.append(out.empty() ? "" : "; ").append(text);
  return out;
}

/// What is out of the ordinary with a point, and the computed figures beside measured ones.
std::string notesOf(const RooflinePoint& p) {
  std::vector<std::string> notes;
  if (p.aboveRoof) notes.push_back(whyAbove(p));
  if (p.measured) {
    std::string text = p.measured->how;
    if (p.measured->flops && p.computedFlops)
      text += "; computed: " + people::quantity(*p.computedFlops, "FLOP");
    if (p.measured->bytes && p.computedBytes)
      text += "; computed: " + people::quantity(*p.computedBytes, "B");
    notes.push_back(std::move(text));
  }
  if (p.communicationTime) notes.push_back("T communication: " + p.communicationFrom);
  if (p.inferred) notes.push_back("inferred");
  if (p.upperBound) notes.push_back("upper bound");
  return joined(notes);
}

ReportJson measuredNamesJson(const ReportRank& rank) {
  const auto& measured = rank.results->roofline.measured;
  if (!measured) return {};
  const MeasuredKernels::Names& n = measured->names;
  return {{"rank", rank.rank},
          {"names", n.all},
          {"by_whole_name", n.whole},
          {"by_base_name", n.baseName},
          {"ambiguous", n.ambiguous},
          {"not_in_file", n.none},
          {"not_in_trace", n.notInTrace},
          {"flops_ns", measured->flopsTime},
          {"bytes_ns", measured->bytesTime},
          {"sentence", measured->sentence}};
}

Table roofsTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Roofs",
              .note =
                  "Datasheet peaks, and what is known to be reached: given by the user, else the "
                  "best calls of the whole trace (20 µs or longer on average).",
              .columns = {{"rank", "rank", Kind::count},
                          {"device", "device", Kind::count},
                          {"roof", "roof"},
                          {"kind", "kind"},
                          {"flops_per_s", "arithmetic", Kind::quantity, "FLOP/s"},
                          {"bytes_per_s", "memory", Kind::quantity, "B/s"},
                          {"source", "from", Kind::sentence}},
              .rows = {}};
  for (const ReportRank& rank : ranks)
    for (const auto& device : rank.results->roofline.devices) {
      const auto add = [&](const RooflineRoof& roof, const char* kind) {
        const bool memory = roof.key == "memory";
        table.rows.push_back({rank.rank, ordinalOf(rank, device.device), roof.key,
                              std::string(kind), memory ? Cell() : Cell(roof.value),
                              memory ? Cell(roof.value) : Cell(), roof.source});
      };
      for (const RooflineRoof& roof : device.compute) add(roof, "peak");
      if (device.memory) add(*device.memory, "peak");
      for (const RooflineRoof& roof : device.achievable) add(roof, "achievable");
      if (device.achievableMemory) add(*device.achievableMemory, "achievable");
    }
  return table;
}

}  // namespace

ReportJson roofline(Ranks ranks) {
  TimeNs launched = 0, placed = 0, named = 0, compute = 0, memory = 0, latency = 0, unknown = 0;
  ReportJson points = ReportJson::array();
  ReportJson roofs = ReportJson::array();
  ReportJson measured = ReportJson::array();
  TimeNs aboveTime = 0;
  std::size_t above = 0;
  for (const ReportRank& rank : ranks) {
    const Roofline& r = rank.results->roofline;
    launched += r.launchedTime;
    placed += r.placedTime;
    named += r.namedTime;
    compute += r.computeBound;
    memory += r.memoryBound;
    latency += r.latencyBound;
    unknown += r.unknownBound;
    for (const RooflinePoint& point : r.points) {
      points.push_back(pointJson(rank, point));
      above += point.aboveRoof;
      aboveTime += point.aboveRoof ? point.time : 0;
    }
    if (r.measured) measured.push_back(measuredNamesJson(rank));
    for (const auto& device : r.devices) roofs.push_back(roofsJson(rank, device));
  }
  return {{"launched_ns", launched},
          {"placed_ns", placed},
          {"named_ns", named},
          {"by_bound_ns",
           {{"compute", compute}, {"memory", memory}, {"latency", latency}, {"unknown", unknown}}},
          {"above_roof", {{"points", above}, {"time_ns", aboveTime}}},
          {"measured", std::move(measured)},
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
                          {"device", "device", Kind::count},
                          {"op", "op"},
                          {"shape", "shape", Column::Kind::text, {}, "not recorded"},
                          {"dtype", "type", Column::Kind::text, {}, "not recorded"},
                          {"calls", "calls", Kind::count},
                          {"time_ns", "time", Kind::time},
                          {"flops", "FLOPs a call", Kind::quantity, "FLOP"},
                          {"bytes", "bytes a call", Kind::quantity, "B"},
                          {"compute_ns", "T math", Kind::time},
                          {"memory_ns", "T memory", Kind::time},
                          {"communication_ns", "T communication", Kind::time},
                          {"flops_per_s", "achieved", Kind::quantity, "FLOP/s"},
                          {"share_of_roof", "of the roof", Kind::share},
                          {"share_of_achievable", "of the achievable", Kind::share},
                          {"bound", "bound"},
                          {"notes", "notes", Kind::sentence, {}, "none"},
                          {"missing", "missing", Kind::sentence, {}, "nothing"}},
              .rows = {},
              .shownRows = 15};
  std::size_t above = 0;
  for (const ReportRank& rank : ranks) {
    const Roofline& r = rank.results->roofline;
    for (const auto& device : r.devices)
      if (!device.why.empty()) table.note = device.why;
    if (r.measured) table.note += ' ' + r.measured->sentence;
    const auto time = [](const std::optional<TimeNs>& t) { return t ? Cell(*t) : Cell(); };
    for (const RooflinePoint& p : r.points) {
      above += p.aboveRoof;
      table.rows.push_back(
          {rank.rank, ordinalOf(rank, p.device), p.op, p.shape, p.dtype,
           static_cast<std::int64_t>(p.calls), p.time, orUnknown(p.flops), orUnknown(p.bytes),
           time(ofAllCalls(p, p.computeTime)), time(ofAllCalls(p, p.memoryTime)),
           time(ofAllCalls(p, p.communicationTime)), orUnknown(p.performance), orUnknown(p.ofRoof),
           orUnknown(p.ofAchievable), std::string(word(p.bound)), notesOf(p), joined(p.missing)});
    }
  }
  if (above > 0)
    table.note += ' ' + people::plural(above, "point") +
                  " above 110 % of the roof: see the notes for what can be wrong.";
  std::vector<Table> tables{std::move(table)};
  if (Table roofs = roofsTable(ranks); !roofs.rows.empty()) tables.push_back(std::move(roofs));
  return tables;
}

}  // namespace ridgeline::sections
