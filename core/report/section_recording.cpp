// What is said of the recording itself: quality of its data, what the profiler cost, and the run.

#include "core/report/people.h"
#include "core/report/sections.h"
#include "core/report/trace_info.h"

namespace ridgeline::sections {
namespace {

ReportJson checkJson(const ReportRank& rank, const QualityCheck& check) {
  return {{"key", check.key},
          {"found", check.found},
          {"weight", check.found ? ReportJson(name(check.weight)) : ReportJson()},
          {"finding", check.finding},
          {"consequence", check.consequence},
          {"remedy", check.remedy},
          {"touches", check.touches},
          {"example", eventJson(rank.trace(), check.example)}};
}

ReportJson costJson(const RecordingCost& cost) {
  ReportJson json = {{"recorded_ns", cost.recorded}};
  json["estimate_ns"] = orNull(cost.atMost);
  json["records"] = cost.records;
  json["stack_frames"] = cost.stackFrames;
  return json;
}

ReportJson costOfRank(const ReportRank& rank) {
  const ProfilerCost& c = rank.results->profilerCost;
  ReportJson json = {{"rank", rank.rank}, {"sentence", c.sentence}};
  json["per_step"] = costJson(c.perSpan);
  json["per_record_ns"] = orNull(c.perRecord);
  json["silent_steps"] = c.silent;
  json["flush_ns"] = c.flushes;
  json["flush_in_steps_ns"] = c.flushesInSteps;
  json["longest_flush"] = eventJson(rank.trace(), c.longestFlush);
  json["first_step"] = c.firstStep;
  json["first_step_ratio"] = orNull(c.firstStepRatio);
  json["steps"] = ReportJson::array();
  for (std::size_t k = 0; k < c.spans.size(); ++k) {
    ReportJson one = {{"name", c.spanNames[k]}};
    one.update(costJson(c.spans[k]));
    json["steps"].push_back(std::move(one));
  }
  json["overhead"] = ReportJson::array();
  for (const OverheadKind& kind : c.kinds)
    json["overhead"].push_back({{"name", kind.name},
                                {"count", kind.count},
                                {"total_ns", kind.total},
                                {"in_window_ns", kind.inWindow},
                                {"longest", eventJson(rank.trace(), kind.longest)}});
  return json;
}

}  // namespace

ReportJson dataQualitySection(Ranks ranks) {
  ReportJson json = ReportJson::array();
  for (const ReportRank& rank : ranks) {
    ReportJson one = {{"rank", rank.rank}, {"found", rank.results->headline.quality.found()}};
    one["checks"] = ReportJson::array();
    for (const QualityCheck& check : rank.results->headline.quality.checks)
      one["checks"].push_back(checkJson(rank, check));
    json.push_back(std::move(one));
  }
  return json;
}

std::vector<Table> dataQualityTables(Ranks ranks) {
  Table table{.title = "Data quality",
              .note = {},
              .columns = {{"rank", "rank", Column::Kind::count},
                          {"weight", "weight"},
                          {"finding", "what is the case", Column::Kind::sentence},
                          {"consequence", "what follows", Column::Kind::sentence, {}, "nothing"},
                          {"remedy", "what to do", Column::Kind::sentence, {}, "nothing"}},
              .rows = {}};
  std::size_t fine = 0;
  for (const ReportRank& rank : ranks)
    for (const QualityCheck& check : rank.results->headline.quality.checks) {
      fine += !check.found;
      if (check.found)
        table.rows.push_back({rank.rank, std::string(name(check.weight)), check.finding,
                              check.consequence, check.remedy});
    }
  table.note = people::plural(fine, "other check") + " found nothing.";
  return {std::move(table)};
}

ReportJson profilerCostSection(Ranks ranks) {
  ReportJson json = ReportJson::array();
  for (const ReportRank& rank : ranks) json.push_back(costOfRank(rank));
  return json;
}

std::vector<Table> profilerCostTables(Ranks ranks) {
  using Kind = Column::Kind;
  Table steps{.title = "What recording cost",
              .note = {},
              .columns = {{"rank", "rank", Kind::count},
                          {"step", "step"},
                          {"recorded_ns", "at least", Kind::time},
                          {"estimate_ns", "estimated", Kind::time},
                          {"records", "host records", Kind::count},
                          {"stack_frames", "Python frames", Kind::count}},
              .rows = {},
              .shownRows = 10};
  Table kinds{.title = "The profiler's own events",
              .note = {},
              .columns = {{"rank", "rank", Kind::count},
                          {"name", "event"},
                          {"count", "count", Kind::count},
                          {"total_ns", "time", Kind::time},
                          {"in_window_ns", "of that in the window", Kind::time}},
              .rows = {}};
  for (const ReportRank& rank : ranks) {
    const ProfilerCost& c = rank.results->profilerCost;
    if (ranks.size() == 1) steps.note = c.sentence;
    for (std::size_t k = 0; k < c.spans.size(); ++k)
      steps.rows.push_back({rank.rank, c.spanNames[k], c.spans[k].recorded,
                            orUnknown(c.spans[k].atMost),
                            static_cast<std::int64_t>(c.spans[k].records),
                            static_cast<std::int64_t>(c.spans[k].stackFrames)});
    for (const OverheadKind& kind : c.kinds)
      kinds.rows.push_back(
          {rank.rank, kind.name, static_cast<std::int64_t>(kind.count), kind.total, kind.inWindow});
  }
  std::vector<Table> tables = {std::move(steps)};
  if (!kinds.rows.empty()) tables.push_back(std::move(kinds));
  return tables;
}

ReportJson run(Ranks ranks) {
  ReportJson json = ReportJson::array();
  for (const ReportRank& rank : ranks) {
    ReportJson one = {{"rank", rank.rank}};
    one.update(runJson(*rank.results->run));
    json.push_back(std::move(one));
  }
  return json;
}

std::vector<Table> runTables(Ranks ranks) {
  Table facts{.title = "The run",
              .note = {},
              .columns = {{"rank", "rank", Column::Kind::count},
                          {"group", "about"},
                          {"name", "what"},
                          {"value", "value"},
                          {"source", "from"}},
              .rows = {},
              .shownRows = 40};
  Table groups{.title = "Process groups",
               .note = {},
               .columns = {{"rank", "rank", Column::Kind::count},
                           {"name", "name"},
                           {"description", "description", Column::Kind::text, {}, "not recorded"},
                           {"backend", "backend", Column::Kind::text, {}, "not recorded"},
                           {"size", "size", Column::Kind::count},
                           {"ranks", "ranks"}},
               .rows = {},
               .shownRows = 10};
  for (const ReportRank& rank : ranks) {
    for (const RunFact& fact : rank.results->run->facts)
      facts.rows.push_back({rank.rank, std::string(name(fact.group)), fact.name,
                            fact.value.empty() ? Cell() : Cell(fact.value), fact.source});
    for (const ProcessGroup& group : rank.results->run->groups)
      groups.rows.push_back({rank.rank, group.name, group.description, group.backend,
                             orUnknown(group.size), group.ranks});
  }
  std::vector<Table> tables = {std::move(facts)};
  if (!groups.rows.empty()) tables.push_back(std::move(groups));
  return tables;
}

}  // namespace ridgeline::sections
