#include <algorithm>
#include <filesystem>
#include <ostream>

#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/open_traces.h"
#include "app/cli/report_window.h"
#include "core/base/real_number.h"
#include "core/documents/atomic_file.h"
#include "core/io/plain_text.h"
#include "core/report/report.h"

namespace ridgeline::cli {
namespace {

constexpr Option kOptions[] = {
    {"--format", "md|json|csv", "md: tables for people (the default); json and csv: everything"},
    {"--output", "FILE", "write to FILE instead of standard output", "-o"},
    {"--steps", "A..B", "steps by their numbers, also one alone; without: all steady steps"},
    {"--window", "A..B",
     "times from the start of the recording, in ns or with a unit:\n12.1ms..14ms"},
    {"--all", "", "from the first device event's start to the last one's end"},
    {"--peaks", "FILE", "peaks of your device (resources/hardware/README.md)"},
    {"--collectives", "FILE",
     "what collectives take on your machine: the output of nccl-tests or\n"
     "rccl-tests, or a table with the header collective,ranks,bytes,time_us"},
    {"--ncu", "FILE",
     "FLOPs and memory traffic of kernels as Nsight Compute counted them:\n"
     "the output of ncu --csv, with --page raw or without"},
    {"--achievable-tflops", "TYPE=T",
     "what your device reaches at best, in TFLOP/s by type (bf16=640,\n"
     "fp32=50, tf32=300 …): a second roof; without: the best of the trace"},
    {"--achievable-bandwidth", "G", "the same of device memory, in 10^9 bytes/s"},
    {"--model-flops", "F", "useful FLOPs of one step on one device, for MFU (such as 4.2e13)"},
    {"--parameters", "P",
     "instead, with --tokens: parameters of the model; a training step\n"
     "then takes 6 x P x T FLOPs"},
    {"--tokens", "T", "tokens of one step on one device"},
    {"--what-if", "CHANGE",
     "replay the step nearest the median with something taking K times as long (0: no\n"
     "time); may be given several times:\n"
     "class:NAME=K   kernels of a class, like class:matmul=0.5\n"
     "op:NAME=K      kernels of an operator; NAME* is all that begin so\n"
     "kernel:NAME=K  kernels of a name; NAME* as above\n"
     "event:ID=K     one event\n"
     "cause:NAME=K   a cause of the critical path: input, host_gap, python …\n"
     "collectives=K, launches=K   (calls and latency)"},
};
constexpr CommandLine kCommand{"report", "TRACE… [OPTION…]",
                               "Says where the time of the device went and what it waited for. A "
                               "TRACE is a file, a folder or a\n"
                               "tar archive of them; several are ranks of one job.",
                               kOptions};

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
  const Arguments arguments(args, kCommand.options);
  Request request;
  request.problem = arguments.problem();
  request.paths = arguments.plain();
  request.format = arguments.value("--format").value_or("md");
  request.peaks = arguments.value("--peaks");
  request.collectives = arguments.value("--collectives");
  request.counters = arguments.value("--ncu");
  request.output = arguments.value("--output");
  if (!request.problem.empty()) return request;
  if (request.paths.empty()) request.problem = "no trace was named";
  for (const std::string& path : request.paths) {
    std::error_code unknown;  // a file that is not there yet is no trace
    if (request.output && std::filesystem::equivalent(*request.output, path, unknown))
      request.problem = "-o " + *request.output +
                        " is the trace itself, which a report must not replace: name another file";
  }
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
  if (request.model.flopsPerStep && (request.model.parameters || request.model.tokensPerStep))
    request.problem =
        "--model-flops already says what --parameters and --tokens are for: give --model-flops "
        "alone, or --parameters and --tokens without it";
  if (request.format != "md" && request.format != "json" && request.format != "csv")
    request.problem = "--format is md, json or csv, not '" + request.format + "'";
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
    request.problem = steps ? problemOfSteps(*steps) : problemOfWindow(*window);
  return request;
}

Error inFile(Error error, const std::string& path) {
  error.where = path + (error.where.empty() ? "" : ": " + error.where);
  return error;
}

Result<std::string> readGiven(const std::string& path) {
  auto bytes = readFile(path);
  if (!bytes.ok()) return bytes;
  return plainText(std::move(bytes).value(), path);
}

Result<WorkloadSettings> settingsOf(const Request& request) {
  WorkloadSettings settings;
  settings.model = request.model;
  settings.achievable = request.achievable;
  if (request.peaks) {
    const auto text = readGiven(*request.peaks);
    if (!text.ok()) return text.error();
    auto catalog = DeviceCatalog::builtin().withUserFile(text.value());
    if (!catalog.ok()) return inFile(catalog.error(), *request.peaks);
    settings.catalog = std::make_shared<const DeviceCatalog>(std::move(catalog).value());
  }
  if (request.collectives) {
    const auto text = readGiven(*request.collectives);
    if (!text.ok()) return text.error();
    auto table = CollectiveTable::fromText(text.value(), *request.collectives);
    if (!table.ok()) return table.error();
    settings.collectives = std::make_shared<const CollectiveTable>(std::move(table).value());
  }
  if (request.counters) {
    const auto text = readGiven(*request.counters);
    if (!text.ok()) return text.error();
    auto counters = KernelCounters::fromText(text.value(), *request.counters);
    if (!counters.ok()) return counters.error();
    settings.counters = std::make_shared<const KernelCounters>(std::move(counters).value());
  }
  return settings;
}

Result<std::shared_ptr<const AnalysisResults>> analyse(const OpenedTrace& opened,
                                                       const Request& request,
                                                       WorkloadSettings settings,
                                                       AnalysisStore& store) {
  settings.copies = opened.copies;
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
        whatIf(*results.whatIfs.graph, *results.workload, change, results.whatIfs.floors));
    answers.back().times.clear();
  }
  return answers;
}

/// Says what was asked for and is in no rank's step. False where a name is in none of them: most
/// likely it was misspelt.
bool sayWhatIsInNone(std::span<const ReportRank> ranks, std::ostream& err) {
  using What = WhatIfChange::What;
  bool allNamed = true;
  const std::size_t asked = ranks.empty() ? 0 : ranks.front().asked.size();
  for (std::size_t i = 0; i < asked; ++i) {
    const bool none = std::all_of(ranks.begin(), ranks.end(), [i](const ReportRank& rank) {
      return i >= rank.asked.size() || rank.asked[i].events == 0;
    });
    if (!none) continue;
    const WhatIf& one = ranks.front().asked[i];
    err << "ridgeline-cli: --what-if " << textOf(one.change) << ": " << one.sentence << '\n';
    const What what = one.change.what;
    allNamed = allNamed && what != What::op && what != What::kernel && what != What::event;
  }
  return allNamed;
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
  if (asksForHelp(args)) {
    out << kCommand.help();
    return kFine;
  }
  const Request request = parse(args);
  if (!request.problem.empty()) {
    err << "ridgeline-cli report: " << request.problem << '\n' << kCommand.usage();
    return kWrongUsage;
  }
  const auto say = [&](const Error& error) { err << "ridgeline-cli: " << error.text() << '\n'; };
  const auto settings = settingsOf(request);
  if (settings.failed()) {
    say(settings.error());
    return kCouldNot;
  }
  const OpenedTraces opened = openTraces(request.paths, Copies::leaveOut, err);
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
  whole = sayWhatIsInNone(ranks, err) && whole;

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
