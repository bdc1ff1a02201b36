#include "core/report/report.h"

#include <algorithm>
#include <array>

#include "core/report/people.h"
#include "core/report/quality_marks.h"
#include "core/report/sections.h"
#include "core/report/trace_info.h"

namespace ridgeline {
namespace {

constexpr std::array kSections{
    ReportSection{"headline", sections::headline, sections::headlineTables},
    ReportSection{"data_quality", sections::dataQualitySection, sections::dataQualityTables},
    ReportSection{"steps", sections::stepsSection, sections::stepsTables},
    ReportSection{"devices", sections::deviceTime, sections::deviceTimeTables},
    ReportSection{"idle_gaps", sections::idleGaps, sections::idleGapsTables},
    ReportSection{"critical_path", sections::criticalPath, sections::criticalPathTables},
    ReportSection{"what_if", sections::whatIf, sections::whatIfTables},
    ReportSection{"kernel_groups", sections::kernelGroups, sections::kernelGroupsTables},
    ReportSection{"roofline", sections::roofline, sections::rooflineTables},
    ReportSection{"bounds", sections::bounds, sections::boundsTables},
    ReportSection{"utilisation", sections::utilisation, sections::utilisationTables},
    ReportSection{"collectives", sections::collectives, sections::collectivesTables},
    ReportSection{"launches", sections::launches, sections::launchesTables},
    ReportSection{"compiled", sections::compiledSection, sections::compiledTables},
    ReportSection{"memory", sections::memory, sections::memoryTables},
    ReportSection{"profiler_cost", sections::profilerCostSection, sections::profilerCostTables},
    ReportSection{"run", sections::run, sections::runTables},
};

std::string_view word(AnalysisWindow::Kind kind) {
  switch (kind) {
    case AnalysisWindow::Kind::steadySteps:
      return "steady_steps";
    case AnalysisWindow::Kind::steps:
      return "steps";
    case AnalysisWindow::Kind::span:
      return "span";
    case AnalysisWindow::Kind::wholeDevice:
      return "all";
  }
  return "";
}

ReportJson windowJson(const ReportRank& rank) {
  const AnalysisWindow& window = rank.results->window;
  ReportJson json = {{"rank", rank.rank},
                     {"kind", word(window.kind)},
                     {"label", window.label},
                     {"length_ns", window.length()}};
  json["spans"] = ReportJson::array();
  for (const TimeSpan& span : window.spans)
    json["spans"].push_back({{"start_ns", span.begin}, {"end_ns", span.end}});
  return json;
}

std::vector<DescribedTrace> described(std::span<const ReportRank> ranks) {
  std::vector<DescribedTrace> traces;
  for (const ReportRank& rank : ranks)
    traces.push_back({rank.rank, &rank.trace(), &rank.workload().steps});
  return traces;
}

ReportJson bodyJson(std::span<const ReportRank> ranks) {
  ReportJson json;
  json["trace"] = traceJson(described(ranks));
  json["origin_ns"] = json["trace"]["origin_ns"];
  json["windows"] = ReportJson::array();
  for (const ReportRank& rank : ranks) json["windows"].push_back(windowJson(rank));
  for (const ReportSection& section : kSections)
    json[std::string(section.key)] = section.json(ranks);
  json["touched_by"] = touchedByJson(ranks);
  return json;
}

/// "idle 44.0 %: input 40.1 %, launch 3.2 %": the largest of an array of causes, in words.
template <std::size_t N, class Cause>
std::string largestCauses(const std::array<TimeNs, N>& byCause, TimeNs whole,
                          std::string_view (*name)(Cause)) {
  std::array<std::size_t, N> order{};
  for (std::size_t i = 0; i < N; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return byCause[a] > byCause[b]; });
  std::string out;
  for (std::size_t k = 0; k < 3 && k < N && byCause[order[k]] > 0; ++k) {
    out.append(out.empty() ? "" : ", ").append(name(static_cast<Cause>(order[k])));
    out.append(" ").append(people::share(sections::shareOf(byCause[order[k]], whole)));
  }
  return out;
}

void addLine(std::vector<std::string>& lines, std::string_view head, const std::string& text) {
  if (text.empty()) return;
  std::string line = "**";
  line.append(head).append("** ").append(text);
  lines.push_back(std::move(line));
}

std::string deviceLine(const AnalysisResults& r) {
  std::string text;
  for (const DeviceTime& d : r.deviceTimes.devices) {
    if (!text.empty()) text += "; ";
    text += people::share(sections::shareOf(d.busy, d.span)) + " busy";
    if (d.exposedCommunication > 0)
      text += ", " + people::share(sections::shareOf(d.exposedCommunication, d.span)) +
              " exposed communication";
    if (d.exposedMemory > 0)
      text += ", " + people::share(sections::shareOf(d.exposedMemory, d.span)) + " exposed copies";
  }
  return text.empty() ? "no device work in this recording" : text;
}

std::string pathLine(const AnalysisResults& r) {
  if (r.criticalPaths.representative >= r.criticalPaths.paths.size()) return {};
  const CriticalPath& path = r.criticalPaths.paths[r.criticalPaths.representative];
  if (path.window.empty()) return {};
  return largestCauses(path.byCause, path.window.length(),
                       static_cast<std::string_view (*)(PathCause)>(title)) +
         " of " + people::duration(path.window.length()) +
         (r.criticalPaths.paths.size() > 1 ? ", the step whose length is nearest the median" : "");
}

std::string boundsLine(const AnalysisResults& r) {
  for (const Bounds& b : r.bounds)
    if (const auto floor = b.floor())
      return "no faster than " + people::duration(*floor) + " (" + std::string(b.floorName()) +
             ") of the " + (r.window.spans.size() > 1 ? "mean step's " : "measured ") +
             people::duration(b.measured) + "; work known for " + people::share(b.coverage) +
             " of the kernel time";
  for (const Bounds& b : r.bounds)
    if (!b.missing.empty()) return "unknown. Missing: " + b.missing.front();
  return {};
}

/// MFU and HFU of the devices, or what MFU needs.
std::string utilisationLine(const AnalysisResults& r) {
  for (const Utilisation& u : r.utilisation) {
    if (!u.hfu) continue;
    std::string text;
    if (u.mfu)
      text = "MFU " + people::share(*u.mfu) +
             (*u.mfu > 1 ? " (impossible: the figures given are of another step), " : ", ");
    // "At least less than 0.1 %" says nothing.
    text += (u.coverage < 0.995 && *u.hfu >= 0.001 ? "HFU at least " : "HFU ") +
            people::share(*u.hfu) + " of " + people::quantity(u.peak, "FLOP/s") + " " + u.peakKey;
    if (*u.hfu > 1) text += " (impossible: the peak or the work is wrong)";
    if (!u.mfu) text += "; MFU needs the model's FLOPs (--model-flops)";
    return text;
  }
  return {};
}

/// What matters of one recording, in at most seven lines.
std::vector<std::string> topLines(const ReportRank& rank, const QualityMarks& marks) {
  const AnalysisResults& r = *rank.results;
  std::vector<std::string> lines;
  const auto add = [&](const std::string& head, const std::string& text,
                       const std::vector<std::string>& sections) {
    addLine(lines, head, text.empty() ? text : text + marks.of(rank, sections));
  };
  const std::string verdict = std::string(name(r.headline.word)) +
                              (r.headline.of.empty() ? std::string() : " (" + r.headline.of + ")");
  add("Verdict: " + verdict + ".", r.headline.verdict, r.headline.verdictSections);
  addLine(lines, "Do:", r.headline.action);
  add("Looked at:", r.window.label + ". " + rank.workload().steps.sentence, {"steps"});
  add("Device:", deviceLine(r), {"devices"});
  if (r.idleGaps.total > 0)
    add("Idle:",
        people::duration(r.idleGaps.total) + " in " +
            people::plural(r.idleGaps.gaps.size(), "gap") + ": " +
            largestCauses(r.idleGaps.byCause, r.idleGaps.total,
                          static_cast<std::string_view (*)(GapCause)>(title)),
        {"idle_gaps"});
  add("Critical path:", pathLine(r), {"critical_path"});
  std::string bounds = boundsLine(r);
  if (const std::string used = utilisationLine(r); !used.empty())
    bounds += (bounds.empty() ? "" : ". ") + used;
  add("Bounds of a step:", bounds, {"bounds"});
  return lines;
}

}  // namespace

std::span<const ReportSection> reportSections() {
  return kSections;
}

ReportJson reportToJson(std::span<const ReportRank> ranks, std::string_view version) {
  ReportJson json = {{"ridgeline", "report"}, {"version", 1}, {"program_version", version}};
  json.update(bodyJson(ranks));
  if (ranks.size() == 1) return json;
  json["ranks"] = ReportJson::array();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ReportJson one = {{"rank", ranks[i].rank}};
    one.update(bodyJson(ranks.subspan(i, 1)));
    json["ranks"].push_back(std::move(one));
  }
  return json;
}

std::string reportToMarkdown(std::span<const ReportRank> ranks) {
  const QualityMarks marks(ranks);
  std::string out;
  for (const ReportRank& rank : ranks) {
    out += "## " + rank.trace().info().path;
    if (ranks.size() > 1 || rank.trace().info().rank) out += ", rank " + std::to_string(rank.rank);
    out += "\n\n";
    for (const std::string& line : topLines(rank, marks)) out += line + "  \n";
    for (const QualityCheck& check : rank.results->headline.quality.checks)
      if (const std::string mark = marks.markOf(check); !mark.empty())
        out += "\n> " + mark + " " + check.sentence() + "\n";
    out += "\n";
  }
  for (const ReportSection& section : kSections) {
    std::vector<Table> tables = section.tables(ranks);
    for (Table& table : tables) {
      marks.mark(table, section.key);
      out += tableToMarkdown(table);
    }
    if (!tables.empty()) out += marks.footnotes(section.key);
  }
  return out;
}

std::string reportToCsv(std::span<const ReportRank> ranks) {
  std::string out;
  for (const ReportSection& section : kSections)
    for (const Table& table : section.tables(ranks))
      out.append(out.empty() ? "" : "\n")
          .append("# ")
          .append(table.title)
          .append("\n")
          .append(tableToCsv(table));
  return out;
}

}  // namespace ridgeline
