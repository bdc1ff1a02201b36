#include <algorithm>

#include "core/report/people.h"
#include "core/report/trace_info.h"
#include "core/trace/producer.h"

namespace ridgeline {
namespace {

void line(std::string& out, std::string_view key, const std::string& value) {
  std::string head(key);
  head.resize(13, ' ');
  out.append("  ").append(head).append(value).append("\n");
}

std::string sizes(const TraceInfo& info) {
  std::string text = people::quantity(static_cast<double>(info.fileBytes), "B");
  if (!info.compression.empty())
    text += " " + info.compression + ", " +
            people::quantity(static_cast<double>(info.textBytes), "B") + " of text";
  return text;
}

void addDevices(std::string& out, const Trace& trace) {
  if (trace.devices().empty()) line(out, "devices", "none in this recording");
  for (const Device& device : trace.devices()) {
    std::string text = std::to_string(device.ordinal) + ": " +
                       (device.name.empty() ? "name not recorded" : device.name) + ", " +
                       people::plural(device.streams.size(), "stream");
    if (device.smCount) text += ", " + std::to_string(*device.smCount) + " multiprocessors";
    if (device.totalMemory)
      text += ", " + people::quantity(static_cast<double>(*device.totalMemory), "B");
    line(out, "device", text);
  }
}

void addCounts(std::string& out, const Trace& trace) {
  std::uint64_t deviceEvents = 0;
  for (const Category category : trace.slices().category) deviceEvents += isDeviceWork(category);
  line(out, "events",
       people::plural(trace.slices().size(), "slice") + " (" + people::count(deviceEvents) +
           " of them device work), " + people::plural(trace.instants().size(), "instant") + ", " +
           people::count(trace.counters().size()) + " counter series, " +
           people::plural(trace.links().size(), "link"));
}

/// What the lines above do not say: versions, options of the profiler, groups, batch sizes.
void addRun(std::string& out, const Trace& trace) {
  const RunInfo run = runInfo(trace);
  for (const RunFact::Group group : {RunFact::Group::software, RunFact::Group::distributed,
                                     RunFact::Group::profiler, RunFact::Group::shapes}) {
    std::string text;
    std::vector<std::string> told;
    for (const RunFact& fact : run.facts) {
      if (fact.group != group || fact.key == "producer" || fact.key == "rank") continue;
      // Several operators may tell the same of their shapes.
      const std::string one = fact.name + " " + (fact.value.empty() ? "not recorded" : fact.value);
      if (std::find(told.begin(), told.end(), one) != told.end()) continue;
      told.push_back(one);
      text += (text.empty() ? "" : ", ") + one;
    }
    if (!text.empty()) line(out, name(group), text);
  }
}

std::string placeOf(const ImportLog::Problem::Example& example) {
  const std::string text = people::shortened(example.text, 80);
  if (example.offset == ImportLog::kNoOffset) return text;
  return "at byte " + people::count(example.offset) + (text.empty() ? "" : ": " + text);
}

void addLog(std::string& out, const ImportLog& log) {
  line(out, "import",
       people::plural(log.read, "event") + " read = " + people::count(log.slices) + " slices + " +
           people::count(log.instants) + " instants + " + people::count(log.counters) +
           " counters + " + people::count(log.links) + " links + " + people::count(log.metadata) +
           " metadata + " + people::count(log.dropped) + " dropped; " +
           people::count(log.repaired) + " repaired");
  for (const auto& [key, problem] : log.problems) {
    line(out, problem.lost ? "! lost" : "! noted",
         people::count(problem.count) + " × " + problem.sentence);
    for (const auto& example : problem.examples) line(out, "", placeOf(example));
  }
}

}  // namespace

std::string infoToText(std::span<const DescribedTrace> traces) {
  std::string out;
  for (const DescribedTrace& one : traces) {
    const Trace& trace = *one.trace;
    const TraceInfo& info = trace.info();
    out += info.path + "\n";
    line(out, "format", info.format + ", " + sizes(info));
    line(out, "producer", producerOf(trace));
    line(out, "rank",
         info.rank ? std::to_string(*info.rank) +
                         (info.worldSize ? " of " + std::to_string(*info.worldSize) : "")
                   : "not recorded");
    addDevices(out, trace);
    line(out, "span",
         people::duration(trace.span().length()) + " from " + std::to_string(trace.origin()) +
             " ns");
    if (one.steps != nullptr)
      line(out, "steps", one.steps->sentence + " (" + one.steps->source + ")");
    addRun(out, trace);
    addCounts(out, trace);
    line(out, "memory", people::quantity(static_cast<double>(trace.memoryBytes()), "B"));
    addLog(out, trace.importLog());
  }
  return out;
}

}  // namespace ridgeline
