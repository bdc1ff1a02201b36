#include <algorithm>

#include "core/report/sections.h"

namespace ridgeline::sections {
namespace {

ReportJson textOrNull(const std::string& text) {
  return text.empty() ? ReportJson() : ReportJson(text);
}

ReportJson kernelJson(const Trace& trace, const CompiledKernel& kernel) {
  return {
      {"name", trace.text(kernel.name)},
      {"kind", textOrNull(kernel.kind)},
      {"source_ops", kernel.sourceOps},
      {"instruction", textOrNull(kernel.instruction)},
      {"backend", textOrNull(kernel.backend)},
      {"file", textOrNull(kernel.file)},
      {"hash", textOrNull(kernel.hash)},
      {"source_line", textOrNull(kernel.sourceLine)},
      {"calls", kernel.calls},
      {"total_ns", kernel.total},
      {"share", kernel.share},
      {"first", eventJson(trace, kernel.instances.empty() ? SliceId() : kernel.instances.front())}};
}

ReportJson programJson(const Trace& trace, const CompiledProgram& program) {
  ReportJson json = {
      {"kind", name(program.kind)}, {"name", program.name}, {"region", textOrNull(program.region)}};
  const auto pieces = [](const ProgramRun& a, const ProgramRun& b) { return a.pieces < b.pieces; };
  const auto [fewest, most] = std::minmax_element(program.runs.begin(), program.runs.end(), pieces);
  const bool known = !program.runs.empty();
  json["runs"] = known ? ReportJson(program.runs.size()) : ReportJson();
  json["fewest_per_run"] = known ? ReportJson(fewest->pieces) : ReportJson();
  json["most_per_run"] = known ? ReportJson(most->pieces) : ReportJson();
  json["calls"] = program.calls;
  json["total_ns"] = program.total;
  json["share"] = program.share;
  json["kernels"] = ReportJson::array();
  for (const CompiledKernel& kernel : program.kernels)
    json["kernels"].push_back(kernelJson(trace, kernel));
  return json;
}

const Step* stepOf(const ReportRank& rank, const CompileSpan& span) {
  return span.step ? &rank.workload().steps.steps[*span.step] : nullptr;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

Cell textOrUnknown(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

Table programsTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Compiled programs",
              .note =
                  "Regions of torch.compile, graph replays, XLA modules. Share: of all device "
                  "time in the window.",
              .columns = {{"rank", "rank", Kind::count},
                          {"kind", "kind"},
                          {"name", "program"},
                          {"region", "region"},
                          {"runs", "runs", Kind::count},
                          {"kernels", "kernels", Kind::count},
                          {"calls", "calls", Kind::count},
                          {"total_ns", "total", Kind::time},
                          {"share", "share", Kind::share}},
              .rows = {},
              .shownRows = 10};
  for (const ReportRank& rank : ranks)
    for (const CompiledProgram& program : rank.results->compiled.programs)
      table.rows.push_back(
          {rank.rank, std::string(name(program.kind)), program.name, textOrUnknown(program.region),
           program.runs.empty() ? Cell() : Cell(static_cast<std::int64_t>(program.runs.size())),
           static_cast<std::int64_t>(program.kernels.size()),
           static_cast<std::int64_t>(program.calls), program.total, program.share});
  return table;
}

Table kernelsTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Compiled kernels",
              .note = "Source ops: read from Inductor's name, or as XLA recorded them.",
              .columns = {{"rank", "rank", Kind::count},
                          {"program", "program"},
                          {"name", "kernel"},
                          {"kind", "kind"},
                          {"source_ops", "source ops"},
                          {"file", "file"},
                          {"hash", "hash"},
                          {"source_line", "source line"},
                          {"calls", "calls", Kind::count},
                          {"total_ns", "total", Kind::time},
                          {"share", "share", Kind::share}},
              .rows = {},
              .shownRows = 15};
  for (const ReportRank& rank : ranks)
    for (const CompiledProgram& program : rank.results->compiled.programs)
      for (const CompiledKernel& kernel : program.kernels)
        table.rows.push_back({rank.rank, program.name, std::string(rank.trace().text(kernel.name)),
                              textOrUnknown(kernel.kind), textOrUnknown(joined(kernel.sourceOps)),
                              textOrUnknown(kernel.file), textOrUnknown(kernel.hash),
                              textOrUnknown(kernel.sourceLine),
                              static_cast<std::int64_t>(kernel.calls), kernel.total, kernel.share});
  return table;
}

Table compileTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Compile time",
              .note =
                  "Compiling, loading and tuning code on the host, in the whole recording. "
                  "Steps that hold such time are left out of the steady ones.",
              .columns = {{"rank", "rank", Kind::count},
                          {"name", "what"},
                          {"start_ns", "start", Kind::time},
                          {"duration_ns", "duration", Kind::time},
                          {"step", "step"},
                          {"why", "why the step is left out", Kind::sentence}},
              .rows = {},
              .shownRows = 10};
  for (const ReportRank& rank : ranks)
    for (const CompileSpan& span : rank.results->compiled.compiling) {
      const Step* step = stepOf(rank, span);
      const SliceTable& s = rank.trace().slices();
      table.rows.push_back({rank.rank, std::string(rank.trace().name(span.slice)),
                            s.start[span.slice.index()], s.duration(span.slice),
                            step == nullptr ? Cell() : Cell(step->name),
                            step == nullptr || step->steady ? Cell() : Cell(step->why)});
    }
  return table;
}

}  // namespace

ReportJson compiledSection(Ranks ranks) {
  ReportJson all = ReportJson::array();
  for (const ReportRank& rank : ranks) {
    const CompiledPrograms& compiled = rank.results->compiled;
    ReportJson json = {{"rank", rank.rank},
                       {"sentence", compiled.sentence},
                       {"missing", textOrNull(compiled.missing)},
                       {"device_ns", compiled.deviceTotal},
                       {"compiled_ns", compiled.total},
                       {"compile_ns", compiled.compileTotal}};
    json["programs"] = ReportJson::array();
    for (const CompiledProgram& program : compiled.programs)
      json["programs"].push_back(programJson(rank.trace(), program));
    json["compiling"] = ReportJson::array();
    for (const CompileSpan& span : compiled.compiling) {
      const Step* step = stepOf(rank, span);
      json["compiling"].push_back(
          {{"event", eventJson(rank.trace(), span.slice)},
           {"tuning", span.tuning},
           {"step", step == nullptr ? ReportJson() : ReportJson(step->name)},
           {"steady", step == nullptr ? ReportJson() : ReportJson(step->steady)},
           {"why", step == nullptr ? ReportJson() : textOrNull(step->why)}});
    }
    all.push_back(std::move(json));
  }
  return all;
}

std::vector<Table> compiledTables(Ranks ranks) {
  std::vector<Table> tables;
  for (Table table : {programsTable(ranks), kernelsTable(ranks), compileTable(ranks)})
    if (!table.rows.empty()) tables.push_back(std::move(table));
  return tables;
}

}  // namespace ridgeline::sections
