#include "core/analysis/gap_cause.h"

#include <algorithm>

#include "core/analysis/device_sweep.h"
#include "core/base/duration_text.h"
#include "core/workload/code_loading.h"

namespace ridgeline {

namespace {

/// Longest wait between two queued kernels that the device's own front end explains (ANALYSIS 5.1).
constexpr TimeNs kLaunchLatency = 30'000;
/// Longest time between the end of awaited work and the start of what waited for it (HIP resolves
/// such waits on the host's interrupt path).
constexpr TimeNs kEventLatency = 100'000;
/// How many wait calls before a launch are looked at.
constexpr int kWaitReach = 64;
/// Shorter gaps do not get a sentence with figures: there may be a million of them.
constexpr TimeNs kWorthASentence = 10'000;
/// An upload after at least this long without a recorded host event is a batch being prepared.
constexpr TimeNs kUploadAfter = 100'000;
/// What Python takes between two operators at most, by the gaps between ops of eager recordings.
constexpr TimeNs kPythonBetweenOps = 50'000;

GapCause causeOf(HostActivity activity) {
  switch (activity) {
    case HostActivity::sync:
      return GapCause::hostSync;
    case HostActivity::input:
      return GapCause::input;
    case HostActivity::allocation:
      return GapCause::allocation;
    case HostActivity::compileLoad:
    case HostActivity::autotune:
      return GapCause::compileLoad;
    case HostActivity::otherRank:
      return GapCause::otherRank;
    case HostActivity::profiler:
      return GapCause::profiler;
    case HostActivity::python:
      return GapCause::python;
    case HostActivity::op:
    case HostActivity::launchCall:
    case HostActivity::otherRuntime:
      return GapCause::launch;
    case HostActivity::none:
      return GapCause::hostIdle;
  }
  return GapCause::unknown;
}

std::string_view doing(GapCause cause) {
  switch (cause) {
    case GapCause::hostSync:
      return "was blocked in a synchronising call";
    case GapCause::input:
      return "was loading data";
    case GapCause::allocation:
      return "was allocating or freeing memory";
    case GapCause::compileLoad:
      return "was compiling or loading code";
    case GapCause::otherRank:
      return "waited for other processes";
    case GapCause::profiler:
      return "did the profiler's work";
    case GapCause::python:
      return "ran Python between operators";
    case GapCause::launch:
      return "was still dispatching operators";
    default:
      return "has nothing recorded";
  }
}

/// The host's time by gap cause, and of each cause the slice that filled most of it.
struct ByCause {
  std::array<TimeNs, kGapCauseCount> time{};
  std::array<SliceId, kGapCauseCount> evidence{};

  explicit ByCause(const HostUse& use) {
    std::array<TimeNs, kGapCauseCount> most{};
    for (std::size_t a = 0; a < use.byActivity.size(); ++a) {
      const auto c = static_cast<std::size_t>(causeOf(static_cast<HostActivity>(a)));
      time[c] += use.byActivity[a];
      if (use.byActivity[a] <= most[c]) continue;
      most[c] = use.byActivity[a];
      evidence[c] = use.evidence[a];
    }
  }
  [[nodiscard]] TimeNs of(GapCause cause) const { return time[static_cast<std::size_t>(cause)]; }
  [[nodiscard]] GapCause largest() const {
    return static_cast<GapCause>(std::max_element(time.begin(), time.end()) - time.begin());
  }
};

bool startsEarlier(const SliceTable& s, SliceId a, SliceId b) {
  return s.start[a.index()] < s.start[b.index()];
}

}  // namespace

GapJudge::GapJudge(const Workload& w)
    : w_(w), host_(w), loadingLaunches_(launchesThatLoadCode(*w.trace)) {
  const SliceTable& s = w.trace->slices();
  for (std::size_t i = 0; i < s.size(); ++i) {
    const SliceId id(i);
    const Category c = s.category[i];
    if (c == Category::overhead) {
      overheads_.push_back({s.span(id), id});
      longestOverhead_ = std::max(longestOverhead_, s.duration(id));
    } else if (c == Category::runtime &&
               w.trace->name(id).find("StreamWaitEvent") != std::string_view::npos) {
      waitCalls_.push_back(id);
    } else if (c == Category::sync && w.trace->name(id) == "Stream Wait Event") {
      waitRecords_.push_back(id);
    }
  }
  const auto earlier = [&](SliceId a, SliceId b) { return startsEarlier(s, a, b); };
  std::stable_sort(waitCalls_.begin(), waitCalls_.end(), earlier);
  std::stable_sort(waitRecords_.begin(), waitRecords_.end(), earlier);
  std::stable_sort(overheads_.begin(), overheads_.end(), [](const Overhead& a, const Overhead& b) {
    return a.span.begin < b.span.begin;
  });
}

bool GapJudge::profilerAtWork(const RawGap& raw, IdleGap& gap) const {
  std::array<std::vector<TimeSpan>, 2> covered;  // the profiler's own; loading of code
  std::array<SliceId, 2> longest;
  std::array<TimeNs, 2> most{};
  auto it =
      std::lower_bound(overheads_.begin(), overheads_.end(), raw.span.begin - longestOverhead_,
                       [](const Overhead& o, TimeNs t) { return o.span.begin < t; });
  for (; it != overheads_.end() && it->span.begin < raw.span.end; ++it) {
    const TimeSpan part = it->span.clippedTo(raw.span);
    if (part.empty()) continue;
    const bool loads = host_.activities().of(it->slice) == HostActivity::compileLoad;
    covered[loads].push_back(part);
    if (part.length() <= most[loads]) continue;
    most[loads] = part.length();
    longest[loads] = it->slice;
  }
  const TimeNs own = measure(unionOf(covered[0]));
  const TimeNs loading = measure(unionOf(covered[1]));
  if ((own + loading) * 2 < raw.span.length() || own + loading == 0) return false;
  const bool loads = loading > own;
  gap.cause = loads ? GapCause::compileLoad : GapCause::profiler;
  gap.hostEvent = longest[loads];
  gap.why = std::string(w_.trace->name(gap.hostEvent)) + " took " +
            durationText(loads ? loading : own) + " of it.";
  return true;
}

SliceId GapJudge::eventWait(const RawGap& raw, SliceId launch) const {
  const SliceTable& s = w_.trace->slices();
  const Track& track = w_.trace->track(w_.trace->trackOf(raw.after));
  const TimeNs since =
      raw.streamPrevious.valid() ? s.end[raw.streamPrevious.index()] : raw.span.begin;
  const auto from = [&](const std::vector<SliceId>& slices, TimeNs t) {
    return std::lower_bound(slices.begin(), slices.end(), t,
                            [&](SliceId a, TimeNs x) { return s.start[a.index()] < x; });
  };
  // The record of the wait lies on the stream that waited.
  for (auto it = from(waitRecords_, since - kLaunchLatency); it != waitRecords_.end(); ++it) {
    if (s.start[it->index()] > raw.span.end) break;
    const Track& own = w_.trace->track(w_.trace->trackOf(*it));
    if (own.device == track.device && own.stream == track.stream) return *it;
  }
  // Without records: a wait issued after the stream's previous work and before this one; by any
  // thread, for autograd's waits for the gradients that the main thread's optimizer reads.
  const SliceId previousLaunch =
      raw.streamPrevious.valid() ? w_.trace->launchOf(raw.streamPrevious) : SliceId();
  const TimeNs after = previousLaunch.valid() ? s.end[previousLaunch.index()] : 0;
  auto it = from(waitCalls_, s.start[launch.index()]);
  for (int k = 0; k < kWaitReach && it != waitCalls_.begin(); ++k) {
    --it;
    if (s.start[it->index()] < after) break;
    const auto process = [&](SliceId a) { return w_.trace->track(w_.trace->trackOf(a)).process; };
    if (process(*it) == process(launch)) return *it;
  }
  return {};
}

void GapJudge::judgeQueued(const RawGap& raw, IdleGap& gap) const {
  const Trace& trace = *w_.trace;
  const bool otherStream = trace.trackOf(raw.before) != trace.trackOf(raw.after);
  if (otherStream && raw.span.length() <= kEventLatency && eventWait(raw, gap.launch).valid()) {
    const bool collective = workRank(w_, raw.before) == WorkRank::communication;
    gap.cause = collective ? GapCause::collective : GapCause::otherStream;
    gap.hostEvent = raw.before;
    gap.why = "The next work was queued in time and waited for ";
    gap.why += collective ? "the collective " : "work on another stream, ";
    gap.why += trace.name(raw.before).substr(0, 80);
    gap.why += '.';
    return;
  }
  gap.hostEvent = gap.launch;
  if (raw.span.length() <= kLaunchLatency) {
    gap.cause = GapCause::launchLatency;
    gap.why = "Queued in time; the device took this long to start it.";
    return;
  }
  gap.cause = GapCause::deviceWait;
  gap.why = "The next work was queued before the gap began, and nothing recorded explains " +
            durationText(raw.span.length()) + " of waiting.";
}

bool GapJudge::uploadsBatch(const RawGap& raw, TimeSpan span) const {
  const Trace& trace = *w_.trace;
  return span.length() >= kUploadAfter &&
         trace.slices().category[raw.after.index()] == Category::memcpy &&
         trace.name(raw.after).find("HtoD") != std::string_view::npos;
}

bool GapJudge::launchCallFilled(const RawGap& raw, IdleGap& gap) const {
  const SliceTable& s = w_.trace->slices();
  const TimeNs length = s.duration(gap.launch);
  const TimeNs inside = s.span(gap.launch).clippedTo(raw.span).length();
  const bool late = s.start[gap.launch.index()] > raw.span.begin;
  if (s.category[gap.launch.index()] != Category::runtime ||
      (late && inside * 2 <= raw.span.length()))
    return false;
  gap.hostEvent = gap.launch;
  gap.cause = GapCause::launch;
  if (raw.span.length() < kWorthASentence) {
    gap.why = "The launching call was still running when the device ran dry.";
    return true;
  }
  gap.why = "The launching call itself, " + std::string(w_.trace->name(gap.launch)) + ", took " +
            durationText(length);
  if (std::find(loadingLaunches_.begin(), loadingLaunches_.end(), gap.launch) !=
      loadingLaunches_.end()) {
    gap.cause = GapCause::compileLoad;
    gap.why += ": the first launch of this kernel, which loads its code";
  } else {
    const TimeSpan call = s.span(gap.launch);
    const ByCause within(host_.use(host_.threadOf(raw.after), call));
    if (within.of(GapCause::compileLoad) * 2 > call.length()) {
      gap.cause = GapCause::compileLoad;
      gap.hostEvent = within.evidence[static_cast<std::size_t>(GapCause::compileLoad)];
      gap.why += ", most of it in " + std::string(w_.trace->name(gap.hostEvent).substr(0, 80));
    }
  }
  gap.why += '.';
  return true;
}

bool GapJudge::drainedBySync(const RawGap& raw, TimeNs hostPart, IdleGap& gap) const {
  const TimeSpan look{raw.span.begin - hostPart / 2, raw.span.begin};
  if (look.empty()) return false;
  const ByCause before(host_.use(host_.threadOf(raw.after), look));
  if (before.of(GapCause::hostSync) * 10 < look.length() * 9) return false;
  gap.cause = GapCause::hostSync;
  gap.hostEvent = before.evidence[static_cast<std::size_t>(GapCause::hostSync)];
  gap.why = "The host had waited for the device and so could not launch ahead.";
  return true;
}

void GapJudge::judgeLate(const RawGap& raw, IdleGap& gap) const {
  if (launchCallFilled(raw, gap)) return;
  const SliceTable& s = w_.trace->slices();
  const TimeNs launch = std::min(s.start[gap.launch.index()], raw.span.end);
  const TimeSpan span{raw.span.begin, std::max(launch, raw.span.begin)};
  const HostUse hostUse = host_.use(host_.threadOf(raw.after), span);
  const ByCause use(hostUse);
  gap.cause = use.largest();
  // Between two ops a thread has Python to run, which most recordings do not show: where no silence
  // is longer than that, or with a fair share of dispatching, it is the dispatch that is slow.
  if (gap.cause == GapCause::hostIdle &&
      (hostUse.longestSilence <= kPythonBetweenOps ||
       use.of(GapCause::launch) * 4 >= use.of(GapCause::hostIdle))) {
    gap.cause = GapCause::launch;
    gap.why = "The host was still dispatching operators, with Python that is not recorded between.";
  }
  const SliceId evidence = use.evidence[static_cast<std::size_t>(gap.cause)];
  gap.hostEvent = evidence.valid() ? evidence : gap.launch;
  const TimeNs share = use.of(gap.cause);
  // A blocking call that drained the device: without it the host had been ahead by its length.
  const bool dispatching = gap.cause == GapCause::launch || gap.cause == GapCause::hostIdle ||
                           gap.cause == GapCause::python;
  if (dispatching && drainedBySync(raw, span.length(), gap)) return;
  if ((gap.cause == GapCause::hostIdle || gap.cause == GapCause::python) &&
      uploadsBatch(raw, span)) {
    gap.cause = GapCause::input;
    gap.hostEvent = gap.launch;
    gap.why = "A batch is copied to the device right after it, and the host shows nothing else.";
  }
  if (!gap.why.empty()) return;
  if (raw.span.length() < kWorthASentence) {
    gap.why = "The host " + std::string(doing(gap.cause)) + ".";
    return;
  }
  gap.why = "The host " + std::string(doing(gap.cause)) + " for " + durationText(share) +
            " of the " + durationText(span.length()) + " before the next launch";
  if (evidence.valid())
    gap.why += " (mostly " + std::string(w_.trace->name(evidence).substr(0, 80)) + ")";
  gap.why += '.';
}

void GapJudge::judge(const RawGap& raw, IdleGap& gap) const {
  gap.before = raw.before;
  gap.after = raw.after;
  // Damaged times do not stretch the recording.
  const auto isOfRecording = [this](SliceId work) {
    return work.valid() && !w_.trace->isStray(w_.trace->slices().span(work));
  };
  const bool before = isOfRecording(raw.before), after = isOfRecording(raw.after);
  if (!before || !after) {
    gap.cause = GapCause::outsideCapture;
    gap.why = after    ? "No device work was recorded before it."
              : before ? "No device work was recorded after it."
                       : "No work of this device was recorded.";
    return;
  }
  const SliceTable& s = w_.trace->slices();
  gap.launch = w_.trace->launchOf(raw.after);
  if (profilerAtWork(raw, gap)) return;
  if (!gap.launch.valid()) {
    gap.cause = GapCause::unknown;
    gap.why = "The launch of the next work is not in the recording.";
    return;
  }
  // Without runtime calls the op that launched stands in; it ends long after it launched.
  const bool isCall = s.category[gap.launch.index()] == Category::runtime;
  const TimeNs launched = isCall ? s.end[gap.launch.index()] : s.start[gap.launch.index()];
  const TimeNs hostPart = std::max<TimeNs>(launched - raw.span.begin, 0);
  const TimeNs devicePart = raw.span.end - std::max(launched, raw.span.begin);
  const bool queued = launched <= raw.span.begin;
  if (queued || devicePart > std::max(kLaunchLatency, hostPart)) {
    judgeQueued(raw, gap);
  } else {
    judgeLate(raw, gap);
  }
}

}  // namespace ridgeline
