#include "core/analysis/what_if.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "core/analysis/what_if_names.h"
#include "core/analysis/what_if_target.h"
#include "core/base/duration_text.h"

namespace ridgeline {

namespace {

/// Shares of a step from which a change is worth a line of its own.
constexpr TimeNs kClassPerCent = 5, kCausePerCent = 2;

TimeNs scaled(TimeNs weight, double factor) {
  return static_cast<TimeNs>(std::llround(static_cast<double>(weight) * factor));
}

std::vector<std::string> assumptionsOf(const WhatIf& r) {
  using What = WhatIfChange::What;
  std::vector<std::string> all{
      "A bound: contention for memory and links, clocks and caches are taken to stay as they were.",
      "What depended on what in the recording still does, and what happened before the step is "
      "unchanged."};
  switch (r.change.what) {
    case What::collectives:
      all.emplace_back(
          "A collective's time holds the wait for other ranks: scaling it scales that wait too.");
      break;
    case What::launches:
      all.emplace_back(
          "Calls and launch latency change alike; work that queued on its stream "
          "starts as soon after its launch as any did.");
      break;
    case What::cause:
      all.emplace_back(
          "The time goes, what waited for it stays: a blocking call still waits for "
          "the device.");
      break;
    default:
      all.emplace_back(
          "Collectives take as long as they did, their wait for other ranks included.");
  }
  if (r.floor && r.floorOf == WhatIf::FloorOf::stream)
    all.push_back("No step is taken to be faster than what its busiest stream has to do, " +
                  durationText(*r.floor) + ".");
  else if (r.floor && r.floorOf == WhatIf::FloorOf::communication)
    all.push_back(
        "As much is sent as before, so the step is not taken to be faster than its "
        "communication bound, " +
        durationText(*r.floor) + ".");
  else if (r.floor)
    all.push_back("No step is taken to be faster than its compute and memory bounds, " +
                  durationText(*r.floor) + ".");
  return all;
}

/// What a new step that seems to be under a bound of the same report has to do with it.
std::string underBounds(const WhatIf& r, const StepFloors& floors) {
  if (r.saving() <= 0) return {};
  if (floors.communication && r.newStep < *floors.communication)
    return " That is under the step's communication bound of " +
           durationText(*floors.communication) + ": this change is of what is sent.";
  if (floors.ofMean && r.newStep < *floors.ofMean)
    return " That is under the floor of the mean step, " + durationText(*floors.ofMean) +
           ": this step needs less.";
  return {};
}

std::string sentenceOf(const WhatIf& r, const StepFloors& floors) {
  std::string text = titleOf(r.change) + ": ";
  if (r.events == 0) return text + "nothing of that is in this step.";
  const TimeNs saving = r.saving();
  if (saving == 0) {
    text += "no change of the step's " + durationText(r.step);
  } else {
    text += saving > 0 ? "at best " : "";
    text += durationText(r.newStep) + " instead of " + durationText(r.step) + ", " +
            shareText(std::abs(saving), r.step) + (saving > 0 ? " less." : " more.");
  }
  if (r.onPath == 0 && saving == 0)
    return text + ": it is " +
           (r.touched > r.step ? durationText(r.touched) + " on all devices"
                               : shareText(r.touched, r.step) + " of the step") +
           ", but not on the critical path.";
  if (saving == 0) text += ".";
  if (r.floor)
    text += r.floorOf == WhatIf::FloorOf::stream
                ? " Its busiest stream allows no more: it has that much to do."
            : r.floorOf == WhatIf::FloorOf::communication
                ? " The communication bound of the step allows no more."
                : " The compute and memory bounds of the step allow no more.";
  text += underBounds(r, floors);
  if (!r.pathMoves()) return text + " It stays on the critical path.";
  if (r.expected <= 0)
    return text + " More of it comes onto the critical path: " + durationText(r.onNewPath) + ".";
  text += " The path moves elsewhere: of " + durationText(r.expected) + " taken off it only " +
          durationText(std::max<TimeNs>(0, r.step - r.replayed)) + " are saved; then it is";
  for (std::size_t i = 0; i < r.newCauses.size() && i < 2; ++i)
    text.append(i == 0 ? " " : " and ")
        .append(title(r.newCauses[i].first))
        .append(" (" + shareText(r.newCauses[i].second, r.replayed) + ")");
  return text + ".";
}

TimeNs timeOf(const DependencyGraph& graph, const DependencyGraph::Work& work) {
  return graph.times()[work.end] - graph.times()[work.begin];
}

/// What the busiest stream has to do in the window after the change.
TimeNs busiestStream(const DependencyGraph& graph, const Workload& w,
                     const std::vector<TimeNs>& after) {
  std::vector<TimeNs> busy(w.trace->tracks().size(), 0);
  for (const DependencyGraph::Work& work : graph.work()) {
    const TimeNs before = timeOf(graph, work);
    if (before <= 0) continue;
    const TimeSpan inside =
        TimeSpan{graph.times()[work.begin], graph.times()[work.end]}.clippedTo(graph.window());
    const double share =
        static_cast<double>(after[work.end] - after[work.begin]) / static_cast<double>(before);
    busy[w.trace->trackOf(work.slice).index()] += scaled(inside.length(), share);
  }
  return busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
}

/// Keeps the new step over the bounds that hold after the change.
void limit(const StepFloors& floors, bool ofSending, TimeNs stream, WhatIf& r) {
  r.newStep = r.replayed;
  TimeNs floor = floors.device.value_or(0);
  if (!ofSending && floors.communication.value_or(0) > floor) {
    floor = *floors.communication;
    r.floorOf = WhatIf::FloorOf::communication;
  }
  if (stream > floor) {
    floor = stream;
    r.floorOf = WhatIf::FloorOf::stream;
  }
  if (r.replayed >= std::min(floor, r.step)) return;
  r.newStep = std::min(floor, r.step);
  r.floor = floor;
}

std::vector<ClassSlack> slackByClass(const DependencyGraph& graph, const Workload& w,
                                     const CriticalPath& path) {
  std::array<ClassSlack, kKernelClassCount> classes{};
  std::array<std::vector<TimeNs>, kKernelClassCount> known;
  const auto edges = graph.edges();
  const auto slack = graph.slack();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const bool running = edges[e].cause == PathCause::compute ||
                         edges[e].cause == PathCause::communication ||
                         edges[e].cause == PathCause::memory;
    if (edges[e].kind != Dependency::duration || !running || !isDeviceSlice(w, edges[e].slice))
      continue;
    const auto c = static_cast<std::size_t>(w.classOf(edges[e].slice));
    ++classes[c].events;
    if (!slack[e])
      ++classes[c].unknown;
    else
      known[c].push_back(*slack[e]);
    if (slack[e] && *slack[e] == 0) ++classes[c].noSlack;
  }
  for (const PathSegment& segment : path.segments)
    if (segment.cause == PathCause::compute || segment.cause == PathCause::communication ||
        segment.cause == PathCause::memory)
      if (isDeviceSlice(w, segment.event))
        classes[static_cast<std::size_t>(w.classOf(segment.event))].onPath += segment.span.length();
  std::vector<ClassSlack> result;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (classes[c].events == 0) continue;
    classes[c].kernelClass = static_cast<KernelClass>(c);
    if (!known[c].empty()) {
      const auto middle = known[c].begin() + static_cast<std::ptrdiff_t>((known[c].size() - 1) / 2);
      std::nth_element(known[c].begin(), middle, known[c].end());
      classes[c].median = *middle;
    }
    result.push_back(classes[c]);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const ClassSlack& a, const ClassSlack& b) { return a.onPath > b.onPath; });
  return result;
}

std::vector<WhatIfChange> usualChanges(const DependencyGraph& graph, const Workload& w,
                                       const CriticalPath& path) {
  using What = WhatIfChange::What;
  const TimeNs step = path.window.length();
  std::array<TimeNs, kKernelClassCount> byClass{};
  for (const DependencyGraph::Work& work : graph.work())
    byClass[static_cast<std::size_t>(w.classOf(work.slice))] += timeOf(graph, work);
  std::vector<WhatIfChange> changes;
  for (std::size_t c = 0; c < byClass.size(); ++c) {
    const auto kernelClass = static_cast<KernelClass>(c);
    if (kernelClass == KernelClass::collective || byClass[c] * 100 < step * kClassPerCent) continue;
    WhatIfChange change;
    change.kernelClass = kernelClass;
    change.factor = 0.5;
    changes.push_back(change);
  }
  WhatIfChange change;
  change.factor = 0;
  if (byClass[static_cast<std::size_t>(KernelClass::collective)] > 0) {
    change.what = What::collectives;
    changes.push_back(change);
  }
  change.what = What::cause;
  for (const PathCause cause :
       {PathCause::input, PathCause::hostGap, PathCause::python, PathCause::allocation,
        PathCause::compileLoad, PathCause::hostSync, PathCause::profiler}) {
    if (path.byCause[static_cast<std::size_t>(cause)] * 100 < step * kCausePerCent) continue;
    change.cause = cause;
    changes.push_back(change);
  }
  change.what = What::launches;
  change.factor = 0.5;
  const bool launched =
      std::any_of(graph.edges().begin(), graph.edges().end(),
                  [](const GraphEdge& e) { return e.kind == Dependency::launch; });
  if (launched) changes.push_back(change);
  return changes;
}

}  // namespace

WhatIf whatIf(const DependencyGraph& graph, const Workload& w, const WhatIfChange& change,
              const StepFloors& floors) {
  WhatIf r;
  r.change = change;
  const WhatIfTarget target(w, change);
  const auto edges = graph.edges();
  const std::vector<TimeNs> before = graph.weights();
  std::vector<TimeNs> weights = before;
  std::vector<bool> changed(edges.size(), false);
  std::unordered_set<std::uint32_t> slices;
  bool ofSending = change.what == WhatIfChange::What::collectives;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (!target.holds(edges[e])) continue;
    changed[e] = true;
    ofSending = ofSending || edges[e].cause == PathCause::communication;
    weights[e] = scaled(before[e], change.factor);
    if (before[e] == 0 || !edges[e].binding) continue;
    r.touched += before[e];
    slices.insert(edges[e].slice.value);
  }
  r.events = slices.size();
  r.step = graph.window().length();
  for (const std::uint32_t e : graph.longestPath(graph.times(), before)) {
    if (!changed[e]) continue;
    r.onPath += before[e];
    r.expected += before[e] - weights[e];
  }
  r.times = graph.replay(weights);
  r.replayed = r.times[graph.endEvent()] - graph.window().begin;
  limit(floors, ofSending, busiestStream(graph, w, r.times), r);
  std::array<TimeNs, kPathCauseCount> byCause{};
  for (const std::uint32_t e : graph.longestPath(r.times, weights)) {
    byCause[static_cast<std::size_t>(edges[e].cause)] += weights[e];
    if (changed[e]) r.onNewPath += weights[e];
  }
  for (std::size_t c = 0; c < byCause.size(); ++c)
    if (byCause[c] > 0) r.newCauses.emplace_back(static_cast<PathCause>(c), byCause[c]);
  std::stable_sort(r.newCauses.begin(), r.newCauses.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  r.assumptions = assumptionsOf(r);
  r.sentence = sentenceOf(r, floors);
  if (r.events == 0)
    if (const std::string names = namesInstead(graph, w, change); !names.empty())
      r.sentence += " " + names;
  return r;
}

WhatIfs whatIfs(const Workload& w, const CriticalPaths& paths,
                std::shared_ptr<const DependencyGraph> graph, const StepFloors& floors,
                const Task& task) {
  WhatIfs r;
  r.span = paths.representative;
  if (paths.paths.empty() || paths.paths[r.span].window.empty()) {
    r.missing = "The window holds nothing.";
    return r;
  }
  const CriticalPath& path = paths.paths[r.span];
  r.window = path.window;
  if (!graph) {
    r.missing = "The window holds more than four million events: choose a step.";
    return r;
  }
  r.floors = floors;
  r.graph = std::move(graph);
  for (const WhatIfChange& change : usualChanges(*r.graph, w, path)) {
    if (task.cancelled()) return r;
    WhatIf one = whatIf(*r.graph, w, change, floors);
    one.times = {};
    r.list.push_back(std::move(one));
  }
  std::stable_sort(r.list.begin(), r.list.end(),
                   [](const WhatIf& a, const WhatIf& b) { return a.saving() > b.saving(); });
  r.slack = slackByClass(*r.graph, w, path);
  return r;
}

}  // namespace ridgeline
