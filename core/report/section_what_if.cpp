#include <algorithm>

#include "core/analysis/path_shares.h"
#include "core/report/sections.h"

namespace ridgeline::sections {
namespace {

constexpr std::size_t kMostOps = 100;

ReportJson changeJson(const WhatIf& r, bool asked) {
  ReportJson causes = ReportJson::object();
  for (const auto& [cause, time] : r.newCauses) causes[std::string(word(cause))] = time;
  return {{"change", textOf(r.change)},
          {"title", titleOf(r.change)},
          {"asked", asked},
          {"events", r.events},
          {"touched_ns", r.touched},
          {"step_ns", r.step},
          {"new_step_ns", r.newStep},
          {"saving_ns", r.saving()},
          {"replayed_ns", r.replayed},
          {"limited_by_floor_ns", orNull(r.floor)},
          {"on_path_ns", r.onPath},
          {"on_new_path_ns", r.onNewPath},
          {"path_moves", r.pathMoves()},
          {"new_by_cause", std::move(causes)},
          {"sentence", r.sentence},
          {"assumptions", r.assumptions}};
}

ReportJson slackJson(const WhatIfs& all) {
  ReportJson json = ReportJson::array();
  for (const ClassSlack& c : all.slack)
    json.push_back({{"class", name(c.kernelClass)},
                    {"on_path_ns", c.onPath},
                    {"events", c.events},
                    {"no_slack", c.noSlack},
                    {"unknown", c.unknown},
                    {"median_slack_ns", orNull(c.median)}});
  return json;
}

std::string nameOfStep(const ReportRank& rank) {
  const AnalysisWindow& window = rank.results->criticalPaths.window;
  const std::size_t span = rank.results->whatIfs.span;
  if (span < window.steps.size()) return rank.workload().steps.steps[window.steps[span]].name;
  return window.label;
}

const CriticalPath* pathOf(const ReportRank& rank) {
  const CriticalPaths& paths = rank.results->criticalPaths;
  const std::size_t span = rank.results->whatIfs.span;
  return span < paths.paths.size() ? &paths.paths[span] : nullptr;
}

/// Whether somebody asked for what the usual list holds, too: it is then listed once.
bool isAsked(const ReportRank& rank, const WhatIf& usual) {
  return std::any_of(rank.asked.begin(), rank.asked.end(), [&usual](const WhatIf& asked) {
    return textOf(asked.change) == textOf(usual.change);
  });
}

ReportJson rankJson(const ReportRank& rank) {
  const WhatIfs& all = rank.results->whatIfs;
  ReportJson json = {{"rank", rank.rank},
                     {"name", nameOfStep(rank)},
                     {"start_ns", all.window.begin},
                     {"end_ns", all.window.end},
                     {"missing", all.missing.empty() ? ReportJson() : ReportJson(all.missing)},
                     {"floor_ns", orNull(all.floors.device)},
                     {"communication_floor_ns", orNull(all.floors.communication)}};
  if (all.graph) {
    json["graph"] = {{"events", all.graph->times().size()},
                     {"edges", all.graph->edges().size()},
                     {"cut_edges", all.graph->cutEdges()}};
    json["changes"] = ReportJson::array();
    for (const WhatIf& r : rank.asked) json["changes"].push_back(changeJson(r, true));
    for (const WhatIf& r : all.list)
      if (!isAsked(rank, r)) json["changes"].push_back(changeJson(r, false));
    json["slack"] = slackJson(all);
  }
  if (const CriticalPath* path = pathOf(rank)) {
    const PathShares shares = pathShares(rank.workload(), *path);
    json["path_by_class"] = ReportJson::object();
    for (const auto& [kernelClass, time] : shares.byClass)
      json["path_by_class"][std::string(name(kernelClass))] = time;
    json["path_by_op"] = ReportJson::array();
    for (std::size_t i = 0; i < std::min(shares.byOp.size(), kMostOps); ++i)
      json["path_by_op"].push_back(
          {{"name", shares.byOp[i].first}, {"time_ns", shares.byOp[i].second}});
  }
  return json;
}

Table changesTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "What if",
              .note =
                  "The counted step whose length is nearest the median, replayed on its "
                  "dependency graph with one thing changed: bounds, as contention, clocks and "
                  "other ranks stay as they were. No new step is under the lower bounds of that "
                  "step.",
              .columns = {{"rank", "rank", Kind::count},
                          {"step", "step"},
                          {"change", "change"},
                          {"new_step_ns", "step then", Kind::time},
                          {"saving_ns", "saved", Kind::time},
                          {"saving_share", "of the step", Kind::share},
                          {"on_path_ns", "of it on the path", Kind::time},
                          {"sentence", "so", Kind::sentence}},
              .rows = {}};
  for (const ReportRank& rank : ranks) {
    const auto add = [&](const WhatIf& r) {
      table.rows.push_back({rank.rank, nameOfStep(rank), textOf(r.change), r.newStep, r.saving(),
                            shareOf(r.saving(), r.step), r.onPath, r.sentence});
    };
    std::for_each(rank.asked.begin(), rank.asked.end(), add);
    const auto& list = rank.results->whatIfs.list;
    for (const WhatIf& r : list)
      if (!isAsked(rank, r)) add(r);
  }
  return table;
}

Table pathTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Critical path by class and operator",
              .note =
                  "What runs on the critical path of the counted step whose length is nearest "
                  "the median: device work by class; device work and host time by the innermost "
                  "operator.",
              .columns = {{"rank", "rank", Kind::count},
                          {"by", "by"},
                          {"name", "name"},
                          {"time_ns", "time", Kind::time},
                          {"share", "of the step", Kind::share}},
              .rows = {}};
  for (const ReportRank& rank : ranks) {
    const CriticalPath* path = pathOf(rank);
    if (path == nullptr) continue;
    const PathShares shares = pathShares(rank.workload(), *path);
    const TimeNs step = path->window.length();
    for (const auto& [kernelClass, time] : shares.byClass)
      table.rows.push_back({rank.rank, std::string("class"), std::string(name(kernelClass)), time,
                            shareOf(time, step)});
    for (std::size_t i = 0; i < std::min(shares.byOp.size(), kMostOps); ++i)
      table.rows.push_back({rank.rank, std::string("operator"), shares.byOp[i].first,
                            shares.byOp[i].second, shareOf(shares.byOp[i].second, step)});
  }
  return table;
}

Table slackTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Slack of device work",
              .note =
                  "How much longer device work could take before the step does (the counted one "
                  "whose length is nearest the median). Unknown where nothing in the step is known "
                  "to wait for it.",
              .columns = {{"rank", "rank", Kind::count},
                          {"class", "class"},
                          {"events", "events", Kind::count},
                          {"no_slack", "without slack", Kind::count},
                          {"unknown", "unknown", Kind::count},
                          {"median_slack_ns", "median slack", Kind::time},
                          {"on_path_ns", "on the path", Kind::time}},
              .rows = {}};
  for (const ReportRank& rank : ranks)
    for (const ClassSlack& c : rank.results->whatIfs.slack)
      table.rows.push_back({rank.rank, std::string(name(c.kernelClass)),
                            static_cast<std::int64_t>(c.events),
                            static_cast<std::int64_t>(c.noSlack),
                            static_cast<std::int64_t>(c.unknown), orUnknown(c.median), c.onPath});
  return table;
}

}  // namespace

ReportJson whatIf(Ranks ranks) {
  ReportJson json = ReportJson::array();
  for (const ReportRank& rank : ranks) json.push_back(rankJson(rank));
  return json;
}

std::vector<Table> whatIfTables(Ranks ranks) {
  return {changesTable(ranks), pathTable(ranks), slackTable(ranks)};
}

}  // namespace ridgeline::sections
