#include "core/report/trace_info.h"

#include <algorithm>
#include <set>

#include "core/trace/producer.h"

namespace ridgeline {
namespace {

ReportJson importLogJson(const ImportLog& log) {
  ReportJson json = {{"read", log.read},         {"slices", log.slices},
                     {"instants", log.instants}, {"counters", log.counters},
                     {"links", log.links},       {"metadata", log.metadata},
                     {"dropped", log.dropped},   {"repaired", log.repaired}};
  json["problems"] = ReportJson::array();
  for (const auto& [key, problem] : log.problems) {
    ReportJson one = {{"key", key},
                      {"sentence", problem.sentence},
                      {"count", problem.count},
                      {"lost", problem.lost}};
    one["examples"] = ReportJson::array();
    for (const auto& example : problem.examples)
      one["examples"].push_back(
          {{"offset",
            example.offset == ImportLog::kNoOffset ? ReportJson() : ReportJson(example.offset)},
           {"text", example.text}});
    json["problems"].push_back(std::move(one));
  }
  return json;
}

ReportJson deviceJson(std::int64_t rank, const Device& device) {
  ReportJson json = {
      {"rank", rank}, {"device", device.ordinal}, {"streams", device.streams.size()}};
  json["name"] = device.name.empty() ? ReportJson() : ReportJson(device.name);
  const auto add = [&](const char* key, const std::optional<std::int64_t>& value) {
    if (value) json[key] = *value;
  };
  add("total_memory_bytes", device.totalMemory);
  add("multiprocessors", device.smCount);
  add("compute_major", device.computeMajor);
  add("compute_minor", device.computeMinor);
  return json;
}

/// Sums over recordings; the log of several is the sum of theirs.
struct Totals {
  ImportLog log;
  std::uint64_t slices = 0, instants = 0, counterSeries = 0, counterValues = 0, links = 0;
  std::uint64_t deviceEvents = 0, threads = 0, streams = 0, processes = 0;
  std::uint64_t fileBytes = 0, textBytes = 0, memoryBytes = 0;
  std::size_t steps = 0, steadySteps = 0;

  void add(const DescribedTrace& one, bool newFile) {
    const Trace& trace = *one.trace;
    log.add(trace.importLog());
    slices += trace.slices().size();
    instants += trace.instants().size();
    counterSeries += trace.counters().size();
    for (const CounterSeries& series : trace.counters()) counterValues += series.time.size();
    links += trace.links().size();
    for (const Category category : trace.slices().category) deviceEvents += isDeviceWork(category);
    for (const Track& track : trace.tracks()) {
      threads += track.kind == TrackKind::thread;
      streams += track.kind == TrackKind::stream;
    }
    processes += trace.processes().size();
    memoryBytes += trace.memoryBytes();
    if (newFile) {
      fileBytes += trace.info().fileBytes;
      textBytes += trace.info().textBytes;
    }
    if (one.steps != nullptr) {
      steps += one.steps->steps.size();
      steadySteps += one.steps->steadyCount();
    }
  }
};

std::string joined(const std::set<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out.append(out.empty() ? "" : ", ").append(word);
  return out;
}

/// Raw JSON texts as JSON; what is no JSON (a damaged file) as text.
ReportJson metadataJson(const TraceInfo& info) {
  ReportJson json = ReportJson::object();
  for (const auto& [key, text] : info.metadata) {
    ReportJson value = ReportJson::parse(text, nullptr, false);
    json[key] = value.is_discarded() ? ReportJson(text) : value;
  }
  return json;
}

void addNames(ReportJson& json, std::span<const DescribedTrace> traces) {
  std::set<std::string> files, formats, producers, compressions;
  for (const DescribedTrace& one : traces) {
    const TraceInfo& info = one.trace->info();
    files.insert(info.path);
    formats.insert(info.format);
    producers.insert(producerOf(*one.trace));
    compressions.insert(info.compression.empty() ? "none" : info.compression);
  }
  json["files"] = files;
  json["format"] = joined(formats);
  json["producer"] = joined(producers);
  json["compression"] = joined(compressions);
}

void addTimes(ReportJson& json, std::span<const DescribedTrace> traces) {
  // Of several: from the first event of all to the last, on the clock of the files.
  TimeNs first = traces[0].trace->origin() + traces[0].trace->span().begin;
  TimeNs last = traces[0].trace->origin() + traces[0].trace->span().end;
  for (const DescribedTrace& one : traces) {
    first = std::min(first, one.trace->origin() + one.trace->span().begin);
    last = std::max(last, one.trace->origin() + one.trace->span().end);
  }
  json["origin_ns"] = first;
  json["span_ns"] = last - first;
}

}  // namespace

ReportJson traceJson(std::span<const DescribedTrace> traces) {
  ReportJson json;
  addNames(json, traces);
  Totals totals;
  std::set<std::string> seen;
  ReportJson ranks = ReportJson::array();
  ReportJson devices = ReportJson::array();
  for (const DescribedTrace& one : traces) {
    totals.add(one, seen.insert(one.trace->info().path).second);
    ranks.push_back(one.rank);
    for (const Device& device : one.trace->devices())
      devices.push_back(deviceJson(one.rank, device));
  }
  json["file_bytes"] = totals.fileBytes;
  json["text_bytes"] = totals.textBytes;
  json["ranks"] = std::move(ranks);
  const TraceInfo& first = traces[0].trace->info();
  if (first.worldSize) json["world_size"] = *first.worldSize;
  if (first.baseTimeNs) json["base_time_ns"] = *first.baseTimeNs;
  addTimes(json, traces);
  json["devices"] = std::move(devices);
  json["counts"] = {{"slices", totals.slices},
                    {"device_events", totals.deviceEvents},
                    {"instants", totals.instants},
                    {"counter_series", totals.counterSeries},
                    {"counter_values", totals.counterValues},
                    {"links", totals.links},
                    {"processes", totals.processes},
                    {"threads", totals.threads},
                    {"streams", totals.streams}};
  json["steps"] = {{"count", totals.steps}, {"steady", totals.steadySteps}};
  if (traces.size() == 1 && traces[0].steps != nullptr) {
    json["steps"]["source"] = traces[0].steps->source;
    json["steps"]["sentence"] = traces[0].steps->sentence;
  }
  json["memory_bytes"] = totals.memoryBytes;
  json["import_log"] = importLogJson(totals.log);
  if (traces.size() == 1) json["metadata"] = metadataJson(first);
  return json;
}

ReportJson runJson(const RunInfo& run) {
  ReportJson json;
  json["facts"] = ReportJson::array();
  for (const RunFact& fact : run.facts)
    json["facts"].push_back({{"group", name(fact.group)},
                             {"key", fact.key},
                             {"name", fact.name},
                             {"value", fact.value.empty() ? ReportJson() : ReportJson(fact.value)},
                             {"source", fact.source}});
  json["process_groups"] = ReportJson::array();
  for (const ProcessGroup& group : run.groups)
    json["process_groups"].push_back({{"name", group.name},
                                      {"description", group.description},
                                      {"backend", group.backend},
                                      {"size", group.size ? ReportJson(*group.size) : ReportJson()},
                                      {"ranks", group.ranks}});
  return json;
}

ReportJson stepsJson(const DescribedTrace& trace) {
  ReportJson json = ReportJson::array();
  for (const Step& step : trace.steps->steps) {
    ReportJson one = {{"rank", trace.rank},          {"name", step.name},
                      {"number", step.number},       {"start_ns", step.window.begin},
                      {"end_ns", step.window.end},   {"extent", name(trace.steps->extent)},
                      {"steady", step.steady},       {"why", step.why},
                      {"slow", step.slow},           {"host_start_ns", step.host.begin},
                      {"host_end_ns", step.host.end}};
    if (!step.device.empty()) {
      one["device_start_ns"] = step.device.begin;
      one["device_end_ns"] = step.device.end;
    }
    json.push_back(std::move(one));
  }
  return json;
}

ReportJson infoToJson(std::span<const DescribedTrace> traces, std::string_view version) {
  ReportJson json = {{"ridgeline", "info"}, {"version", 1}, {"program_version", version}};
  json["trace"] = traceJson(traces);
  json["origin_ns"] = json["trace"]["origin_ns"];
  json["span_ns"] = json["trace"]["span_ns"];
  json["traces"] = ReportJson::array();
  json["steps"] = ReportJson::array();
  for (std::size_t i = 0; i < traces.size(); ++i) {
    ReportJson one = traceJson(traces.subspan(i, 1));
    one["rank"] = traces[i].rank;
    one["run"] = runJson(runInfo(*traces[i].trace));
    json["traces"].push_back(std::move(one));
    if (traces[i].steps == nullptr) continue;
    for (auto& step : stepsJson(traces[i])) json["steps"].push_back(std::move(step));
  }
  return json;
}

}  // namespace ridgeline
