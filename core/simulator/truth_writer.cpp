// The truth as JSON; the schema is in README.md.
#include <string>

#include "core/simulator/json_text.h"
#include "core/simulator/output_file.h"
#include "core/simulator/plan.h"
#include "core/simulator/simulator.h"

namespace ridgeline {
namespace {

using simulator::JsonText;
using simulator::OutputFile;

/// `"name": value, ` for each of the causes that occur.
template <class Cause, std::size_t n>
void causes(JsonText& out, std::string_view name, const std::array<TimeNs, n>& times) {
  out << ", \"" << name << "\": {";
  bool first = true;
  for (std::size_t i = 0; i < n; ++i) {
    if (times[i] == 0) continue;
    (out << (first ? "\"" : ", \"") << word(static_cast<Cause>(i)) << "\": ").number(times[i]);
    first = false;
  }
  out << '}';
}

void field(JsonText& out, std::string_view name, std::int64_t value) {
  (out << ", \"" << name << "\": ").number(value);
}

void stepText(JsonText& out, const TruthStep& step, TimeNs noise) {
  (out << "    {\"number\": ").number(step.number) << ", \"name\": \"ProfilerStep#";
  out.number(step.number) << '"';
  field(out, "start_ns", step.host.begin);
  field(out, "end_ns", step.host.end);
  field(out, "busy_ns", step.busy);
  field(out, "idle_ns", step.idle);
  field(out, "compute_ns", step.compute);
  field(out, "communication_ns", step.communication);
  field(out, "exposed_communication_ns", step.exposedCommunication);
  field(out, "memory_ns", step.memory);
  field(out, "exposed_memory_ns", step.exposedMemory);
  field(out, "compute_bound_kernels_ns", step.computeBound);
  field(out, "memory_bound_kernels_ns", step.memoryBound);
  if (step.allocatedPeak > 0) {
    field(out, "allocated_peak_bytes", step.allocatedPeak);
    field(out, "allocated_peak_at_ns", step.allocatedPeakAt);
    field(out, "reserved_peak_bytes", step.reservedPeak);
  }
  field(out, "driver_allocations", static_cast<std::int64_t>(step.driverAllocations));
  field(out, "driver_releases", static_cast<std::int64_t>(step.driverReleases));
  field(out, "device_records", static_cast<std::int64_t>(step.deviceRecords));
  field(out, "dropped_ns", step.droppedNs);
  field(out, "tolerance_ns",
        step.droppedNs + 2 * noise * static_cast<std::int64_t>(step.deviceRecords));
  causes<TruthIdleCause>(out, "idle_by_cause", step.idleByCause);
  causes<TruthIdleCause>(out, "idle_by_activity", step.idleByActivity);
  causes<TruthPathCause>(out, "critical_path_by_cause", step.pathByCause);
  out << '}';
}

void rankText(JsonText& out, OutputFile& file, const TruthRank& rank, TimeNs noise) {
  (out << "  {\"rank\": ").number(rank.rank);
  field(out, "clock_offset_ns", rank.clockOffset);
  field(out, "start_ns", rank.recording.begin);
  field(out, "end_ns", rank.recording.end);
  const auto separate = [&](bool first) {
    out << (first ? "\n" : ",\n");
    if (out.text().size() < 1 << 20) return;
    file.write(out.text());
    out.clear();
  };
  out << ",\n   \"steps\": [";
  for (std::size_t i = 0; i < rank.steps.size(); ++i) {
    separate(i == 0);
    stepText(out, rank.steps[i], noise);
  }
  out << "],\n   \"gaps\": [";
  for (std::size_t i = 0; i < rank.gaps.size(); ++i) {
    separate(i == 0);
    (out << "    {\"start_ns\": ").number(rank.gaps[i].span.begin);
    field(out, "end_ns", rank.gaps[i].span.end);
    out << ", \"cause\": \"" << word(rank.gaps[i].cause) << "\"}";
  }
  out << "],\n   \"dropped\": [";
  for (std::size_t i = 0; i < rank.dropped.size(); ++i) {
    separate(i == 0);
    const DroppedRecord& record = rank.dropped[i];
    out << "    {\"what\": \"" << (record.device ? "device" : "launch_call") << "\", \"name\": \""
        << record.name << '"';
    field(out, "correlation", static_cast<std::int64_t>(record.correlation));
    field(out, "start_ns", record.span.begin);
    field(out, "end_ns", record.span.end);
    out << '}';
  }
  out << "]}";
}

}  // namespace

Status writeTruth(const Simulation& simulation, const std::string& path) {
  auto created = OutputFile::create(path);
  if (!created.ok()) return created.error();
  OutputFile& file = *created.value();
  const SimulationTruth& truth = simulation.truth;
  JsonText out;
  out << "{\"version\": 1, \"scenario\": \"" << simulation.options.scenario << "\", \"device\": \""
      << simulation.plan->machine.name << "\", \"bottleneck\": \"" << truth.bottleneck << '"';
  field(out, "seed", static_cast<std::int64_t>(simulation.options.seed));
  field(out, "world", simulation.world);
  field(out, "layers", simulation.plan->layers);
  field(out, "micro_batches", simulation.plan->microBatches);
  out << ", \"perturbed\": " << (simulation.perturbed ? "true" : "false");
  field(out, "noise_ns", truth.noise);
  out << ",\n \"ranks\": [";
  for (std::size_t i = 0; i < truth.ranks.size(); ++i) {
    out << (i == 0 ? "\n" : ",\n");
    rankText(out, file, truth.ranks[i], truth.noise);
  }
  out << "\n ]}\n";
  file.write(out.text());
  return file.commit();
}

}  // namespace ridgeline
