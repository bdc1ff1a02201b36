#include <algorithm>

#include "core/report/people.h"
#include "core/report/sections.h"

namespace ridgeline::sections {
namespace {

constexpr std::size_t kListedLaunches = 100;

ReportJson figuresJson(const LaunchFigures& f) {
  return {{"device_events", f.pieces},
          {"launched", f.launched},
          {"calls", f.calls},
          {"graph_calls", f.graphCalls},
          {"graph_events", f.graphPieces},
          {"shorter_than_call", f.shorter},
          {"call_ns", f.callTime},
          {"work_ns", f.workTime},
          {"waiting_calls", f.waitingCalls},
          {"waiting_ns", f.waiting},
          {"blocked_calls", f.blockedCalls},
          {"blocked_ns", f.blocked},
          {"slow_calls", f.slowCalls},
          {"slow_ns", f.slow}};
}

ReportJson quantilesJson(const LaunchQuantiles& q) {
  return {{"median_ns", q.median}, {"p90_ns", q.p90}, {"max_ns", q.max}};
}

/// The launches that took longest to start.
std::vector<Launch> longestOf(const Launches& launches) {
  std::vector<Launch> all = launches.launches;
  const std::size_t n = std::min(all.size(), kListedLaunches);
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n), all.end(),
                    [](const Launch& a, const Launch& b) {
                      return a.latency != b.latency ? a.latency > b.latency : a.work < b.work;
                    });
  all.resize(n);
  return all;
}

ReportJson queueJson(const ReportRank& rank, std::size_t i) {
  const QueueDepth& queue = (*rank.results->launches.queues)[i];
  const QueueFigures& f = rank.results->launches.queueFigures[i];
  ReportJson json = {{"rank", rank.rank},
                     {"device", ordinalOf(rank, queue.device)},
                     {"track", rank.trace().track(queue.track).displayName}};
  json["stream"] = queue.stream == EventArgs::kAbsent ? ReportJson() : ReportJson(queue.stream);
  json["counted"] = queue.counted;
  json["without_launch"] = queue.withoutLaunch;
  json["before_launch"] = queue.beforeLaunch;
  const bool known = queue.counted > 0;
  json["max_depth"] = known ? ReportJson(f.most) : ReportJson();
  json["mean_depth"] = known ? ReportJson(f.mean) : ReportJson();
  json["max_depth_of_recording"] = known ? ReportJson(queue.most) : ReportJson();
  return json;
}

ReportJson groupJson(const ReportRank& rank, const LaunchGroup& group) {
  return {{"rank", rank.rank},
          {"name", rank.trace().text(group.name)},
          {"launches", group.pieces},
          {"shorter_than_call", group.shorter},
          {"call_ns", group.callTime},
          {"work_ns", group.workTime},
          {"median_work_ns", group.medianWork},
          {"median_latency_ns", group.medianLatency}};
}

ReportJson rankJson(const ReportRank& rank) {
  const Launches& l = rank.results->launches;
  ReportJson json = {{"rank", rank.rank}};
  json["sentence"] = l.sentence;
  json["missing"] = l.missing.empty() ? ReportJson() : ReportJson(l.missing);
  json.update(figuresJson(l.all));
  if (l.missing.empty()) {
    json["latency"] = quantilesJson(l.latency);
    json["behind_earlier_work"] = quantilesJson(l.behind);
    json["queue_delay"] = quantilesJson(l.queueDelay);
    json["started_inside_call"] = l.startedInside;
    json["started_before_call"] = l.beforeCall;
  }
  json["steps"] = ReportJson::array();
  for (std::size_t k = 0; k < l.spans.size(); ++k) {
    ReportJson step = {{"name", l.spanNames[k]}};
    step.update(figuresJson(l.spans[k]));
    json["steps"].push_back(std::move(step));
  }
  json["queues"] = ReportJson::array();
  for (std::size_t i = 0; i < l.queues->size(); ++i) json["queues"].push_back(queueJson(rank, i));
  json["kernels"] = ReportJson::array();
  for (const LaunchGroup& group : l.groups) json["kernels"].push_back(groupJson(rank, group));
  json["longest"] = ReportJson::array();
  for (const Launch& one : longestOf(l))
    json["longest"].push_back({{"work", eventJson(rank.trace(), one.work)},
                               {"call", eventJson(rank.trace(), one.call)},
                               {"latency_ns", one.latency},
                               {"behind_earlier_work_ns", one.behind},
                               {"queue_delay_ns", one.queueDelay}});
  return json;
}

Table summaryTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Launches",
              .note = {},
              .columns = {{"rank", "rank", Kind::count},
                          {"step", "step"},
                          {"calls", "launch calls", Kind::count},
                          {"device_events", "device events", Kind::count},
                          {"launched", "with a launch", Kind::count},
                          {"graph_events", "by graphs", Kind::count},
                          {"call_ns", "host time in calls", Kind::time},
                          {"work_ns", "device time", Kind::time},
                          {"shorter_share", "shorter than its call", Kind::share},
                          {"waiting_ns", "waiting for own copy", Kind::time},
                          {"blocked_ns", "blocked on a full queue", Kind::time},
                          {"slow_ns", "in other long calls", Kind::time}},
              .rows = {}};
  for (const ReportRank& rank : ranks) {
    const Launches& l = rank.results->launches;
    if (!l.missing.empty()) {
      table.note = l.missing;
      continue;
    }
    if (ranks.size() == 1) table.note = l.sentence;
    for (std::size_t k = 0; k < l.spans.size(); ++k) {
      const LaunchFigures& f = l.spans[k];
      table.rows.push_back({rank.rank, l.spanNames[k], static_cast<std::int64_t>(f.calls),
                            static_cast<std::int64_t>(f.pieces),
                            static_cast<std::int64_t>(f.launched),
                            static_cast<std::int64_t>(f.graphPieces), f.callTime, f.workTime,
                            shareOf(static_cast<TimeNs>(f.shorter), static_cast<TimeNs>(f.calls)),
                            f.waiting, f.blocked, f.slow});
    }
  }
  return table;
}

Table delayTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "From launch to start",
              .note =
                  "Launch to start = behind earlier work + queue delay; quantiles of each alone. "
                  "Negative: started before the call had returned.",
              .columns = {{"rank", "rank", Kind::count},
                          {"what", "what"},
                          {"median_ns", "median", Kind::time},
                          {"p90_ns", "p90", Kind::time},
                          {"max_ns", "longest", Kind::time},
                          {"explanation", "what it means", Column::Kind::sentence}},
              .rows = {}};
  for (const ReportRank& rank : ranks) {
    const Launches& l = rank.results->launches;
    if (!l.missing.empty()) continue;
    const auto add = [&](const char* what, const LaunchQuantiles& q, const char* meaning) {
      table.rows.push_back(
          {rank.rank, std::string(what), q.median, q.p90, q.max, std::string(meaning)});
    };
    add("launch to start", l.latency,
        "long: the host is far ahead of the device; short: the device waits for launches");
    add("behind earlier work", l.behind, "its stream was still busy when the call returned");
    add("queue delay", l.queueDelay,
        "launched, and its stream free, but not started: launch latency, or a wait for an event");
  }
  return table;
}

Table queueTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Queue depth",
              .note = "Launched work of a stream that has not started.",
              .columns = {{"rank", "rank", Kind::count},
                          {"stream", "stream"},
                          {"mean_depth", "mean depth", Kind::quantity},
                          {"max_depth", "largest depth", Kind::count},
                          {"counted", "events counted", Kind::count},
                          {"without_launch", "without a launch", Kind::count}},
              .rows = {}};
  for (const ReportRank& rank : ranks) {
    const Launches& l = rank.results->launches;
    for (std::size_t i = 0; i < l.queues->size(); ++i) {
      const QueueDepth& queue = (*l.queues)[i];
      const QueueFigures& f = l.queueFigures[i];
      const bool known = queue.counted > 0;
      table.rows.push_back(
          {rank.rank, rank.trace().track(queue.track).displayName, known ? Cell(f.mean) : Cell(),
           known ? Cell(std::int64_t{f.most}) : Cell(), static_cast<std::int64_t>(queue.counted),
           static_cast<std::int64_t>(queue.withoutLaunch)});
    }
  }
  return table;
}

Table kernelTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Launch cost by kernel",
              .note =
                  "Host time: of the launching calls; a call that starts several kernels is "
                  "shared out among them.",
              .columns = {{"rank", "rank", Kind::count},
                          {"name", "kernel"},
                          {"launches", "launches", Kind::count},
                          {"call_ns", "host time", Kind::time},
                          {"work_ns", "device time", Kind::time},
                          {"median_work_ns", "median kernel", Kind::time},
                          {"median_latency_ns", "median launch to start", Kind::time},
                          {"shorter_share", "shorter than its call", Kind::share}},
              .rows = {},
              .shownRows = 10};
  for (const ReportRank& rank : ranks)
    for (const LaunchGroup& g : rank.results->launches.groups)
      table.rows.push_back(
          {rank.rank, std::string(rank.trace().text(g.name)), static_cast<std::int64_t>(g.pieces),
           g.callTime, g.workTime, g.medianWork, g.medianLatency,
           shareOf(static_cast<TimeNs>(g.shorter), static_cast<TimeNs>(g.pieces))});
  return table;
}

}  // namespace

ReportJson launches(Ranks ranks) {
  ReportJson json = ReportJson::array();
  for (const ReportRank& rank : ranks) json.push_back(rankJson(rank));
  return json;
}

std::vector<Table> launchesTables(Ranks ranks) {
  std::vector<Table> tables = {summaryTable(ranks)};
  for (Table& table : std::vector<Table>{delayTable(ranks), queueTable(ranks), kernelTable(ranks)})
    if (!table.rows.empty()) tables.push_back(std::move(table));
  return tables;
}

}  // namespace ridgeline::sections
