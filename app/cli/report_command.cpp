#include <ostream>

#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/open_traces.h"
#include "app/cli/report_window.h"
#include "core/base/real_number.h"
#include "core/documents/atomic_file.h"
#include "core/report/report.h"

namespace ridgeline::cli {
namespace {

constexpr std::string_view kUsage =
    "usage: ridgeline-cli report TRACE… [--format md|json|csv] [--steps A..B | --window A..B | "
    "--all]\n"
    "                            [--peaks FILE] [--collectives FILE] [--ncu FILE]\n"
    "                            [--achievable-tflops TYPE=T]… [--achievable-bandwidth G]\n"
    "                            [--what-if CHANGE]…\n"
    "                            [--model-flops F | --parameters P --tokens T] [-o FILE]\n"
    "  --steps   numbers as in the names of the steps; without a choice: all steady steps\n"
    "  --window  times from the start of the recording, in ns or with a unit: 12.1ms..14ms\n"
    "  --all     from the first device event's start to the last one's end\n"
    "  --peaks   a file with the peaks of your device (resources/hardware/README.md)\n"
    "  --what-if replays the median step with something taking K times as long (0: no time):\n"
    "            class:NAME=K  kernels of a class       op:NAME=K     kernels of an operator\n"
    "            kernel:NAME=K kernels of a name        event:ID=K    one event\n"
    "            cause:NAME=K  a cause of the critical path: input, host_gap, python …\n"
    "            collectives=K, launches=K (calls and latency); NAME* of kernel and op: all that\n"
    "            begin so; like --what-if \"class:matmul=0.5\"\n"
    "  --collectives  what collectives take on your machine: the output of nccl-tests or\n"
    "            rccl-tests, or a table with the header collective,ranks,bytes,time_us\n"
    "  --ncu     FLOPs and memory traffic of kernels as counted by Nsight Compute: the output of\n"
    "            ncu --csv, with --page raw or without\n"
    "  --achievable-tflops, --achievable-bandwidth  what your device reaches at best, in TFLOP/s\n"
    "            by type (bf16=640, fp32=50, tf32=300 …) and in 10^9 bytes/s; a second roof.\n"
    "            Without: the best of the trace\n"
    "  --model-flops  useful FLOPs of one step on one device, for MFU (such as 4.2e13)\n"
    "  --parameters, --tokens  instead: parameters of the model, tokens of one step on one\n"
    "            device; a training step then takes 6 x parameters x tokens FLOPs\n";

/// What the words ask for, or why they are wrong usage.
struct Request {
  std::string problem;
  std::string format = "md";
  WindowRequest window;
  std::optional<std::string> peaks, collectives, counters, output;
  ModelWork model;
  AchievableRates achievable;
  std::vector<std::string> paths;
  std::vector<WhatIfChange> changes;
};

void takeAchievable(const Arguments& arguments, Request& request) {
  for (const std::string& text : arguments.values("--achievable-tflops")) {
    const Status read = readAchievableFlops(text, request.achievable);
    if (read.failed()) request.problem = "--achievable-tflops: " + read.error().text();
    if (read.ok() && request.achievable.flops.empty())
      request.problem = "--achievable-tflops must be like bf16=640";
  }
  if (const auto text = arguments.value("--achievable-bandwidth")) {
    const auto value = parsePositive(*text);
    if (value)
      request.achievable.bandwidth = *value * 1e9;
    else
      request.problem = "--achievable-bandwidth must be a number above 0, in 10^9 bytes/s";
  }
}

Request parse(std::span<const std::string_view> args) {
  const Arguments arguments(args,
                            {"--format", "--steps", "--window", "--peaks", "--collectives", "--ncu",
                             "--achievable-tflops", "--achievable-bandwidth", "--model-flops",
                             "--parameters", "--tokens", "--what-if", "-o", "--output"},
                            {"--all"});
  Request request;
  request.problem = arguments.problem();
  request.paths = arguments.plain();
  request.format = arguments.value("--format").value_or("md");
  request.peaks = arguments.value("--peaks");
  request.collectives = arguments.value("--collectives");
  request.counters = arguments.value("--ncu");
  request.output = arguments.has("-o") ? arguments.value("-o") : arguments.value("--output");
  if (!request.problem.empty()) return request;
  if (request.paths.empty()) request.problem = "no trace was named";
  for (const auto& [option, to] : {std::pair{"--model-flops", &request.model.flopsPerStep},
                                   std::pair{"--parameters", &request.model.parameters},
                                   std::pair{"--tokens", &request.model.tokensPerStep}}) {
    const auto text = arguments.value(option);
    if (!text) continue;
    *to = parsePositive(*text);
    if (!*to) request.problem = std::string(option) + " must be a number above 0, such as 4.2e13";
  }
  takeAchievable(arguments, request);
  if (request.model.parameters.has_value() != request.model.tokensPerStep.has_value())
    request.problem = "--parameters and --tokens belong together";
  if (request.format != "md" && request.format != "json" && request.format != "csv")
    request.problem = "--format is md, json or csv";
  for (const std::string& text : arguments.values("--what-if")) {
    const auto change = parseWhatIf(text);
    if (change.ok())
      request.changes.push_back(change.value());
    else if (change.failed())
      request.problem = "--what-if " + change.error().text();
  }
  const auto steps = arguments.value("--steps");
  const auto window = arguments.value("--window");
  const bool all = arguments.has("--all");
  if (int{steps.has_value()} + int{window.has_value()} + int{all} > 1)
    request.problem = "--steps, --window and --all exclude each other";
  std::optional<WindowRequest> wanted = WindowRequest{};
  if (steps) wanted = parseSteps(*steps);
  if (window) wanted = parseWindow(*window);
  if (all) wanted->kind = WindowRequest::Kind::all;
  if (wanted)
    request.window = *wanted;
  else
    request.problem = steps ? "--steps must be like 5..7" : "--window must be like 12.1ms..14ms";
  return request;
}

Error inFile(Error error, const std::string& path) {
  error.where = path + (error.where.empty() ? "" : ": " + error.where);
  return error;
}

Result<WorkloadSettings> settingsOf(const Request& request) {
  WorkloadSettings settings;
  settings.model = request.model;
  settings.achievable = request.achievable;
  if (request.peaks) {
    const auto text = readFile(*request.peaks);
    if (!text.ok()) return text.error();
    auto catalog = DeviceCatalog::builtin().withUserFile(text.value());
    if (!catalog.ok()) return inFile(catalog.error(), *request.peaks);
    settings.catalog = std::make_shared<const DeviceCatalog>(std::move(catalog).value());
  }
  if (request.collectives) {
    const auto text = readFile(*request.collectives);
    if (!text.ok()) return text.error();
    auto table = CollectiveTable::fromText(text.value(), *request.collectives);
    if (!table.ok()) return table.error();
    settings.collectives = std::make_shared<const CollectiveTable>(std::move(table).value());
  }
  if (request.counters) {
    const auto text = readFile(*request.counters);
    if (!text.ok()) return text.error();
    auto counters = KernelCounters::fromText(text.value(), *request.counters);
    if (!counters.ok()) return counters.error();
    settings.counters = std::make_shared<const KernelCounters>(std::move(counters).value());
  }
  return settings;
}

Result<std::shared_ptr<const AnalysisResults>> analyse(const OpenedTrace& opened,
                                                       const Request& request,
                                                       const WorkloadSettings& settings,
                                                       AnalysisStore& store) {
  auto workload = makeWorkload(opened.trace, settings);
  if (workload.failed()) return workload.error();
  if (workload.cancelled()) return Cancelled{};
  const auto window = windowOf(*workload.value(), request.window);
  if (window.failed()) return window.error();
  auto results = store.results(workload.value(), window.value());
  if (!results) return Cancelled{};
  return results;
}

std::vector<WhatIf> asked(const Request& request, const AnalysisResults& results) {
  std::vector<WhatIf> answers;
  if (!results.whatIfs.graph) return answers;
  for (const WhatIfChange& change : request.changes) {
    answers.push_back(
        whatIf(*results.whatIfs.graph, *results.workload, change, results.whatIfs.floor));
    answers.back().times.clear();
  }
  return answers;
}

std::string printed(const Request& request, std::span<const ReportRank> ranks) {
  if (request.format == "md") return reportToMarkdown(ranks);
  if (request.format == "csv") return reportToCsv(ranks);
  return reportToJson(ranks, RIDGELINE_VERSION)
             .dump(1, ' ', false, ReportJson::error_handler_t::replace) +
         "\n";
}

}  // namespace

int runReport(std::span<const std::string_view> args, std::ostream& out, std::ostream& err) {
  const Request request = parse(args);
  if (!request.problem.empty()) {
    err << "ridgeline-cli report: " << request.problem << '\n' << kUsage;
    return kWrongUsage;
  }
  const auto say = [&](const Error& error) { err << "ridgeline-cli: " << error.text() << '\n'; };
  const auto settings = settingsOf(request);
  if (settings.failed()) {
    say(settings.error());
    return kCouldNot;
  }
  const OpenedTraces opened = openTraces(request.paths, err);
  bool whole = opened.allOpened;
  AnalysisStore store;
  std::vector<ReportRank> ranks;
  for (const OpenedTrace& one : opened.traces) {
    const auto results = analyse(one, request, settings.value(), store);
    if (results.ok()) {
      ranks.push_back({one.rank, results.value(), asked(request, *results.value())});
      continue;
    }
    whole = false;
    if (results.failed()) say(results.error());
  }
  if (ranks.empty()) return kCouldNot;

  const std::string text = printed(request, ranks);
  if (!request.output) {
    out << text;
  } else if (const Status written = writeFileAtomically(*request.output, text); !written.ok()) {
    say(written.error());
    return kCouldNot;
  }
  return whole ? kFine : kCouldNot;
}

}  // namespace ridgeline::cli
