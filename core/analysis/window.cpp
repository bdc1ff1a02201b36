#include "core/analysis/window.h"

#include <algorithm>

#include "core/base/duration_text.h"
#include "core/workload/shown_steps.h"

namespace ridgeline {

namespace {

/// "#5…#9", "#5, #7…#9". A number between two that are joined by "…" belongs to a step, too: where
/// a mark was lost, its neighbours in the list are none in the program.
std::string numbersText(const Workload& w, const std::vector<std::size_t>& steps) {
  const auto number = [&](std::size_t i) { return w.steps.steps[steps[i]].number; };
  std::string text;
  for (std::size_t i = 0; i < steps.size();) {
    std::size_t last = i;
    while (last + 1 < steps.size() && number(last + 1) - 1 == number(last)) ++last;
    if (!text.empty()) text += ", ";
    text += "#" + std::to_string(number(i));
    if (last > i) text += (last == i + 1 ? ", #" : "…#") + std::to_string(number(last));
    i = last + 1;
  }
  return text;
}

AnalysisWindow windowOf(const Workload& w, AnalysisWindow::Kind kind,
                        std::vector<std::size_t> steps, const std::string& kindWord) {
  AnalysisWindow window;
  window.kind = kind;
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  for (const std::size_t i : steps) {
    if (i >= w.steps.steps.size()) continue;
    window.steps.push_back(i);
    window.spans.push_back(w.steps.steps[i].window);
  }
  if (w.steps.extent == StepExtent::trace) {
    window.label = "the whole trace";
  } else if (window.steps.size() == 1) {
    window.label = (kindWord.empty() ? "step #" : "1 " + kindWord + "step (#") +
                   std::to_string(w.steps.steps[window.steps.front()].number) +
                   (kindWord.empty() ? "" : ")");
  } else {
    window.label = std::to_string(window.steps.size()) + ' ' + kindWord + "steps (" +
                   numbersText(w, window.steps) + ")";
  }
  return window;
}

}  // namespace

TimeNs AnalysisWindow::length() const {
  TimeNs sum = 0;
  for (const TimeSpan& span : spans) sum += span.length();
  return sum;
}

std::string nameOfSpan(const Workload& w, const AnalysisWindow& window, std::size_t span) {
  return span < window.steps.size() ? w.steps.steps[window.steps[span]].name : window.label;
}

AnalysisWindow steadyWindow(const Workload& w) {
  const bool anySteady = w.steps.steadyCount() > 0;
  AnalysisWindow window = windowOf(w, AnalysisWindow::Kind::steadySteps, shownSteps(w.steps),
                                   anySteady ? "steady " : "");
  if (anySteady) return window;
  window.label += window.steps.size() == 1 ? ", not steady" : ", none is steady";
  return window;
}

AnalysisWindow stepsWindow(const Workload& w, const std::vector<std::size_t>& steps) {
  return windowOf(w, AnalysisWindow::Kind::steps, steps, "");
}

AnalysisWindow spanWindow(TimeSpan span) {
  AnalysisWindow window;
  window.kind = AnalysisWindow::Kind::span;
  window.spans.push_back(span);
  window.label = durationText(span.begin) + " … " + durationText(span.end);
  return window;
}

AnalysisWindow wholeDeviceWindow(const Workload& w) {
  AnalysisWindow window;
  window.kind = AnalysisWindow::Kind::wholeDevice;
  window.label = "all";
  const SliceTable& s = w.trace->slices();
  TimeSpan span = w.trace->bulk();
  bool first = true;
  for (const SliceId id : w.deviceWork) {
    const TimeSpan own = s.span(id);
    if (w.trace->isStray(own)) continue;
    span = first ? own : TimeSpan{std::min(span.begin, own.begin), std::max(span.end, own.end)};
    first = false;
  }
  window.spans.push_back(span);
  return window;
}

}  // namespace ridgeline
