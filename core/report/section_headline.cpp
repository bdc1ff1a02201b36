#include "core/report/sections.h"

namespace ridgeline::sections {
namespace {

/// The keys of the checks whose findings touch figures of these sections.
ReportJson touchedBy(const Headline& h, const std::vector<std::string>& sections) {
  ReportJson keys = ReportJson::array();
  for (const QualityCheck* check : h.quality.touchingAny(sections)) keys.push_back(check->key);
  return keys;
}

ReportJson sharesJson(const ReportRank& rank, const StepShares& shares) {
  if (!shares.device.valid()) return nullptr;
  ReportJson json = {{"device", ordinalOf(rank, shares.device)},
                     {"window_ns", shares.window},
                     {"step_ns", shares.step}};
  json["parts"] = ReportJson::array();
  for (const StepShares::Share& one : shares.shares)
    json["parts"].push_back({{"part", word(one.part)},
                             {"title", title(one.part)},
                             {"time_ns", one.time},
                             {"step_ns", one.perStep},
                             {"share", shares.share(one)},
                             {"example", eventJson(rank.trace(), one.example)}});
  return json;
}

}  // namespace

ReportJson headline(Ranks ranks) {
  ReportJson json = ReportJson::array();
  for (const ReportRank& rank : ranks) {
    const Headline& h = rank.results->headline;
    ReportJson parts = ReportJson::array();
    for (const HeadlinePart& part : h.parts)
      parts.push_back({{"text", part.text},
                       {"meaning", part.tooltip},
                       {"evidence", part.panel},
                       {"touched_by", touchedBy(h, part.sections)}});
    ReportJson recoverable = ReportJson::array();
    for (const Recoverable& one : h.recoverable)
      recoverable.push_back({{"cause", word(one.loss)},
                             {"title", one.title},
                             {"time_ns", one.time},
                             {"at_most_ns", one.atMost},
                             {"advice", one.advice}});
    json.push_back({{"rank", rank.rank},
                    {"word", name(h.word)},
                    {"of", h.of.empty() ? ReportJson() : ReportJson(h.of)},
                    {"verdict", h.verdict},
                    {"action", h.action},
                    {"recoverable", std::move(recoverable)},
                    {"touched_by", touchedBy(h, h.verdictSections)},
                    {"evidence", h.verdictPanel},
                    {"evidence_start_ns", h.verdictEvidence.begin},
                    {"evidence_end_ns", h.verdictEvidence.end},
                    {"shares", sharesJson(rank, h.shares)},
                    {"parts", std::move(parts)},
                    {"warnings", h.warnings}});
  }
  return json;
}

std::vector<Table> headlineTables(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Where a step's time goes",
              .note =
                  "Of the busiest device, each instant in one part: they sum to the step (mean) "
                  "to the nanosecond.",
              .columns = {{"rank", "rank", Kind::count},
                          {"device", "device", Kind::count},
                          {"part", "part"},
                          {"step_ns", "a step", Kind::time},
                          {"share", "of the step", Kind::share},
                          {"time_ns", "in the window", Kind::time},
                          {"meaning", "what counts", Column::Kind::sentence}},
              .rows = {}};
  for (const ReportRank& rank : ranks) {
    const StepShares& shares = rank.results->headline.shares;
    for (const StepShares::Share& one : shares.shares)
      table.rows.push_back({rank.rank, ordinalOf(rank, shares.device), std::string(title(one.part)),
                            one.perStep, shares.share(one), one.time,
                            std::string(explanation(one.part))});
  }
  if (table.rows.empty()) return {};
  return {std::move(table)};
}

}  // namespace ridgeline::sections
