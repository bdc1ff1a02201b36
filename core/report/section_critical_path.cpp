#include <algorithm>

#include "core/report/sections.h"

namespace ridgeline::sections {
namespace {

ReportJson byCauseJson(const CriticalPath& path) {
  ReportJson json = ReportJson::object();
  for (std::size_t i = 0; i < path.byCause.size(); ++i)
    if (path.byCause[i] != 0) json[std::string(word(static_cast<PathCause>(i)))] = path.byCause[i];
  return json;
}

ReportJson segmentJson(const ReportRank& rank, const PathSegment& segment) {
  const Trace& trace = rank.trace();
  ReportJson json = {{"start_ns", segment.span.begin},
                     {"end_ns", segment.span.end},
                     {"cause", word(segment.cause)}};
  if (segment.event.valid()) {
    json["name"] = trace.name(segment.event);
    json["event"] = segment.event.value;
    json["track"] = trace.track(trace.trackOf(segment.event)).displayName;
  } else {
    json["name"] = nullptr;
    json["event"] = nullptr;
  }
  json["edge"] = word(segment.edge);
  return json;
}

/// The name of the step whose window the path is in; the label of the window otherwise.
std::string nameOfPath(const ReportRank& rank, std::size_t index) {
  const AnalysisWindow& window = rank.results->criticalPaths.window;
  if (index < window.steps.size()) return rank.workload().steps.steps[window.steps[index]].name;
  return window.label;
}

}  // namespace

ReportJson criticalPath(Ranks ranks) {
  ReportJson json = ReportJson::object();
  ReportJson steps = ReportJson::array();
  for (const ReportRank& rank : ranks) {
    const CriticalPaths& paths = rank.results->criticalPaths;
    for (std::size_t i = 0; i < paths.paths.size(); ++i)
      steps.push_back({{"rank", rank.rank},
                       {"name", nameOfPath(rank, i)},
                       {"start_ns", paths.paths[i].window.begin},
                       {"end_ns", paths.paths[i].window.end},
                       {"window_ns", paths.paths[i].window.length()},
                       {"by_cause", byCauseJson(paths.paths[i])}});
    if (!json.empty() || paths.representative >= paths.paths.size()) continue;
    const CriticalPath& path = paths.paths[paths.representative];
    json = {{"rank", rank.rank},
            {"name", nameOfPath(rank, paths.representative)},
            {"start_ns", path.window.begin},
            {"end_ns", path.window.end},
            {"window_ns", path.window.length()},
            {"by_cause", byCauseJson(path)}};
    json["segments"] = ReportJson::array();
    for (const PathSegment& segment : path.segments)
      json["segments"].push_back(segmentJson(rank, segment));
  }
  json["steps"] = std::move(steps);
  return json;
}

std::vector<Table> criticalPathTables(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Critical path",
              .note =
                  "What the end of a step had to wait for, back to its start: every ns has one "
                  "cause. Of the counted step whose length is nearest the median.",
              .columns = {{"rank", "rank", Kind::count},
                          {"step", "step"},
                          {"cause", "cause"},
                          {"time_ns", "time", Kind::time},
                          {"share", "of the step", Kind::share},
                          {"segments", "segments", Kind::count}},
              .rows = {}};
  for (const ReportRank& rank : ranks) {
    const CriticalPaths& paths = rank.results->criticalPaths;
    if (paths.representative >= paths.paths.size()) continue;
    const CriticalPath& path = paths.paths[paths.representative];
    std::array<std::int64_t, kPathCauseCount> counts{};
    for (const PathSegment& segment : path.segments)
      ++counts[static_cast<std::size_t>(segment.cause)];
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (path.byCause[i] != 0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return path.byCause[a] > path.byCause[b];
    });
    for (const std::size_t i : order)
      table.rows.push_back({rank.rank, nameOfPath(rank, paths.representative),
                            std::string(title(static_cast<PathCause>(i))), path.byCause[i],
                            shareOf(path.byCause[i], path.window.length()), counts[i]});
  }
  return {std::move(table)};
}

}  // namespace ridgeline::sections
