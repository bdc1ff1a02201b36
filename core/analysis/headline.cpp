#include "core/analysis/headline.h"

#include <algorithm>

#include "core/analysis/headline_missing.h"
#include "core/analysis/headline_verdict.h"
#include "core/analysis/step_figures.h"
#include "core/base/duration_text.h"

namespace ridgeline {

namespace {

TimeSpan typicalSpan(const StepFigures& f) {
  const std::vector<TimeSpan>& spans = f.window->spans;
  if (spans.empty()) return {};
  return spans[std::min(f.paths->representative, spans.size() - 1)];
}

HeadlinePart lengthPart(const StepFigures& f) {
  HeadlinePart part;
  part.panel = "steps";
  part.sections = {"steps"};
  part.evidence = typicalSpan(f);
  if (!f.steps) {
    part.text = durationText(f.mean) + " in all";
    part.tooltip = "Length of the window (" + f.window->label + "), measured.";
    return part;
  }
  const std::size_t n = f.window->spans.size();
  part.text = durationText(f.median) + " a step";
  if (n > 1) part.text += " (median of " + std::to_string(n) + ", p90 " + durationText(f.p90) + ")";
  part.tooltip = "Measured over " + f.window->label + ". ";
  if (n > 1)
    part.tooltip += "A click shows " + f.pathStep() + ": its length is nearest the median. ";
  part.tooltip += f.w->steps.sentence;
  return part;
}

std::string_view waitingFor(GapCause cause) {
  switch (cause) {
    case GapCause::input:
      return "waiting for input";
    case GapCause::hostSync:
      return "after host syncs";
    case GapCause::allocation:
      return "during allocation";
    case GapCause::compileLoad:
      return "during compiling or loading";
    case GapCause::launch:
      return "waiting for launches";
    case GapCause::python:
      return "waiting for Python";
    case GapCause::hostIdle:
      return "while the host does nothing recorded";
    case GapCause::collective:
      return "waiting for collectives";
    case GapCause::otherStream:
      return "waiting for other streams";
    case GapCause::launchLatency:
      return "between kernels queued in time";
    case GapCause::otherRank:
      return "waiting for other processes";
    case GapCause::profiler:
      return "during the profiler's own work";
    case GapCause::outsideCapture:
      return "outside the recording of the device";
    case GapCause::deviceWait:
      return "unexplained";
    case GapCause::unknown:
      return "of unknown cause";
  }
  return "";
}

HeadlinePart idlePart(const StepFigures& f) {
  HeadlinePart part;
  part.panel = "idle_gaps";
  part.sections = {"devices", "idle_gaps"};
  part.text = (f.window->spans.empty() || f.idle == 0) ? "device never idle"
                                                       : "device idle " + shareText(f.idle, f.mean);
  part.tooltip = "Measured: time in which no stream of " + f.deviceName() + " worked, " +
                 durationText(f.idle) + " of " + durationText(f.mean) +
                 (f.steps ? " a step (mean)." : ".");
  std::size_t top = 0;
  for (std::size_t i = 0; i < f.idleBy.size(); ++i)
    if (f.idleBy[i] > f.idleBy[top]) top = i;
  if (f.idle == 0 || f.idleBy[top] == 0) return part;
  const auto cause = static_cast<GapCause>(top);
  part.text += (f.idleBy[top] * 2 >= f.idle ? ", most of it " : ", the largest part ");
  part.text += waitingFor(cause);
  part.tooltip += ' ' + std::string(explanation(cause));
  if (const IdleGap* gap = f.longestGap({cause})) {
    part.evidence = gap->span;
    part.slice = gap->hostEvent;
  }
  return part;
}

HeadlinePart communicationPart(const StepFigures& f) {
  HeadlinePart part;
  part.panel = "device_time";
  part.sections = {"devices"};
  if (f.communication == 0) {
    part.text = "no communication";
    part.tooltip = "No collective ran on " + f.deviceName() + " in this window.";
    return part;
  }
  part.text =
      "exposed communication " +
      (f.exposedCommunication == 0 ? std::string("0") : shareText(f.exposedCommunication, f.mean));
  part.tooltip = "Measured: collectives run for " + durationText(f.communication) + ", of which " +
                 durationText(f.exposedCommunication) + " without any other kernel beside them.";
  part.slice = f.longestCollective;
  if (part.slice.valid()) part.evidence = f.w->trace->slices().span(part.slice);
  return part;
}

HeadlinePart floorPart(const StepFigures& f) {
  HeadlinePart part;
  part.panel = "roofline";
  part.sections = {"roofline", "bounds"};
  const auto floor = f.bounds == nullptr ? std::nullopt : f.bounds->floor();
  std::string missing;
  if (f.bounds != nullptr)
    for (const std::string& text : f.bounds->missing)
      missing += (missing.empty() ? "" : "; ") + text;
  if (!floor || *floor == 0) {
    part.text = "floor unknown";
    part.tooltip = "A lower bound of the step needs: " +
                   (missing.empty() ? std::string("operator shapes and device peaks") : missing);
    return part;
  }
  part.text = "floor " + durationText(*floor) + " (" + std::string(f.bounds->floorName()) + ")";
  part.tooltip = "Computed: the largest of the lower bounds of " + f.deviceName() +
                 " from shapes and peaks, covering " +
                 shareText(static_cast<TimeNs>(f.bounds->coverage * 1000), 1000) +
                 " of the kernel time; no change of schedule can beat it." +
                 (missing.empty() ? "" : " Not included: " + missing + ".");
  return part;
}

HeadlinePart pathPart(const StepFigures& f) {
  HeadlinePart part;
  part.panel = "critical_path";
  part.sections = {"critical_path"};
  std::size_t top = 0;
  for (std::size_t i = 0; i < f.pathBy.size(); ++i)
    if (f.pathBy[i] > f.pathBy[top]) top = i;
  const std::string step = f.pathStep();
  part.text = "critical path " + (step.empty() ? "" : "of " + step + " ") +
              shareText(f.pathBy[top], f.pathLength) + " " +
              std::string(title(static_cast<PathCause>(top)));
  part.tooltip = "Measured: the gapless chain of what the end of " +
                 (step.empty() ? std::string("the step")
                               : step + " (" + durationText(f.pathLength) +
                                     ", the step whose length is nearest the median)") +
                 " had to wait for:";
  for (std::size_t i = 0; i < f.pathBy.size(); ++i)
    if (f.pathBy[i] * 100 >= f.pathLength)
      part.tooltip +=
          "\n" + std::string(title(static_cast<PathCause>(i))) + " " + durationText(f.pathBy[i]);
  part.evidence = typicalSpan(f);
  return part;
}

}  // namespace

Headline headline(const Workload& w, const DeviceTimes& times, const IdleGaps& gaps,
                  const CriticalPaths& paths, const std::vector<Bounds>& bounds,
                  const ProfilerCost& cost, StepShares shares) {
  const StepFigures f = stepFigures(w, times, gaps, paths, bounds);
  Headline h;
  h.shares = std::move(shares);
  addVerdict(f, h);
  sayWhatIsMissing(f, h);
  h.verdictSections = {"headline"};
  if (h.verdictPanel == "device_time" || h.verdictPanel == "kernels")
    h.verdictSections.emplace_back("devices");
  else
    h.verdictSections.push_back(h.verdictPanel);
  h.quality = dataQuality(f, cost);
  h.warnings = h.quality.warnings();
  h.parts.push_back(lengthPart(f));
  if (f.device != nullptr) {
    h.parts.push_back(idlePart(f));
    h.parts.push_back(communicationPart(f));
    h.parts.push_back(floorPart(f));
  }
  if (f.pathLength > 0) h.parts.push_back(pathPart(f));
  if (!h.warnings.empty()) {
    HeadlinePart part;
    part.text =
        std::to_string(h.warnings.size()) + (h.warnings.size() == 1 ? " warning" : " warnings");
    for (const std::string& warning : h.warnings)
      part.tooltip += (part.tooltip.empty() ? "" : "\n") + warning;
    part.panel = "problems";
    h.parts.push_back(std::move(part));
  }
  return h;
}

}  // namespace ridgeline
