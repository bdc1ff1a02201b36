#include "core/analysis/headline_verdict.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analysis/recorded_time.h"
#include "core/analysis/step_losses.h"
#include "core/base/capital.h"
#include "core/base/duration_text.h"
#include "core/base/share_text.h"
#include "core/trace/recording_advice.h"

namespace ridgeline {

namespace {

/// Of the step whose critical path is looked at: "2.28 ms of step #8's 3.15 ms (72 %)".
std::string ofPath(const StepFigures& f, TimeNs part) {
  if (f.pathStep().empty()) return ofEach(f, part);
  return durationText(part) + " of " + f.pathStep() + "'s " + durationText(f.pathLength) + " (" +
         shareText(part, f.pathLength) + ")";
}

std::string quoted(const Trace& trace, SliceId slice) {
  if (!slice.valid()) return "";
  std::string name(trace.name(slice).substr(0, 80));
  return name;
}

void setGapEvidence(const StepFigures& f, std::initializer_list<GapCause> causes, Headline& h) {
  h.verdictPanel = "idle_gaps";
  const IdleGap* gap = f.longestGap(causes);
  if (gap == nullptr) return;
  h.verdictEvidence = gap->span;
  h.verdictSlice = gap->hostEvent.valid() ? gap->hostEvent : gap->after;
}

void setSliceEvidence(const StepFigures& f, SliceId slice, std::string panel, Headline& h) {
  h.verdictPanel = std::move(panel);
  h.verdictSlice = slice;
  if (slice.valid()) h.verdictEvidence = f.w->trace->slices().span(slice);
}

void sayInput(const StepFigures& f, TimeNs loss, Headline& h) {
  const Trace& trace = *f.w->trace;
  const SliceId loader = usualHostEvent(f, {GapCause::input});
  const std::string name = quoted(trace, loader);
  h.verdict = "Input-bound: " + f.deviceName() + " stands still for " + ofEach(f, loss);
  if (loader.valid() && trace.slices().category[loader.index()] == Category::runtime)
    h.verdict += " before data are copied to it (" + name +
                 "), presumably while they are prepared: the host records nothing else.";
  else
    h.verdict += " while the next batch is loaded" + (name.empty() ? "." : " in " + name + ".");
  setGapEvidence(f, {GapCause::input}, h);
}

/// Long silences of the launching thread are no slow launching; short ones may be Python that was
/// not recorded.
bool hostIsSilent(const StepFigures& f) {
  constexpr TimeNs kLong = 1'000'000;
  TimeNs silent = 0, all = 0;
  for (const IdleGap& gap : f.gaps->gaps) {
    if (gap.device != f.device->device ||
        std::find(kDispatch.begin(), kDispatch.end(), gap.cause) == kDispatch.end())
      continue;
    all += gap.span.length();
    if (gap.cause == GapCause::hostIdle && gap.span.length() >= kLong) silent += gap.span.length();
  }
  return silent * 2 > all;
}

void sayDispatch(const StepFigures& f, TimeNs loss, Headline& h) {
  const TimeNs host =
      f.pathFrom({PathCause::hostOp, PathCause::launch, PathCause::python, PathCause::hostGap});
  const auto spans = static_cast<std::uint64_t>(f.spans);
  const bool silent = hostIsSilent(f);
  h.verdict = (silent ? "Host-bound: " : "Launch-bound: ") + f.deviceName() + " stands still for " +
              ofEach(f, loss) +
              (f.idleFrom({GapCause::launchLatency}) * 2 > loss
                   ? " between kernels that are queued in time ("
               : silent ? ", for most of it while nothing is recorded on the thread that launches ("
                        : " because the host hands over work too slowly (") +
              counted(f.pieces / spans, "piece") + " of device work" + (f.steps ? " a step" : "") +
              ", median " + durationText(f.medianPiece) + "; the host is " +
              shareText(host, f.pathLength) + " of the critical path" +
              (f.pathStep().empty() ? "" : " of " + f.pathStep()) + ").";
  setGapEvidence(f, kDispatch, h);
}

void sayCommunication(const StepFigures& f, Headline& h) {
  const std::string kind = f.collectiveKind.empty() ? "collectives" : f.collectiveKind;
  h.of = "collectives";
  h.verdict = "Communication-bound: " + f.deviceName() + " does nothing but " + kind + " for " +
              ofEach(f, f.exposedCommunication);
  if (waitsForCollectives(f))
    h.verdict +=
        ", and stands still for " + aStep(f, f.idleFrom({GapCause::collective})) + " for them";
  h.verdict += "; " + shareText(f.exposedCommunication, f.communication) + " of the " +
               durationText(f.communication) + " of communication is exposed.";
  if (f.medianLead * 5 > f.mean)
    h.action =
        "The host is " + durationText(f.medianLead) + " ahead, so launches are not the reason. ";
  setSliceEvidence(f, f.longestCollective, "device_time", h);
}

void sayCopies(const StepFigures& f, TimeNs loss, Headline& h) {
  h.verdict = "Held up by ";
  if (copiesCrossHost(h.shares)) {
    h.of = "copies between host and device, not collectives";
    h.verdict += "copies between host and device";
  } else {
    h.of = "copies and sets on the device, not collectives";
    h.verdict += "copies and sets on the device";
  }
  h.verdict +=
      ", not by collectives: " + f.deviceName() + " does nothing but copy for " + ofEach(f, loss);
  if (copiesCrossHost(h.shares) && f.pageableCopies > 0)
    h.verdict += "; " + shareText(f.pageableCopies, f.hostCopies) +
                 " of the copying is from or to pageable memory of the host";
  h.verdict += ".";
  setSliceEvidence(f, f.longestCopy, "device_time", h);
}

void sayHostSync(const StepFigures& f, TimeNs loss, Headline& h) {
  const std::string name = quoted(*f.w->trace, usualHostEvent(f, {GapCause::hostSync}));
  h.verdict = "Held up by host syncs: " + f.deviceName() + " stands still for " + ofEach(f, loss) +
              " because the host had waited for it" + (name.empty() ? "" : " in " + name) +
              " and had nothing queued behind.";
  setGapEvidence(f, {GapCause::hostSync}, h);
}

void sayOther(const StepFigures& f, const StepLoss& c, Headline& h) {
  const std::string still = f.deviceName() + " stands still for " + ofEach(f, c.perStep);
  switch (c.loss) {
    case Loss::allocation:
      h.verdict = "Held up by allocation: " + still + " while memory is allocated or freed.";
      return setGapEvidence(f, {GapCause::allocation}, h);
    case Loss::compileLoad:
      h.verdict = "Held up by compilation: " + still + " while code is compiled, tuned or loaded.";
      return setGapEvidence(f, {GapCause::compileLoad}, h);
    case Loss::otherRank:
      h.of = "waiting for other processes";
      h.verdict = "Waiting for other processes: " + still + " while the host waits for them.";
      return setGapEvidence(f, {GapCause::otherRank}, h);
    case Loss::profiler:
      h.verdict = "Held up by the profiler: " + still + " while the profiler itself works.";
      return setGapEvidence(f, {GapCause::profiler}, h);
    default:
      h.verdict = "Unexplained idle time: " + still;
      if (const TimeNs outside = f.idleFrom({GapCause::outsideCapture}); outside > 0)
        h.verdict += ", of it " + durationText(outside) +
                     " before the first or after the last recorded work of the device";
      h.verdict += ". The recording does not say what it waits for.";
      setGapEvidence(f, kUnexplained, h);
  }
}

/// What to do about the loss that makes the verdict.
void advise(const StepFigures& f, const StepLoss& c, Headline& h) {
  h.action += lossAdvice(f, h.shares, c.loss);
  if (c.loss == Loss::dispatch)
    h.action +=
        " Part of it may be the profiler's own cost: compare with the step time without profiling.";
  if (c.loss != Loss::profiler && c.loss != Loss::unexplained) h.action += atMost(f, c.perStep);
}

/// What else can be had back, largest first, at most three; `first` begins the first sentence.
void adviseOn(const StepFigures& f, std::string first, std::optional<Loss> told, Headline& h) {
  int left = 3;
  for (const Recoverable& one : h.recoverable) {
    if (one.loss == told) continue;
    if (left-- == 0) return;
    h.action += (h.action.empty() ? "" : " ") + first + one.title + ": " + aStep(f, one.time) +
                ". " + one.advice;
    first = "Then ";
  }
}

/// What limits the kernels: what at least half of their time is bound by.
Verdict deviceWord(const StepShares& shares) {
  const TimeNs compute = shares.of(StepPart::compute), memory = shares.of(StepPart::memory);
  const TimeNs unknown = shares.of(StepPart::kernels);
  const TimeNs all = compute + memory + unknown + shares.of(StepPart::latency);
  if (compute * 2 >= all && all > 0) return Verdict::computeBound;
  if (memory * 2 >= all && all > 0) return Verdict::memoryBound;
  return unknown * 2 >= all ? Verdict::deviceBound : Verdict::mixed;
}

/// Why that word, from the same shares.
std::string kernelsText(const StepShares& shares) {
  std::string text;
  for (const StepShares::Share& one : shares.shares)
    if (one.part <= StepPart::kernels)
      text += (text.empty() ? " Of the time " : ", ") + shareText(one.time, shares.window) +
              " is in " + std::string(title(one.part));
  return text.empty() ? text : text + ".";
}

std::string kernelsAdvice(const StepFigures& f) {
  const auto bound = f.bounds == nullptr ? std::nullopt : f.bounds->floor();
  if (!bound || f.bounds->coverage < 0.5)
    return "Make the largest kernels faster: see them in the roofline. A floor for the step is "
           "unknown. Missing: " +
           (f.bounds == nullptr || f.bounds->missing.empty()
                ? std::string("operator shapes and the device's peaks")
                : f.bounds->missing.front()) +
           ".";
  const std::string floor = durationText(*bound) + " (" + std::string(f.bounds->floorName()) + ")";
  return *bound * 10 >= f.mean * 7
             ? "This is near the floor of " + floor +
                   ": only less work, lower precision or a faster device help much."
             : "The floor is " + floor +
                   ": look in the roofline for the operators farthest below their roof.";
}

/// Whether the profiler's estimates of nearly all kernels say that they leave more than half of the
/// multiprocessors without a block while they run; then the share of those that have one.
std::optional<std::string> smallLaunches(const StepFigures& f) {
  const DeviceFill& fill = f.device->fill;
  const TimeNs kernels = f.device->busy - f.device->exposedMemory;
  if (fill.known == 0 || fill.known * 10 < fill.kernelTime * 9 || fill.filled * 2 >= kernels)
    return std::nullopt;
  return shareText(fill.filled, kernels);
}

/// No loss is large: what the device itself works on.
void sayBusy(const StepFigures& f, Headline& h) {
  std::size_t top = 0;
  for (std::size_t i = 0; i < f.device->byClassExclusive.size(); ++i)
    if (f.device->byClassExclusive[i] > f.device->byClassExclusive[top]) top = i;
  const TimeNs most = f.perStep(f.device->byClassExclusive[top]);
  const auto kind = static_cast<KernelClass>(top);
  const std::string what = kind == KernelClass::unknown ? "kernels of no known class"
                                                        : std::string(name(kind)) + " kernels";
  h.word = deviceWord(h.shares);
  h.verdict = capital(name(h.word)) + ": " + f.deviceName() + " works for " + ofEach(f, f.busy) +
              ", most of it in " + what + " (" + shareText(most, f.mean) + " of the time)." +
              kernelsText(h.shares);
  const auto small = smallLaunches(f);
  if (small)
    h.verdict += " While kernels run, only " + *small +
                 " of the multiprocessors have a block: the launches are too small to fill them.";
  setSliceEvidence(f, f.longestKernel.valid() ? f.longestKernel : f.longestCopy, "kernels", h);
  adviseOn(f, "Outside the kernels, most is lost to ", std::nullopt, h);
  if (!h.recoverable.empty()) {
    TimeNs sum = 0;
    for (const Recoverable& one : h.recoverable) sum += one.time;
    h.action += atMost(f, sum) + " ";
  }
  h.action += kernelsAdvice(f);
  if (small)
    h.action +=
        " Larger batches, kernels for small sizes (split-K) or work on several streams fill "
        "the device.";
}

/// The longest segment of the critical path with a cause is the evidence.
void setPathEvidence(const StepFigures& f, std::size_t cause, Headline& h) {
  h.verdictPanel = "critical_path";
  if (f.path == nullptr) return;
  TimeNs length = 0;
  for (const PathSegment& segment : f.path->segments)
    if (static_cast<std::size_t>(segment.cause) == cause && segment.span.length() > length) {
      length = segment.span.length();
      h.verdictSlice = segment.event;
      h.verdictEvidence = segment.span;
    }
}

std::size_t topOfPath(const StepFigures& f) {
  return static_cast<std::size_t>(std::max_element(f.pathBy.begin(), f.pathBy.end()) -
                                  f.pathBy.begin());
}

void sayHostOnly(const StepFigures& f, Headline& h) {
  h.word = Verdict::hostBound;
  const std::size_t top = topOfPath(f);
  const auto cause = static_cast<PathCause>(top);
  const Trace& trace = *f.w->trace;
  h.verdict = "No device work in this window: ";
  if (cause == PathCause::untraced) {
    h.word = Verdict::unknown;
    h.verdict =
        "No device work in this window, and nothing of the host that is known as an operator, a "
        "runtime call or a Python frame: the events are shown, but what they wait for is unknown.";
    if (const std::string most = mostRecordedTime(trace); !most.empty()) h.verdict += ' ' + most;
    h.action =
        "Recordings of PyTorch, JAX, TensorFlow, Nsight Systems, rocprof, rocmProfileData, "
        "unitrace, msprof and ONNX Runtime are known. ";
  } else if (cause == PathCause::hostGap) {
    h.verdict += "the host ran no recorded operator for " + ofPath(f, f.pathBy[top]) + ".";
    h.action = "See what its other threads did then, or " +
               howToRecord(recordedBy(trace), Lacking::hostDetail) + ". ";
  } else {
    h.verdict += "the host's critical path is " + std::string(title(cause)) + " for " +
                 ofPath(f, f.pathBy[top]) + ".";
  }
  const bool used = std::any_of(trace.memory().begin(), trace.memory().end(),
                                [](const MemoryEvent& e) { return e.deviceType > 0; });
  h.action += (used ? "A device was used, for its memory is recorded, but not what it did: "
                    : "If a device was used: ") +
              howToRecord(recordedBy(trace), Lacking::deviceWork) + ".";
  setPathEvidence(f, top, h);
}

/// Idle time with a cause that somebody can do something about.
TimeNs explainedIdle(const StepFigures& f) {
  TimeNs sum = 0;
  for (std::size_t i = 0; i < f.idleBy.size(); ++i) {
    const auto cause = static_cast<GapCause>(i);
    const bool nobodys =
        std::find(kUnexplained.begin(), kUnexplained.end(), cause) != kUnexplained.end();
    if (!nobodys && cause != GapCause::profiler) sum += f.idleBy[i];
  }
  return sum;
}

/// The gaps say nothing (most of the window lies before the first or after the last device event),
/// but the path does: it is on the host. False if it does not either.
bool sayHostBound(const StepFigures& f, Headline& h) {
  const std::size_t top = topOfPath(f);
  const auto cause = static_cast<PathCause>(top);
  const TimeNs host = f.pathFrom({PathCause::hostOp, PathCause::launch, PathCause::input,
                                  PathCause::hostSync, PathCause::allocation,
                                  PathCause::compileLoad, PathCause::python, PathCause::hostGap});
  const bool onDevice = cause == PathCause::compute || cause == PathCause::communication ||
                        cause == PathCause::memory;
  if (host * 2 < f.pathLength || f.pathLength == 0 || onDevice || cause == PathCause::untraced)
    return false;
  h.word = cause == PathCause::input ? Verdict::inputBound : Verdict::hostBound;
  h.verdict = std::string(cause == PathCause::input ? "Input-bound" : "Host-bound") +
              ": the critical path is on the host for " + ofPath(f, host) + ", most of it " +
              std::string(title(cause)) + " (" + shareText(f.pathBy[top], f.pathLength) + "); " +
              f.deviceName() + " works for " + shareText(f.busy, f.mean) +
              (f.pathStep().empty() ? " of the time." : " of the mean step.");
  h.action =
      "Look at the longest host stretch of the path. Where the window begins before the "
      "first device work, choose steps or a narrower span for the causes of idle time." +
      atMost(f, explainedIdle(f));
  setPathEvidence(f, top, h);
  return true;
}

Verdict wordOf(const StepFigures& f, Loss loss) {
  switch (loss) {
    case Loss::input:
      return Verdict::inputBound;
    case Loss::hostSync:
    case Loss::allocation:
    case Loss::compileLoad:
    case Loss::profiler:
      return Verdict::hostBound;
    case Loss::dispatch:
      return hostIsSilent(f) ? Verdict::hostBound : Verdict::launchBound;
    case Loss::otherRank:
    case Loss::communication:
    case Loss::copies:
      return Verdict::communicationBound;
    case Loss::unexplained:
      break;
  }
  return Verdict::unknown;
}

void say(const StepFigures& f, const StepLoss& c, Headline& h) {
  h.word = wordOf(f, c.loss);
  switch (c.loss) {
    case Loss::input:
      return sayInput(f, c.perStep, h);
    case Loss::dispatch:
      return sayDispatch(f, c.perStep, h);
    case Loss::communication:
      return sayCommunication(f, h);
    case Loss::hostSync:
      return sayHostSync(f, c.perStep, h);
    case Loss::copies:
      return sayCopies(f, c.perStep, h);
    default:
      return sayOther(f, c, h);
  }
}

/// A second loss of another kind that is nearly as large: then no single word holds.
void sayMixed(const StepFigures& f, const std::vector<StepLoss>& losses, Headline& h) {
  for (const StepLoss& second : losses) {
    if (wordOf(f, second.loss) == h.word || second.loss == Loss::unexplained) continue;
    if (second.perStep * 5 < losses.front().perStep * 4) return;
    h.word = Verdict::mixed;
    h.verdict += " Nearly as much makes it " + std::string(name(wordOf(f, second.loss))) + ": " +
                 aStep(f, second.perStep) + ".";
    return;
  }
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::unknown:
      return "unknown";
    case Verdict::inputBound:
      return "input-bound";
    case Verdict::hostBound:
      return "host-bound";
    case Verdict::launchBound:
      return "launch-bound";
    case Verdict::communicationBound:
      return "communication-bound";
    case Verdict::memoryBound:
      return "memory-bound";
    case Verdict::computeBound:
      return "compute-bound";
    case Verdict::deviceBound:
      return "device-bound";
    case Verdict::mixed:
      return "mixed";
  }
  return "";
}

void addVerdict(const StepFigures& f, Headline& h) {
  if (f.mean <= 0) {
    h.verdict = "There is nothing recorded in this window.";
    h.verdictPanel = "steps";
    return;
  }
  if (f.device == nullptr) return sayHostOnly(f, h);
  const std::vector<StepLoss> losses = stepLosses(f);
  for (const StepLoss& one : worthAWord(f, losses))
    h.recoverable.push_back({one.loss, lossTitle(f, h.shares, one.loss), one.perStep,
                             f.claim(one.perStep), lossAdvice(f, h.shares, one.loss)});
  const StepLoss top = losses.front();
  const bool large =
      static_cast<double>(top.perStep) >= kVerdictShare * static_cast<double>(f.mean);
  if (large && top.loss != Loss::unexplained) {
    say(f, top, h);
    advise(f, top, h);
    adviseOn(f, "Next most is lost to ", top.loss, h);
    return sayMixed(f, losses, h);
  }
  if (f.busy * 2 >= f.mean && !large) return sayBusy(f, h);
  if (sayHostBound(f, h)) return adviseOn(f, "Of the device's time, most is lost to ", {}, h);
  const TimeNs unknown = f.idleFrom(kUnexplained);
  const bool untold = top.loss == Loss::unexplained || (!large && unknown * 2 > f.idle);
  const StepLoss said = untold ? StepLoss{Loss::unexplained, unknown} : top;
  say(f, said, h);
  advise(f, said, h);
  adviseOn(f, "Of what is explained, most is lost to ", said.loss, h);
}

}  // namespace ridgeline
