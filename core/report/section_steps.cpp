#include "core/report/sections.h"
#include "core/report/trace_info.h"

namespace ridgeline::sections {

std::int64_t ordinalOf(const ReportRank& rank, DeviceId device) {
  return device.valid() ? rank.trace().devices()[device.index()].ordinal : -1;
}

std::string nameOf(const ReportRank& rank, DeviceId device) {
  return device.valid() ? rank.trace().devices()[device.index()].name : std::string();
}

ReportJson eventJson(const Trace& trace, SliceId slice) {
  if (!slice.valid()) return {};
  return {{"id", slice.value},
          {"name", trace.name(slice)},
          {"track", trace.track(trace.trackOf(slice)).displayName},
          {"start_ns", trace.slices().start[slice.index()]},
          {"end_ns", trace.slices().end[slice.index()]}};
}

double shareOf(TimeNs part, TimeNs whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

ReportJson stepsSection(Ranks ranks) {
  ReportJson json = ReportJson::array();
  for (const ReportRank& rank : ranks)
    for (auto& step : stepsJson({rank.rank, &rank.trace(), &rank.workload().steps}))
      json.push_back(std::move(step));
  return json;
}

std::vector<Table> stepsTables(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Steps",
              .note = {},
              .columns = {{"rank", "rank", Kind::count},
                          {"name", "step"},
                          {"start_ns", "start", Kind::time},
                          {"end_ns", "end", Kind::time},
                          {"window_ns", "length", Kind::time},
                          {"extent", "extent"},
                          {"steady", "counted"},
                          {"slow", "slow"},
                          {"why", "why", Kind::sentence, {}, "like the others"}},
              .rows = {}};
  for (const ReportRank& rank : ranks) {
    const Steps& steps = rank.workload().steps;
    if (ranks.size() == 1) table.note = steps.sentence;
    for (const Step& step : steps.steps)
      table.rows.push_back({rank.rank, step.name, step.window.begin, step.window.end,
                            step.window.length(), std::string(name(steps.extent)),
                            std::string(step.steady ? "yes" : "no"),
                            std::string(step.slow ? "yes" : "no"), step.why});
  }
  return {std::move(table)};
}

}  // namespace ridgeline::sections
