#include "core/analysis/idle_gaps.h"

#include <algorithm>
#include <limits>

#include "core/analysis/gap_cause.h"
#include "core/analysis/missing_work.h"
#include "core/base/duration_text.h"

namespace ridgeline {

namespace {

struct CauseText {
  std::string_view word, title, explanation;
};

constexpr std::array<CauseText, kGapCauseCount> kTexts = {{
    {"input", "input",
     "The launching thread was loading data. More DataLoader workers, prefetching and pinned "
     "memory let the next batch wait for the device instead."},
    {"host_sync", "host sync",
     "The host was blocked until the device was done, so nothing was queued behind it. Avoid "
     ".item(), printing of tensors and synchronising calls inside the step."},
    {"allocation", "allocation",
     "The host was in calls that allocate or free memory, which also wait for the device. A warm "
     "caching allocator does not call them in steady steps."},
    {"compile_load", "compile or load",
     "Code was being compiled, tuned or loaded. It belongs to warm-up: leave such steps out, or "
     "find what compiles again."},
    {"launch", "launch bound",
     "The host was busy dispatching operators and the device had caught up. Fewer, larger kernels "
     "help: fusion, torch.compile, replayed graphs, foreach optimizers."},
    {"python", "Python",
     "Only Python frames ran on the launching thread. Move that work out of the step, or capture "
     "the step in a graph."},
    {"host_idle", "host idle",
     "Nothing was recorded on the launching thread. Stacks (PyTorch: with_stack=True) or ranges "
     "around what it does would show it."},
    {"collective", "collective",
     "The next kernel waited for a collective on another stream. Start it earlier, or give it "
     "more work to hide behind."},
    {"other_stream", "other stream", "The next kernel waited for work on another stream."},
    {"launch_latency", "launch latency",
     "The next kernel was queued in time; this is what the device needs between two kernels. "
     "Graphs and fusion shorten it."},
    {"other_rank", "other ranks", "The host waited for other processes."},
    {"profiler", "profiler",
     "The profiler's own work stopped the host. It is not there without profiling."},
    {"outside_capture", "outside the recording",
     "Before the first or after the last recorded device event: nothing is known."},
    {"device_wait", "unexplained device wait",
     "The next kernel was queued in time, yet the device waited, and nothing recorded says why "
     "(clocks, other processes, copy engines)."},
    {"unknown", "unknown producer",
     "The launch of the next kernel is not in the recording, so nobody can say what it waited "
     "for."},
}};

const CauseText& textOf(GapCause cause) {
  return kTexts[static_cast<std::size_t>(cause)];
}

/// Calls `visit(RawGap)` for each stretch in which no event of the device ran, from the begin to
/// the end of time.
template <class Visit>
void forEachRawGap(const Workload& w, const std::vector<SliceId>& events, TimeSpan all,
                   Visit&& visit) {
  const SliceTable& s = w.trace->slices();
  std::vector<SliceId> lastOf(w.trace->tracks().size());
  TimeNs busyUntil = all.begin;
  SliceId lastEnder;
  for (const SliceId id : events) {
    const std::size_t track = w.trace->trackOf(id).index();
    const TimeNs start = s.start[id.index()];
    const TimeNs end = s.end[id.index()];
    // An event without length ends no gap: the device was not busy.
    if (end > start) {
      if (start > busyUntil) visit(RawGap{{busyUntil, start}, lastEnder, id, lastOf[track]});
      if (!lastEnder.valid() || end >= s.end[lastEnder.index()]) lastEnder = id;
      busyUntil = std::max(busyUntil, end);
    }
    lastOf[track] = id;
  }
  if (busyUntil < all.end) visit(RawGap{{busyUntil, all.end}, lastEnder, {}, {}});
}

/// Spans that touch are one: a gap over the border between two steps is one gap.
std::vector<TimeSpan> joined(const std::vector<TimeSpan>& spans) {
  std::vector<TimeSpan> out;
  for (const TimeSpan& span : spans) {
    if (span.empty()) continue;
    if (!out.empty() && out.back().end == span.begin) {
      out.back().end = span.end;
    } else {
      out.push_back(span);
    }
  }
  return out;
}

void collect(const Workload& w, const GapJudge& judge, DeviceId device,
             const std::vector<TimeSpan>& spans, std::vector<IdleGap>& gaps) {
  if (spans.empty()) return;
  const SliceTable& s = w.trace->slices();
  const std::vector<SliceId>& events = w.deviceWorkOf[device.index()];
  TimeSpan all{spans.front().begin, spans.back().end};
  if (!events.empty()) all.begin = std::min(all.begin, s.start[events.front().index()]);
  for (const SliceId id : events) all.end = std::max(all.end, s.end[id.index()]);
  std::size_t first = 0;  // spans before it end before the gap begins
  forEachRawGap(w, events, all, [&](const RawGap& raw) {
    while (first < spans.size() && spans[first].end <= raw.span.begin) ++first;
    IdleGap gap;
    bool judged = false;
    for (std::size_t k = first; k < spans.size() && spans[k].begin < raw.span.end; ++k) {
      if (!judged) judge.judge(raw, gap);
      judged = true;
      gap.device = device;
      gap.span = raw.span.clippedTo(spans[k]);
      gaps.push_back(gap);
    }
  });
}

TimeNs nearestRank(std::vector<TimeNs>& sorted, double share) {
  const auto n = static_cast<double>(sorted.size());
  const auto rank = static_cast<std::size_t>(share * n + 0.999999);
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

void summarise(IdleGaps& result) {
  std::vector<TimeNs> lengths;
  for (const IdleGap& gap : result.gaps) {
    result.byCause[static_cast<std::size_t>(gap.cause)] += gap.span.length();
    result.total += gap.span.length();
    lengths.push_back(gap.span.length());
  }
  if (lengths.empty()) return;
  std::sort(lengths.begin(), lengths.end());
  result.median = nearestRank(lengths, 0.5);
  result.p90 = nearestRank(lengths, 0.9);
}

/// Whether the causes can be believed (ANALYSIS 5.1 rule 5).
void assess(const Workload& w, IdleGaps& result) {
  std::size_t counted = 0;
  std::size_t unknown = 0;
  for (const IdleGap& gap : result.gaps) {
    if (gap.span.length() < 1'000 || gap.cause == GapCause::outsideCapture) continue;
    ++counted;
    if (gap.cause == GapCause::unknown) ++unknown;
  }
  if (unknown * 5 > counted) {
    result.reliable = false;
    result.unreliable =
        (counted == 1         ? std::string("The only gap is")
         : unknown == counted ? "All " + std::to_string(counted) + " gaps are"
                              : std::to_string(unknown) + " of " + std::to_string(counted) +
                                    (unknown == 1 ? " gaps is" : " gaps are")) +
        " followed by work whose launch is not in the recording.";
    return;
  }
  const GraphReplay graphs = graphReplay(w);
  if (!graphs.matters()) return;
  result.reliable = false;
  result.unreliable = "Of the device time, " + shareText(graphs.replayed, graphs.all) +
                      " is replayed from graphs: one launch for many kernels, so "
                      "causes inside a graph cannot be told.";
}

}  // namespace

std::string_view word(GapCause cause) {
  return textOf(cause).word;
}
std::string_view title(GapCause cause) {
  return textOf(cause).title;
}
std::string_view explanation(GapCause cause) {
  return textOf(cause).explanation;
}

IdleGaps idleGaps(const Workload& w, const AnalysisWindow& window) {
  IdleGaps result;
  result.window = window;
  const GapJudge judge(w);
  const std::vector<TimeSpan> spans = joined(window.spans);
  for (std::size_t d = 0; d < w.deviceWorkOf.size(); ++d)
    collect(w, judge, DeviceId(d), spans, result.gaps);
  summarise(result);
  assess(w, result);
  return result;
}

}  // namespace ridgeline
