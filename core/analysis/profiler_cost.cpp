#include "core/analysis/profiler_cost.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "core/base/duration_text.h"
#include "core/base/intervals.h"
#include "core/base/share_text.h"
#include "core/trace/recording_advice.h"
#include "core/workload/host_activity.h"

namespace ridgeline {

namespace {

bool isHostRecord(Category c) {
  return c == Category::cpuOp || c == Category::pythonFunction || c == Category::runtime ||
         c == Category::userAnnotation;
}

/// What the profiler did itself: its overhead events (loading of code is work of the program that
/// it only reports as overhead), and frames in which it starts or stops.
bool isOwnWork(const Trace& trace, SliceId s) {
  switch (trace.slices().category[s.index()]) {
    case Category::overhead:
      return hostActivityOf(Category::overhead, trace.name(s)) == HostActivity::profiler;
    case Category::pythonFunction:
      return isProfilerStartOrStop(trace.name(s));
    default:
      return false;
  }
}

/// Where the host worked for each span of the window. Windows of steps on the device are later than
/// that: the host has gone on to other steps by then, or the recording of it has ended.
std::vector<TimeSpan> hostSpans(const Workload& w, const AnalysisWindow& window) {
  std::vector<TimeSpan> spans = window.spans;
  const std::vector<Step>& steps = w.steps.steps;
  if (w.steps.extent != StepExtent::device || window.steps.size() != spans.size()) return spans;
  for (std::size_t k = 0; k < spans.size(); ++k) {
    const std::size_t i = window.steps[k];
    spans[k] = steps[i].host;
    // Where annotations nearly touch, the profiler works between them: that is a cost of the first.
    const TimeNs next = i + 1 < steps.size() ? steps[i + 1].host.begin : spans[k].end;
    if ((next - spans[k].end) * 20 < spans[k].length()) spans[k].end = next;
  }
  return spans;
}

bool isFlush(std::string_view name) {
  return name.find("Flush") != std::string_view::npos ||
         name.find("flush") != std::string_view::npos;
}

void addOverhead(const Workload& w, const std::vector<TimeSpan>& host, ProfilerCost& cost) {
  const Trace& trace = *w.trace;
  const SliceTable& s = trace.slices();
  std::map<std::string_view, OverheadKind> kinds;
  std::vector<TimeSpan> all;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const SliceId id(i);
    if (!isOwnWork(trace, id)) continue;
    const TimeSpan span = s.span(id);
    all.push_back(span);
    OverheadKind& kind = kinds[trace.name(id)];
    ++kind.count;
    kind.total += span.length();
    for (const TimeSpan& part : cost.window.spans) kind.inWindow += span.clippedTo(part).length();
    if (!kind.longest.valid() || s.duration(id) > s.duration(kind.longest)) kind.longest = id;
    if (!isFlush(trace.name(id))) continue;
    cost.flushes += span.length();
    for (const Step& step : w.steps.steps)
      if (w.steps.extent != StepExtent::trace)
        cost.flushesInSteps += span.clippedTo(step.window).length();
    if (!cost.longestFlush.valid() || s.duration(id) > s.duration(cost.longestFlush))
      cost.longestFlush = id;
  }
  for (auto& [name, kind] : kinds) {
    kind.name = std::string(name);
    cost.kinds.push_back(kind);
  }
  std::stable_sort(cost.kinds.begin(), cost.kinds.end(),
                   [](const OverheadKind& a, const OverheadKind& b) { return a.total > b.total; });
  const Intervals merged = unionOf(std::move(all));
  for (std::size_t k = 0; k < host.size(); ++k)
    for (const TimeSpan& span : merged) cost.spans[k].recorded += span.clippedTo(host[k]).length();
}

/// The tenth percentile of the innermost host events.
void addPerRecord(const Trace& trace, ProfilerCost& cost) {
  const SliceTable& s = trace.slices();
  std::vector<bool> holds(s.size(), false);
  for (std::size_t i = 0; i < s.size(); ++i)
    if (s.parent[i].valid()) holds[s.parent[i].index()] = true;
  std::vector<TimeNs> lengths;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (isHostRecord(s.category[i]) && !holds[i]) lengths.push_back(s.end[i] - s.start[i]);
  if (lengths.size() < 100) return;
  const auto at = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 10);
  std::nth_element(lengths.begin(), at, lengths.end());
  if (*at > 0) cost.perRecord = *at;  // 0: times are too coarse to tell
}

void addRecords(const Trace& trace, const std::vector<TimeSpan>& host, ProfilerCost& cost) {
  const SliceTable& s = trace.slices();
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::thread) continue;
    std::vector<RecordingCost> here(cost.spans.size());
    for (std::uint32_t r = 0; r < track.rowCount; ++r) {
      const Row& row = trace.rows()[track.firstRow.index() + r];
      for (std::size_t k = 0; k < here.size(); ++k) {
        const TimeSpan span = host[k];
        const auto first = s.start.begin();
        auto i = static_cast<std::uint32_t>(
            std::lower_bound(first + row.first, first + row.last, span.begin) - first);
        for (; i < row.last && s.start[i] < span.end; ++i) {
          here[k].records += isHostRecord(s.category[i]);
          here[k].stackFrames += s.category[i] == Category::pythonFunction;
        }
      }
    }
    for (std::size_t k = 0; k < here.size(); ++k) {
      if (here[k].records <= cost.spans[k].records) continue;
      cost.spans[k].records = here[k].records;
      cost.spans[k].stackFrames = here[k].stackFrames;
    }
  }
  for (RecordingCost& span : cost.spans)
    if (cost.perRecord && span.records > 0)
      span.atMost = span.recorded + static_cast<TimeNs>(span.records) * *cost.perRecord;
}

void addMean(ProfilerCost& cost) {
  for (const RecordingCost& span : cost.spans) cost.silent += span.records == 0;
  if (cost.silent == cost.spans.size()) cost.silent = 0;
  const auto n = static_cast<TimeNs>(cost.spans.size() - cost.silent);
  if (n == 0) return;
  TimeNs most = 0;
  bool known = true;
  for (const RecordingCost& span : cost.spans) {
    if (cost.silent > 0 && span.records == 0) continue;
    cost.perSpan.recorded += span.recorded;
    cost.perSpan.records += span.records;
    cost.perSpan.stackFrames += span.stackFrames;
    most += span.atMost.value_or(0);
    known = known && span.atMost;
  }
  cost.perSpan.recorded /= n;
  cost.perSpan.records /= static_cast<std::uint64_t>(n);
  cost.perSpan.stackFrames /= static_cast<std::uint64_t>(n);
  if (known) cost.perSpan.atMost = most / n;
}

void addFirstStep(const Steps& steps, ProfilerCost& cost) {
  const StepStatistics statistics = statisticsOf(steps);
  if (steps.extent == StepExtent::trace || statistics.n < 2 || statistics.median <= 0) return;
  cost.firstStep = steps.steps.front().name;
  cost.firstStepRatio = static_cast<double>(steps.steps.front().window.length()) /
                        static_cast<double>(statistics.median);
}

void addSentence(const Workload& w, ProfilerCost& cost) {
  const RecordedBy program = recordedBy(*w.trace);
  const bool steps =
      w.steps.extent != StepExtent::trace && (cost.spans.size() > 1 || !cost.window.steps.empty());
  const std::string each = steps ? "a step" : "in this window";
  const TimeNs length =
      cost.spans.empty() ? 0 : cost.window.length() / static_cast<TimeNs>(cost.spans.size());
  const RecordingCost& c = cost.perSpan;
  if (c.atMost) {
    cost.sentence = (c.recorded > 0 ? "Recording took the host at least " +
                                          durationText(c.recorded) + " (its own events) and about "
                                    : std::string("Recording took the host about ")) +
                    durationText(*c.atMost) + " (estimated: " + counted(c.records, "record") +
                    " at " + durationText(*cost.perRecord) +
                    ", as long as the shortest events take) " + each + ", " +
                    shareText(*c.atMost, length) + " of it.";
    if (c.stackFrames * 3 > c.records)
      cost.sentence +=
          " " + shareText(static_cast<TimeNs>(c.stackFrames), static_cast<TimeNs>(c.records)) +
          " of these are Python frames: " +
          (program == RecordedBy::pytorch
               ? "with_stack=False saves them."
               : "to save them, " + howToRecord(program, Lacking::lowerCost) + ".");
  } else {
    cost.sentence =
        "The profiler reports " +
        (c.recorded > 0 ? durationText(c.recorded) + " of its own work "
                        : std::string("no work of its own ")) +
        each + "; what the records themselves cost is unknown: " +
        (c.records == 0 ? "no host events are recorded " +
                              std::string(steps ? "within these steps." : "in this window.")
                        : std::string("too few host events, or times too coarse."));
  }
  if (cost.silent > 0)
    cost.sentence += " That is the mean of " + std::to_string(cost.spans.size() - cost.silent) +
                     " of " + counted(cost.spans.size(), "step") +
                     ": no host events are recorded within the others.";
  TimeNs own = 0;
  for (const OverheadKind& kind : cost.kinds) own += kind.total;
  if (c.recorded == 0 && own > 0)
    cost.sentence += " Its own work took " + durationText(own) + " in all, none of it " +
                     (steps ? "within these steps." : "within this window.");
  if (cost.flushes > 0)
    cost.sentence += " Writing out its buffers took " + durationText(cost.flushes) +
                     (w.steps.extent == StepExtent::trace ? std::string(".")
                      : cost.flushesInSteps == 0
                          ? std::string(", none of it within steps.")
                          : ", of which " + durationText(cost.flushesInSteps) + " within steps.");
  if (cost.firstStepRatio && *cost.firstStepRatio > 1.1) {
    std::array<char, 32> ratio{};
    std::snprintf(ratio.data(), ratio.size(), "%.2f", *cost.firstStepRatio);
    cost.sentence += " The first recorded step, " + cost.firstStep + ", takes " + ratio.data() +
                     " times the median: warm-up, or the profiler starting.";
  }
}

}  // namespace

ProfilerCost profilerCost(const Workload& w, const AnalysisWindow& window) {
  ProfilerCost cost;
  cost.window = window;
  cost.spans.resize(window.spans.size());
  for (std::size_t k = 0; k < window.spans.size(); ++k)
    cost.spanNames.push_back(nameOfSpan(w, window, k));
  const std::vector<TimeSpan> host = hostSpans(w, window);
  addOverhead(w, host, cost);
  addPerRecord(*w.trace, cost);
  addRecords(*w.trace, host, cost);
  addMean(cost);
  addFirstStep(w.steps, cost);
  addSentence(w, cost);
  return cost;
}

}  // namespace ridgeline
