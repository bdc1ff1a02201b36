#include "core/workload/steps.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/capital.h"
#include "core/base/duration_text.h"
#include "core/workload/host_activity.h"
#include "core/workload/step_checks.h"
#include "core/workload/step_marks.h"

namespace ridgeline {

namespace {

/// Host annotations that leave less than this share of a step between them are one gapless series:
/// the profiler itself works between two ProfilerSteps.
constexpr TimeNs kBorderShare = 20;  // 1/20

bool isWork(Category c) {
  return isDeviceWork(c) || c == Category::cpuOp || c == Category::runtime;
}

/// The trace without what the profiler does at its ends: frames in which it starts and stops (some
/// take many seconds) with no work before or after them but their own.
TimeSpan withoutProfiler(const Trace& trace) {
  const SliceTable& s = trace.slices();
  std::vector<bool> isFrame(s.size());
  std::vector<SliceId> frames;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.category[i] != Category::pythonFunction || !isProfilerStartOrStop(trace.name(SliceId(i))))
      continue;
    isFrame[i] = true;
    frames.emplace_back(i);
  }
  if (frames.empty()) return trace.bulk();
  const auto isOwn = [&](SliceId id) {
    for (SliceId p = s.parent[id.index()]; p.valid(); p = s.parent[p.index()])
      if (isFrame[p.index()]) return true;
    return false;
  };
  TimeSpan work;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const SliceId id(i);
    const TimeSpan span = s.span(id);
    if (!isWork(s.category[i]) || span.empty() || isOwn(id) || trace.isStray(span)) continue;
    work = work.empty() ? span
                        : TimeSpan{std::min(work.begin, span.begin), std::max(work.end, span.end)};
  }
  TimeSpan all = trace.bulk();
  if (work.empty()) return all;
  for (const SliceId frame : frames) {
    const TimeSpan span = s.span(frame);
    if (span.end <= work.begin) all.begin = std::max(all.begin, span.end);
    if (span.begin >= work.end) all.end = std::min(all.end, span.begin);
  }
  return all;
}

Steps wholeTrace(const Trace& trace, const StepMarks& marks) {
  const TimeSpan all = withoutProfiler(trace);
  Step step;
  step.name = "whole trace";
  step.number = 0;
  step.host = step.launch = step.device = step.window = all;
  Steps steps;
  steps.steps.push_back(std::move(step));
  steps.extent = StepExtent::trace;
  const std::string why = marks.overlapping > 0
                              ? std::to_string(marks.overlapping) +
                                    " step marks overlap each other and cannot be told apart"
                              : "no steps are marked";
  steps.source = why;
  steps.sentence = capital(why) + ", so the whole trace is taken as one";
  if (const TimeNs left = trace.bulk().length() - all.length(); left > 0)
    steps.sentence +=
        ", without the " + durationText(left) + " in which the profiler starts and stops";
  if (trace.bulk() != trace.span())
    steps.sentence += ", without what a damaged time puts far from all else";
  steps.sentence += '.';
  return steps;
}

std::vector<Step> marked(const Trace& trace, const StepMarks& marks) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < marks.annotations.size(); ++i) {
    Step step;
    step.annotation = marks.annotations[i];
    step.name = trace.name(step.annotation);
    step.number = marks.numbers[i];
    step.host = trace.slices().span(step.annotation);
    if (i + 1 < marks.annotations.size())
      step.host.end =
          std::min(step.host.end, trace.slices().start[marks.annotations[i + 1].index()]);
    steps.push_back(std::move(step));
  }
  return steps;
}

void measureExtents(const Trace& trace, const StepContents& contents, std::vector<Step>& steps) {
  const SliceTable& s = trace.slices();
  for (std::size_t k = 0; k < steps.size(); ++k) {
    Step& step = steps[k];
    const auto& work = contents.deviceWork[k];
    std::optional<TimeSpan> device;
    for (const SliceId id : work) {
      const TimeSpan span = s.span(id);
      if (trace.isStray(span)) continue;
      device = device
                   ? TimeSpan{std::min(device->begin, span.begin), std::max(device->end, span.end)}
                   : span;
    }
    step.device = device.value_or(TimeSpan{step.host.end, step.host.end});
    step.launch = {step.host.begin, std::max(step.host.end, step.device.end)};
  }
}

/// The host extent, unless more than half of the device work that the steps launch runs after the
/// annotation it was launched in. Where most device work has no launch (filtered recordings), the
/// few that are known do not say where a step's work begins and ends.
StepExtent chooseExtent(const Trace& trace, const StepContents& contents,
                        const std::vector<Step>& steps) {
  const SliceTable& s = trace.slices();
  TimeNs all = 0;
  TimeNs inside = 0;
  for (std::size_t k = 0; k < steps.size(); ++k)
    for (const SliceId id : contents.deviceWork[k]) {
      all += s.duration(id);
      inside += s.span(id).clippedTo(steps[k].host).length();
    }
  if (inside * 2 >= all) return StepExtent::host;
  TimeNs recorded = 0;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (isDeviceWork(s.category[i])) recorded += s.duration(SliceId(i));
  return all * 2 < recorded ? StepExtent::host : StepExtent::device;
}

void setHostWindows(std::vector<Step>& steps) {
  for (std::size_t k = 0; k < steps.size(); ++k) {
    steps[k].window = steps[k].host;
    if (k + 1 == steps.size()) break;
    const TimeNs next = steps[k + 1].host.begin;
    if ((next - steps[k].host.end) * kBorderShare < steps[k].host.length())
      steps[k].window.end = next;
  }
}

void setDeviceWindows(const StepContents& contents, std::vector<Step>& steps) {
  TimeNs border = 0;
  for (const Step& step : steps) border = std::max(border, step.device.end);
  for (std::size_t k = steps.size(); k-- > 0;) {
    const TimeNs begin =
        contents.deviceWork[k].empty() ? border : std::min(border, steps[k].device.begin);
    steps[k].window = {begin, border};
    border = begin;
  }
}

TimeNs middle(std::vector<TimeNs>& values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : values[n / 2 - 1] + (values[n / 2] - values[n / 2 - 1]) / 2;
}

}  // namespace

std::string_view name(StepExtent extent) {
  switch (extent) {
    case StepExtent::host:
      return "host";
    case StepExtent::launch:
      return "launch";
    case StepExtent::device:
      return "device";
    case StepExtent::trace:
      return "trace";
  }
  return {};
}

std::vector<std::size_t> Steps::steadyIndices() const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].steady) indices.push_back(i);
  return indices;
}

Steps findSteps(const Trace& trace) {
  StepMarks marks = findStepMarks(trace);
  if (marks.annotations.empty()) return wholeTrace(trace, marks);
  Steps steps;
  steps.source = std::move(marks.source);
  steps.steps = marked(trace, marks);
  const StepContents contents = contentsOf(trace, steps.steps);
  measureExtents(trace, contents, steps.steps);
  steps.extent = chooseExtent(trace, contents, steps.steps);
  if (steps.extent == StepExtent::device) {
    setDeviceWindows(contents, steps.steps);
  } else {
    setHostWindows(steps.steps);
  }
  judgeSteps(trace, contents, steps);
  return steps;
}

StepStatistics statisticsOf(const Steps& steps) {
  std::vector<TimeNs> lengths;
  for (const std::size_t i : steps.steadyIndices())
    lengths.push_back(steps.steps[i].window.length());
  StepStatistics statistics;
  statistics.n = lengths.size();
  if (lengths.empty()) return statistics;
  statistics.median = middle(lengths);
  statistics.min = lengths.front();
  statistics.max = lengths.back();
  const auto rank = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(lengths.size())));
  statistics.p90 = lengths[std::max<std::size_t>(rank, 1) - 1];
  std::vector<TimeNs> deviations;
  for (const TimeNs length : lengths) deviations.push_back(std::abs(length - statistics.median));
  statistics.mad = middle(deviations);
  return statistics;
}

}  // namespace ridgeline
