#include "core/analysis/data_quality.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/analysis/import_quality.h"
#include "core/analysis/missing_work.h"
#include "core/analysis/recording_facts.h"
#include "core/base/capital.h"
#include "core/base/duration_text.h"
#include "core/base/share_text.h"
#include "core/trace/cut_off.h"
#include "core/trace/recording_advice.h"

namespace ridgeline {

namespace {

using Weight = QualityCheck::Weight;

std::string countShare(std::uint64_t part, std::uint64_t whole) {
  return shareText(static_cast<TimeNs>(part), static_cast<TimeNs>(whole));
}

/// Gathers the checks; each adds one, found or not.
class Checks {
 public:
  Checks(const StepFigures& f, const ProfilerCost& cost)
      : f_(f),
        cost_(cost),
        trace_(*f.w->trace),
        facts_(recordingFacts(trace_)),
        program_(recordedBy(trace_)) {}

  DataQuality run() {
    importLog();
    durations();
    duplicates();
    clocks();
    launchedNothing();
    launches();
    graphs();
    steps();
    classes();
    path();
    shapes();
    waits();
    stacks();
    ranks();
    profiler();
    resolution();
    overlaps();
    quality_.add({});
    return std::move(quality_);
  }

 private:
  QualityCheck& found(std::string key, Weight weight, std::string finding, std::string consequence,
                      std::string remedy, std::vector<std::string> touches) {
    return quality_.checks.emplace_back(QualityCheck{std::move(key),
                                                     weight,
                                                     true,
                                                     std::move(finding),
                                                     std::move(consequence),
                                                     std::move(remedy),
                                                     std::move(touches),
                                                     {}});
  }
  void fine(std::string key, std::string lookedAt) {
    quality_.checks.push_back(
        {std::move(key), Weight::note, false, std::move(lookedAt), {}, {}, {}, {}});
  }
  /// How to record it next time, and what that gives: "Record with … to get them". Where the
  /// program cannot record it, only that.
  [[nodiscard]] std::string advice(Lacking what, const std::string& gives) const {
    const std::string text = recordingAdvice(program_, what);
    return canRecord(program_, what) ? text + gives : text;
  }
  [[nodiscard]] bool hasDevice() const { return f_.device != nullptr; }

  void importLog() {
    const auto& problems = trace_.importLog().problems;
    const auto count = [&](const char* key) {
      const auto it = problems.find(key);
      return it == problems.end() ? std::uint64_t{0} : it->second.count;
    };
    if (isCutOff(trace_.importLog())) {
      found("truncated", Weight::limits, "The file is cut off before its recording ends",
            f_.w->deviceWork.empty()
                ? "events are missing, and device work may be among them: that none is left says "
                  "nothing"
                : "what was written last is missing: events of the last step, and maybe of others",
            capital(cutOffRemedy(trace_.importLog())),
            {"steps", "devices", "idle_gaps", "launches", "critical_path", "kernel_groups"});
    } else
      fine("truncated", "The file is whole");
    // JAX and rocmProfileData put an empty entry at an end of the list, so that commas come out.
    const std::uint64_t lost = trace_.importLog().dropped - count("empty_event");
    if (lost > 0)
      found("lost_events", Weight::limits,
            counted(lost, "event") + " of the file could not be used",
            "what they stood for is in no figure", "See the places in the Problems panel, or info",
            {"devices", "idle_gaps", "kernel_groups"});
    else
      fine("lost_events", "Every event of the file could be used");
    for (QualityCheck& check : importChecks(trace_.importLog()))
      quality_.checks.push_back(std::move(check));
  }

  void durations() {
    if (!hasDevice()) return;
    if (facts_.impossible > 0)
      found("impossible_durations", Weight::spoils,
            counted(facts_.impossible, "device event") +
                " longer than everything recorded of the host",
            "busy time, kernel times and the critical path are theirs",
            "Such times come from a device clock that jumped: record again, or choose a window "
            "without them",
            {"devices", "kernel_groups", "critical_path", "roofline"})
          .example = facts_.firstImpossible;
    else
      fine("impossible_durations", "No device event is longer than the recording of the host");
    const std::uint64_t negative = problem("negative_duration");
    if (negative > 0)
      found("negative_durations", Weight::spoils,
            counted(negative, "event") + " of negative duration", "they count as 0",
            "Record again: the clock went backwards", {"devices", "kernel_groups"});
    else
      fine("negative_durations", "No duration is negative");
    if (facts_.zeroDevice * 100 > facts_.deviceEvents)
      found("zero_durations", Weight::note,
            countShare(facts_.zeroDevice, facts_.deviceEvents) + " of the device events last 0 ns",
            "they are counted, but have no time", "", {"kernel_groups"})
          .example = facts_.firstZero;
    else
      fine("zero_durations", "Device events have durations");
  }

  /// A share that chance does not reach: single calls do have the times of another.
  void duplicates() {
    if (facts_.duplicates * 10 > facts_.judged ||
        facts_.deviceDuplicates * 10 > facts_.deviceEvents)
      found("duplicate_events", Weight::spoils,
            counted(facts_.duplicates, "event") + " of " + std::to_string(facts_.judged) +
                (facts_.duplicates == 1 ? " is an exact copy" : " are exact copies") +
                " of another in this file",
            "counts and sums of operators, launches and kernels hold these twice; the time that a "
            "device is busy counts once",
            "The file was joined with itself: look at what merged or copied it, and open the "
            "recording as it was written",
            {"headline", "devices", "kernel_groups", "launches", "roofline", "bounds",
             "collectives", "memory"})
          .example = facts_.firstDuplicate;
    else
      fine("duplicate_events", "Events do not stand there twice");
  }

  [[nodiscard]] std::uint64_t problem(const char* key) const {
    const auto it = trace_.importLog().problems.find(key);
    return it == trace_.importLog().problems.end() ? 0 : it->second.count;
  }

  void clocks() {
    if (!hasDevice() || f_.launched == 0) return;
    if (f_.beforeLaunch * 100 > f_.launched)
      found(
          "device_before_launch", Weight::spoils,
          countShare(f_.beforeLaunch, f_.launched) + " of the device work starts before its launch",
          "the clocks of host and device disagree, so causes of gaps, latencies and queue depth "
          "are off by as much",
          "Newer drivers and profilers calibrate the clocks better",
          {"idle_gaps", "critical_path", "launches"});
    else
      fine("device_before_launch", "Device work starts after its launch");
  }

  /// Calls that launch device work, and nothing of it.
  void launchedNothing() {
    if (facts_.launchCalls == 0 || !f_.w->deviceWork.empty()) return;
    const bool cut = isCutOff(trace_.importLog());
    found("no_device_work", Weight::spoils,
          counted(facts_.launchCalls, "call") +
              (facts_.launchCalls == 1 ? " launches" : " launch") +
              " device work, but none of that work is in the recording",
          "how long the device worked, what it waited for and everything that follows from it is "
          "unknown; times of the host hold",
          cut ? "It may be in the missing part of the file" : advice(Lacking::launched, ""),
          {"devices", "idle_gaps", "kernel_groups", "critical_path", "launches", "roofline",
           "bounds"})
        .example = facts_.firstLost;
  }

  void launches() {
    if (!hasDevice() || f_.pieces == 0) return;
    const std::size_t without = f_.pieces - f_.launched;
    if (without * 50 > f_.pieces)
      found("no_launch", Weight::limits,
            countShare(without, f_.pieces) + " of the device work has no launch in the recording",
            "what it waited for is known by stream order only",
            f_.launched == 0
                ? advice(Lacking::launches, ", to get causes of gaps and launch latencies")
                : "Work queued before the recording began has none: record some steps "
                  "more and look at the later ones",
            {"idle_gaps", "critical_path", "launches"});
    else
      fine("no_launch", "Launches of the device work are recorded");
    if (facts_.launchesWithoutWork * 50 > facts_.launchCalls)
      found("no_device_event", Weight::limits,
            countShare(facts_.launchesWithoutWork, facts_.launchCalls) +
                " of the launching calls have no device event",
            "device work is missing, so busy time is too small and idle time too large",
            "Buffers of the profiler overflowed, or it stopped before the device was done: "
            "synchronise before the last step ends, record fewer steps",
            {"devices", "idle_gaps", "kernel_groups"})
          .example = facts_.firstLost;
    else
      fine("no_device_event", "Launching calls have their device events");
  }

  void graphs() {
    if (!f_.gaps->reliable && !f_.gaps->unreliable.empty()) {
      std::string finding = f_.gaps->unreliable;
      while (!finding.empty() && finding.back() == '.') finding.pop_back();
      found("unreliable_gaps", Weight::limits, std::move(finding),
            "causes of idle gaps are unreliable",
            f_.gaps->unreliable.find("graphs") != std::string::npos
                ? "Record once without graphs to see causes inside"
            : f_.launched == 0 ? advice(Lacking::launches, "")
                               : "Look at steps whose launches are recorded",
            {"idle_gaps"});
    } else {
      fine("unreliable_gaps", "Gaps are followed by work whose launch is known");
    }
  }

  void steps() {
    const Steps& steps = f_.w->steps;
    std::string sentence = steps.sentence;
    while (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
    if (steps.extent == StepExtent::trace)
      found("no_steps", Weight::limits, std::move(sentence),
            "nothing is known of how steps differ, and warm-up counts like the rest",
            advice(Lacking::steps, ", to get steps"), {"steps", "headline", "bounds"});
    else if (steps.steadyCount() < steps.steps.size())
      found("left_out_steps", steps.steadyCount() == 0 ? Weight::limits : Weight::note,
            std::move(sentence),
            steps.steadyCount() == 0
                ? "figures hold for a step that is not like the others of a whole job"
                : "they are in no figure",
            steps.steadyCount() == 0 ? advice(Lacking::moreSteps, ", to get steady ones") : "",
            {"steps"});
    else
      fine("left_out_steps", "All marked steps are steady");
    if (steps.extent != StepExtent::trace && f_.steps && f_.window->spans.size() == 1)
      found("one_step", Weight::note, "Only one step", "nothing is known of how much steps differ",
            advice(Lacking::moreSteps, " to get their spread"), {"steps"});
    std::size_t without = 0;
    for (const Step& step : steps.steps) without += step.steady && step.device.empty();
    if (hasDevice() && without > 0 && f_.launched > 0 && steps.extent != StepExtent::trace)
      found("steps_without_device", Weight::note,
            counted(without, "step") + " launched no device work", "they are all idle", "",
            {"steps", "devices"});
    if (const StepKinds kinds = stepKinds(*f_.w); kinds.kinds > 1)
      found("mixed_shapes", Weight::note,
            kinds.most * 2 > kinds.steps
                ? counted(kinds.steps - kinds.most, "steady step") +
                      " of other operators or shapes than most"
                : "No operators and shapes are those of most steady steps: " +
                      std::to_string(kinds.steps) + " do work of " + std::to_string(kinds.kinds) +
                      " kinds",
            "medians mix different work", "Compare steps of the same shapes only", {"steps"});
    else if (!trace_.shapes().empty())
      fine("mixed_shapes", "Steady steps do the same work");
  }

  void classes() {
    if (!hasDevice() || f_.device->busy == 0) return;
    const TimeNs unknown =
        f_.device->byClassExclusive[static_cast<std::size_t>(KernelClass::unknown)];
    if (unknown * 20 > f_.device->busy)
      found(
          "unknown_kernels", Weight::limits,
          shareText(unknown, f_.device->busy) + " of the busy time is in kernels of no known class",
          "shares by class leave it out", "Add rules for their names (see resources/rules)",
          {"kernel_groups", "devices"});
    else
      fine("unknown_kernels", "Kernels have known classes");
  }

  void path() {
    const TimeNs untraced = f_.pathFrom({PathCause::untraced});
    if (untraced * 10 > f_.pathLength && f_.pathLength > 0)
      found("untraced_path", Weight::limits,
            shareText(untraced, f_.pathLength) + " of the critical path is untraced",
            "no predecessor is recorded there", "", {"critical_path"});
    else
      fine("untraced_path", "The critical path has its predecessors");
  }

  void shapes() {
    if (!hasDevice()) return;
    const bool pytorch = program_ == RecordedBy::pytorch;
    const auto xla = trace_.xla();
    const bool costs =
        std::any_of(xla.begin(), xla.end(), [](const XlaArgs& args) { return args.flops >= 0; });
    if (pytorch && graphReplay(*f_.w).matters())
      found("no_shapes", Weight::limits, "Kernels replayed from graphs have no operators",
            "their FLOPs and bytes, and with them roofline and bounds, are unknown",
            "Record once without graphs, with record_shapes=True, to get them",
            {"roofline", "bounds"});
    else if (!facts_.shapes && (pytorch ? facts_.ops : !costs))
      found("no_shapes", Weight::limits, pytorch ? "No operator shapes" : "No shapes of operators",
            "FLOPs, bytes, the roofline and the bounds are unknown",
            advice(Lacking::shapes, " to get them"), {"roofline", "bounds"});
    else if (facts_.shapes)
      fine("no_shapes", "Operator shapes are recorded");
  }

  void waits() {
    if (facts_.streamWaits && !facts_.sync)
      found("inferred_waits", Weight::limits, "Waits between streams are inferred",
            "what a stream waits for is not recorded",
            facts_.hipWaits ? "Profilers of ROCm do not record it"
                            : advice(Lacking::streamWaits, " to get them"),
            {"critical_path", "idle_gaps"});
    else if (facts_.sync)
      fine("inferred_waits", "Waits between streams are recorded");
  }

  void stacks() {
    if (facts_.ops && !facts_.stacks)
      found("no_stacks", Weight::note, "No Python frames",
            "where in the source time is spent is unknown",
            advice(Lacking::hostDetail, " to get it, at some cost"), {});
    else if (facts_.stacks)
      fine("no_stacks", "Python frames are recorded");
  }

  void ranks() {
    const std::int64_t world = trace_.info().worldSize.value_or(1);
    if (world > 1 && f_.communication > 0)
      found("one_rank", Weight::limits,
            "These are the figures of one rank of " + std::to_string(world),
            "a slow collective and a late rank look the same from here",
            "Compare the ranks' time in collectives: a late rank spends the least",
            {"devices", "critical_path"});
  }

  void profiler() {
    const TimeNs recorded = cost_.perSpan.recorded;
    if (recorded * 50 > f_.mean && f_.mean > 0)
      found("profiler_cost", Weight::spoils,
            "The profiler's own work takes " + durationText(recorded) +
                (f_.steps ? " of a step" : " of the window"),
            "times are longer than without it", advice(Lacking::lowerCost, ""),
            {"steps", "idle_gaps"});
    else if (cost_.perSpan.atMost && *cost_.perSpan.atMost * 10 > f_.mean && f_.mean > 0)
      found("profiler_cost", Weight::note,
            "Recording took the host about " + durationText(*cost_.perSpan.atMost) +
                (f_.steps ? " a step" : " in this window"),
            "host times may be shorter without it",
            cost_.perSpan.stackFrames > 0 ? advice(Lacking::lowerCost, " to lower it") : "",
            {"steps", "idle_gaps"});
    else
      fine("profiler_cost", "The profiler's own work is small");
  }

  void resolution() {
    if (facts_.wholeMicroseconds)
      found("whole_microseconds", Weight::limits, "Times are whole microseconds",
            "gaps and kernels of a few µs are uncertain by up to 1 µs each",
            advice(Lacking::finerTimes, ""), {"idle_gaps", "kernel_groups", "launches"});
    else
      fine("whole_microseconds", "Times are finer than microseconds");
  }

  void overlaps() {
    if (facts_.streamSpill > 0)
      found("stream_overlap", Weight::note,
            counted(facts_.streamSpill, "device event") +
                (facts_.streamSpill == 1 ? " overlaps another on its stream"
                                         : " overlap another on their stream"),
            "legal (programmatic dependent launch, graphs); busy time counts them once", "",
            {"kernel_groups"})
          .example = facts_.firstStreamSpill;
    else if (hasDevice())
      fine("stream_overlap", "Events of a stream do not overlap");
    if (facts_.hostSpill > 0)
      found("host_overlap", Weight::note,
            counted(facts_.hostSpill, "host event") + (facts_.hostSpill == 1
                                                           ? " overlaps another without nesting"
                                                           : " overlap another without nesting"),
            "they are shown in rows of their own and have no parent", "", {})
          .example = facts_.firstHostSpill;
    else
      fine("host_overlap", "Host events nest");
  }

  const StepFigures& f_;
  const ProfilerCost& cost_;
  const Trace& trace_;
  const RecordingFacts facts_;
  const RecordedBy program_;
  DataQuality quality_;
};

}  // namespace

std::string QualityCheck::sentence() const {
  std::string text = finding;
  if (!consequence.empty()) text += ": " + consequence;
  text += '.';
  if (!remedy.empty()) text += ' ' + remedy + '.';
  return text;
}

std::string_view name(QualityCheck::Weight weight) {
  switch (weight) {
    case Weight::spoils:
      return "spoils figures";
    case Weight::limits:
      return "limits figures";
    case Weight::note:
      return "note";
  }
  return "";
}

void DataQuality::add(std::vector<QualityCheck> more) {
  std::move(more.begin(), more.end(), std::back_inserter(checks));
  std::stable_sort(checks.begin(), checks.end(), [](const QualityCheck& a, const QualityCheck& b) {
    if (a.found != b.found) return a.found;
    return a.found && a.weight < b.weight;
  });
}

std::size_t DataQuality::found() const {
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(), [](const QualityCheck& c) { return c.found; }));
}

std::vector<std::string> DataQuality::warnings() const {
  std::vector<std::string> warnings;
  for (const QualityCheck& check : checks)
    if (check.found && check.weight != Weight::note) warnings.push_back(check.sentence());
  return warnings;
}

namespace {

/// Sections whose figures are made from those of others: what touches these, touches them.
struct Derived {
  std::string_view section, from;
};
constexpr std::array kDerived{
    Derived{"what_if", "critical_path"}, Derived{"headline", "devices"},
    Derived{"headline", "idle_gaps"},    Derived{"utilisation", "roofline"},
    Derived{"utilisation", "bounds"},    Derived{"collectives", "devices"},
};

bool isTouched(const QualityCheck& check, std::string_view section) {
  const auto names = [&](std::string_view one) {
    return std::find(check.touches.begin(), check.touches.end(), one) != check.touches.end();
  };
  return names(section) || std::any_of(kDerived.begin(), kDerived.end(), [&](const Derived& d) {
           return d.section == section && names(d.from);
         });
}

}  // namespace

std::vector<const QualityCheck*> DataQuality::touching(std::string_view section) const {
  return touchingAny({std::string(section)});
}

std::vector<const QualityCheck*> DataQuality::touchingAny(
    const std::vector<std::string>& sections) const {
  std::vector<const QualityCheck*> touched;
  for (const QualityCheck& check : checks)
    if (check.found && check.weight != QualityCheck::Weight::note &&
        std::any_of(sections.begin(), sections.end(),
                    [&](const std::string& section) { return isTouched(check, section); }))
      touched.push_back(&check);
  return touched;
}

DataQuality dataQuality(const StepFigures& figures, const ProfilerCost& cost) {
  return Checks(figures, cost).run();
}

}  // namespace ridgeline
