#include "core/analysis/headline_warnings.h"

#include <algorithm>

#include "core/base/duration_text.h"

namespace ridgeline {

namespace {

std::string shareOf(std::size_t part, std::size_t whole) {
  return shareText(static_cast<TimeNs>(part), static_cast<TimeNs>(whole));
}

void addImport(const Trace& trace, std::vector<std::string>& warnings) {
  const auto& problems = trace.importLog().problems;
  // JAX and rocmProfileData put an empty entry at an end of the list, so that commas come out.
  const auto empty = problems.find("empty_event");
  const std::uint64_t lost =
      trace.importLog().dropped - (empty == problems.end() ? 0 : empty->second.count);
  if (lost > 0)
    warnings.push_back(std::to_string(lost) + (lost == 1
                                                   ? " event of the file could not be used."
                                                   : " events of the file could not be used."));
}

void addSteps(const StepFigures& f, std::vector<std::string>& warnings) {
  const Steps& steps = f.w->steps;
  if (steps.extent == StepExtent::trace || steps.steadyCount() < steps.steps.size())
    warnings.push_back(steps.sentence);
  else if (f.steps && f.window->spans.size() == 1)
    warnings.push_back("Only one step: nothing is known of how much steps differ.");
}

void addLaunches(const StepFigures& f, std::vector<std::string>& warnings) {
  if (f.device == nullptr || f.pieces == 0) return;
  const std::size_t without = f.pieces - f.launched;
  if (without * 50 > f.pieces)
    warnings.push_back(shareOf(without, f.pieces) +
                       " of the device work has no launch in the recording: what it waited for is "
                       "known by stream order only.");
  if (f.beforeLaunch * 100 > f.launched)
    warnings.push_back(shareOf(f.beforeLaunch, f.launched) +
                       " of the device work starts before its launch: the clocks of host and "
                       "device disagree.");
}

bool wholeMicroseconds(const SliceTable& s, TimeNs origin) {
  if (s.size() < 100) return false;
  for (std::size_t i = 0; i < s.size(); ++i)
    if ((s.start[i] + origin) % 1000 != 0 || s.end[i] % 1000 != s.start[i] % 1000) return false;
  return true;
}

/// Of everything in the recording: what is missing in it that the figures would need.
void addRecording(const StepFigures& f, std::vector<std::string>& warnings) {
  const Trace& trace = *f.w->trace;
  const SliceTable& s = trace.slices();
  bool shapes = false, ops = false, waits = false, sync = false;
  TimeNs overhead = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    shapes = shapes || s.shape[i].valid();
    ops = ops || s.category[i] == Category::cpuOp;
    sync = sync || s.category[i] == Category::sync;
    if (s.category[i] == Category::overhead)
      for (const TimeSpan& span : f.window->spans)
        overhead += s.span(SliceId(i)).clippedTo(span).length();
    if (!waits && s.category[i] == Category::runtime)
      waits = trace.text(s.name[i]).find("StreamWaitEvent") != std::string_view::npos;
  }
  if (f.device != nullptr && ops && !shapes)
    warnings.emplace_back(
        "No operator shapes: record with record_shapes=True to get FLOPs, bytes "
        "and the roofline.");
  if (f.device != nullptr && !shapes && trace.info().format.starts_with("Nsight"))
    warnings.emplace_back(
        "No shapes in this format: Nsight Systems records no operators, so FLOPs, bytes and the "
        "roofline need a recording of the PyTorch profiler with record_shapes=True.");
  if (waits && !sync)
    warnings.emplace_back(
        "Waits between streams are inferred: what a stream waits for is recorded "
        "only with enable_cuda_sync_events.");
  if (overhead * 50 > f.mean * f.spans)
    warnings.push_back("The profiler's own work takes " + durationText(f.perStep(overhead)) +
                       (f.steps ? " of a step." : " of the window."));
  if (wholeMicroseconds(s, trace.origin()))
    warnings.emplace_back(
        "Times are whole microseconds: gaps and kernels of a few µs are uncertain "
        "by up to 1 µs each.");
  const std::int64_t world = trace.info().worldSize.value_or(1);
  if (world > 1 && f.communication > 0)
    warnings.push_back("One rank of " + std::to_string(world) +
                       ": a slow collective and a late rank look the same from here.");
}

void addPath(const StepFigures& f, std::vector<std::string>& warnings) {
  const TimeNs untraced = f.pathFrom({PathCause::untraced});
  if (untraced * 10 > f.mean && f.mean > 0)
    warnings.push_back(shareText(untraced, f.mean) +
                       " of the critical path is untraced: no predecessor is recorded.");
}

void addClasses(const StepFigures& f, std::vector<std::string>& warnings) {
  if (f.device == nullptr || f.device->busy == 0) return;
  const TimeNs unknown = f.device->byClassExclusive[static_cast<std::size_t>(KernelClass::unknown)];
  if (unknown * 20 > f.device->busy)
    warnings.push_back(shareText(unknown, f.device->busy) +
                       " of the busy time is in kernels of no known class.");
}

}  // namespace

std::vector<std::string> headlineWarnings(const StepFigures& f) {
  std::vector<std::string> warnings;
  addImport(*f.w->trace, warnings);
  if (!f.gaps->reliable && !f.gaps->unreliable.empty()) warnings.push_back(f.gaps->unreliable);
  addSteps(f, warnings);
  addLaunches(f, warnings);
  addPath(f, warnings);
  addClasses(f, warnings);
  addRecording(f, warnings);
  return warnings;
}

}  // namespace ridgeline
