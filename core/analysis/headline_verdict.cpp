#include "core/analysis/headline_verdict.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/duration_text.h"

namespace ridgeline {

namespace {

enum class Loss : std::uint8_t {
  input,
  hostSync,
  dispatch,
  allocation,
  compileLoad,
  otherRank,
  communication,
  copies,
  profiler,
  unexplained
};

struct Candidate {
  Loss loss = Loss::unexplained;
  TimeNs perStep = 0;
};

/// "59.1 ms of each 177 ms step (33 %)", "59.1 ms of the 177 ms (33 %)".
std::string ofEach(const StepFigures& f, TimeNs part, TimeNs whole) {
  return durationText(part) +
         (f.steps ? " of each " + durationText(whole) + " step"
                  : " of the " + durationText(whole)) +
         " (" + shareText(part, whole) + ")";
}

/// Of the mean step.
std::string ofEachStep(const StepFigures& f, TimeNs part) {
  return ofEach(f, part, f.mean);
}

/// Of a step that the recording covers: for idle time.
std::string ofTypicalStep(const StepFigures& f, TimeNs part) {
  return ofEach(f, part, f.typicalLength());
}

std::string atMost(const StepFigures& f, TimeNs loss) {
  const TimeNs claim = f.claim(loss);
  if (claim <= 0) return "";
  return " At most " + durationText(claim) + " of " + durationText(f.typicalLength()) +
         " can be won" +
         (claim == loss                              ? "."
          : f.bounds->floorName() == "communication" ? ", unless less is sent or waited for."
                                                     : ", because of the floor.");
}

std::string quoted(const Trace& trace, SliceId slice) {
  if (!slice.valid()) return "";
  std::string name(trace.name(slice).substr(0, 80));
  return name;
}

/// The host slice that most of the gaps of these causes name as evidence, by time.
SliceId usualHostEvent(const StepFigures& f, std::initializer_list<GapCause> causes) {
  std::unordered_map<std::uint32_t, std::pair<TimeNs, SliceId>> byName;
  for (const IdleGap& gap : f.gaps->gaps) {
    if (gap.device != f.device->device || !gap.hostEvent.valid()) continue;
    if (std::find(causes.begin(), causes.end(), gap.cause) == causes.end()) continue;
    auto& entry = byName[f.w->trace->slices().name[gap.hostEvent.index()].value];
    entry.first += gap.span.length();
    entry.second = gap.hostEvent;
  }
  std::pair<TimeNs, SliceId> best{0, SliceId()};
  for (const auto& [name, entry] : byName)
    if (entry.first > best.first ||
        (entry.first == best.first && best.second.valid() && entry.second < best.second))
      best = entry;
  return best.second;
}

constexpr std::initializer_list<GapCause> kDispatch = {GapCause::launch, GapCause::python,
                                                       GapCause::hostIdle, GapCause::launchLatency};
constexpr std::initializer_list<GapCause> kUnexplained = {
    GapCause::otherStream, GapCause::deviceWait, GapCause::unknown, GapCause::outsideCapture};
constexpr std::initializer_list<GapCause> kWithinRecording = {
    GapCause::otherStream, GapCause::deviceWait, GapCause::unknown};

std::vector<Candidate> candidates(const StepFigures& f) {
  std::vector<Candidate> all = {
      {Loss::input, f.typicalIdleFrom({GapCause::input})},
      {Loss::hostSync, f.typicalIdleFrom({GapCause::hostSync})},
      {Loss::dispatch, f.typicalIdleFrom(kDispatch)},
      {Loss::allocation, f.typicalIdleFrom({GapCause::allocation})},
      {Loss::compileLoad, f.typicalIdleFrom({GapCause::compileLoad})},
      {Loss::otherRank, f.typicalIdleFrom({GapCause::otherRank})},
      {Loss::communication, f.exposedCommunication + f.typicalIdleFrom({GapCause::collective})},
      {Loss::copies, f.exposedMemory},
      {Loss::profiler, f.typicalIdleFrom({GapCause::profiler})},
      {Loss::unexplained, f.typicalIdleFrom(kWithinRecording)}};
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.perStep > b.perStep; });
  return all;
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
  h.verdict = "Input-bound: " + f.deviceName() + " stands still for " + ofTypicalStep(f, loss) +
              " while the next batch is loaded" + (name.empty() ? "." : " in " + name + ".");
  const bool single = name.find("SingleProcess") != std::string::npos;
  h.action =
      (single ? std::string("Load data in worker processes (DataLoader num_workers > 0; here "
                            "the training process loads it itself)")
              : std::string("Give the loader more workers or less work per sample")) +
      ", prefetch, and copy from pinned memory." + atMost(f, loss);
  setGapEvidence(f, {GapCause::input}, h);
}

void sayDispatch(const StepFigures& f, TimeNs loss, Headline& h) {
  const TimeNs python = f.typicalIdleFrom({GapCause::python});
  const TimeNs silent = f.typicalIdleFrom({GapCause::hostIdle});
  const TimeNs host =
      f.pathFrom({PathCause::hostOp, PathCause::launch, PathCause::python, PathCause::hostGap});
  const std::string count = std::to_string(f.pieces / static_cast<std::size_t>(f.spans));
  h.verdict = "Launch-bound: " + f.deviceName() + " stands still for " + ofTypicalStep(f, loss) +
              " because the host hands over work too slowly (" + count + " pieces of device work" +
              (f.steps ? " a step" : "") + ", median " + durationText(f.medianPiece) +
              "; the host is " + shareText(host, f.mean) + " of the critical path).";
  std::string action =
      "Hand over fewer, longer pieces: torch.compile or CUDA graphs, fused or foreach optimizers, "
      "a larger batch.";
  if (python * 2 > loss)
    action =
        "Python itself is most of it: move work out of the step or capture the step in a "
        "graph (torch.compile, CUDA graphs).";
  else if (silent * 2 > loss)
    action =
        "Nothing is recorded on the launching thread for most of it: record with "
        "with_stack=True to see what it does.";
  h.action = action +
             " Part of it may be the profiler's own cost: compare with the step time "
             "without profiling." +
             atMost(f, loss);
  setGapEvidence(f, kDispatch, h);
}

void sayCommunication(const StepFigures& f, TimeNs loss, Headline& h) {
  const std::string kind = f.collectiveKind.empty() ? "collectives" : f.collectiveKind;
  h.verdict = "Communication-bound: " + f.deviceName() + " does nothing but " + kind + " for " +
              ofEachStep(f, loss) + "; " + shareText(f.exposedCommunication, f.communication) +
              " of the " + durationText(f.communication) + " of communication is exposed.";
  if (f.medianLead * 5 > f.mean)
    h.action = "The host is " + durationText(f.medianLead) +
               " ahead, so launches are not the "
               "reason. ";
  h.action += f.communication > f.compute
                  ? "The collectives take longer than all compute (" + durationText(f.compute) +
                        "), so overlap alone cannot hide them: send less often or less (gradient "
                        "accumulation, larger batch, lower precision) and check the link. "
                  : "Start the collectives during compute: smaller first and last buckets, a "
                    "stream of their own, prefetch. ";
  h.action +=
      "Load the other ranks to see whether this one waits for a late rank." + atMost(f, loss);
  setSliceEvidence(f, f.longestCollective, "device_time", h);
}

void sayHostSync(const StepFigures& f, TimeNs loss, Headline& h) {
  const std::string name = quoted(*f.w->trace, usualHostEvent(f, {GapCause::hostSync}));
  h.verdict = "Held up by host syncs: " + f.deviceName() + " stands still for " +
              ofTypicalStep(f, loss) + " because the host had waited for it" +
              (name.empty() ? "" : " in " + name) + " and had nothing queued behind.";
  h.action =
      "Read results back later or less often (.item(), printing, .cpu(), synchronize), and "
      "copy without blocking." +
      atMost(f, loss);
  setGapEvidence(f, {GapCause::hostSync}, h);
}

void sayOther(const StepFigures& f, const Candidate& c, Headline& h) {
  const std::string still = f.deviceName() + " stands still for " + ofTypicalStep(f, c.perStep);
  switch (c.loss) {
    case Loss::allocation:
      h.verdict = "Held up by allocation: " + still + " while memory is allocated or freed.";
      h.action =
          "Steady steps should not call cudaMalloc or cudaFree: fewer shapes (pad or "
          "bucket), no empty_cache, expandable_segments, a lower peak." +
          atMost(f, c.perStep);
      setGapEvidence(f, {GapCause::allocation}, h);
      break;
    case Loss::compileLoad:
      h.verdict = "Held up by compilation: " + still + " while code is compiled, tuned or loaded.";
      h.action =
          "Leave warm-up steps out; if it happens in every step, find what compiles again "
          "(changing shapes, guards)." +
          atMost(f, c.perStep);
      setGapEvidence(f, {GapCause::compileLoad}, h);
      break;
    case Loss::otherRank:
      h.verdict = "Waiting for other processes: " + still + " while the host waits for them.";
      h.action = "Load the other ranks and see which one is late." + atMost(f, c.perStep);
      setGapEvidence(f, {GapCause::otherRank}, h);
      break;
    case Loss::copies:
      h.verdict = "Held up by copies: " + f.deviceName() + " does nothing but copy for " +
                  ofEachStep(f, c.perStep) + ".";
      h.action =
          "Copy from pinned memory on a stream of its own, earlier, or keep the data on the "
          "device." +
          atMost(f, c.perStep);
      setSliceEvidence(f, f.longestCopy, "device_time", h);
      break;
    case Loss::profiler:
      h.verdict = "Held up by the profiler: " + still + " while the profiler itself works.";
      h.action = "Record a shorter time, or without stacks and shapes.";
      setGapEvidence(f, {GapCause::profiler}, h);
      break;
    default:
      h.verdict =
          "Unexplained idle time: " + still + ", and the recording does not say what it waits for.";
      h.action =
          "Record the whole step with launches (CPU and GPU activities) and "
          "synchronisation events, and look at the longest gap.";
      setGapEvidence(f, kUnexplained, h);
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

/// No loss is large: what the device itself works on.
void sayBusy(const StepFigures& f, Headline& h) {
  std::size_t top = 0;
  for (std::size_t i = 0; i < f.device->byClassExclusive.size(); ++i)
    if (f.device->byClassExclusive[i] > f.device->byClassExclusive[top]) top = i;
  const TimeNs most = f.perStep(f.device->byClassExclusive[top]);
  const auto kind = static_cast<KernelClass>(top);
  const std::string_view floor = f.bounds == nullptr ? "" : f.bounds->floorName();
  const std::string what = kind == KernelClass::unknown ? "kernels of no known class"
                                                        : std::string(name(kind)) + " kernels";
  h.word = deviceWord(h.shares);
  std::string word(name(h.word));
  word.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(word.front())));
  h.verdict = word + ": " + f.deviceName() + " works for " + ofEachStep(f, f.busy) +
              ", most of it in " + what + " (" + shareText(most, f.mean) + " of the time)." +
              kernelsText(h.shares);
  setSliceEvidence(f, f.longestKernel.valid() ? f.longestKernel : f.longestCopy, "kernels", h);
  const auto bound = f.bounds == nullptr ? std::nullopt : f.bounds->floor();
  if (!bound || f.bounds->coverage < 0.5) {
    h.action =
        "Make the largest kernels faster: see them in the roofline. A floor for the step "
        "needs operator shapes and the device's peaks.";
    return;
  }
  h.action = *bound * 10 >= f.mean * 7
                 ? "This is near the floor of " + durationText(*bound) + " (" + std::string(floor) +
                       "): only less work, lower precision or a faster "
                       "device help much."
                 : "The floor is " + durationText(*bound) + " (" + std::string(floor) +
                       "): look in the roofline for the operators farthest below their roof.";
}

/// The longest segment of the critical path with a cause is the evidence.
void setPathEvidence(const StepFigures& f, std::size_t cause, Headline& h) {
  h.verdictPanel = "critical_path";
  TimeNs length = 0;
  for (const CriticalPath& path : f.paths->paths)
    for (const PathSegment& segment : path.segments)
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
  h.verdict = "No device work in this window: ";
  if (cause == PathCause::hostGap) {
    h.verdict += "the host ran no recorded operator for " + ofEachStep(f, f.pathBy[top]) + ".";
    h.action = "See what its other threads did then, or record with stacks (with_stack=True). ";
  } else {
    h.verdict += "the host's critical path is " + std::string(title(cause)) + " for " +
                 ofEachStep(f, f.pathBy[top]) + ".";
  }
  h.action += "If a device was used, record with its activities (ProfilerActivity.CUDA or XPU).";
  setPathEvidence(f, top, h);
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
  if (host * 2 < f.mean || onDevice || cause == PathCause::untraced) return false;
  h.word = cause == PathCause::input ? Verdict::inputBound : Verdict::hostBound;
  h.verdict = "Host-bound: the critical path is on the host for " + ofEachStep(f, host) +
              ", most of it " + std::string(title(cause)) + " (" +
              shareText(f.pathBy[top], f.mean) + "); " + f.deviceName() + " works for " +
              shareText(f.busy, f.mean) + ".";
  h.action =
      "Look at the longest host stretch of the path. Where the window begins before the "
      "first device work, choose steps or a narrower span for the causes of idle time." +
      atMost(f, f.idle);
  setPathEvidence(f, top, h);
  return true;
}

Verdict wordOf(Loss loss) {
  switch (loss) {
    case Loss::input:
      return Verdict::inputBound;
    case Loss::hostSync:
    case Loss::allocation:
    case Loss::compileLoad:
    case Loss::profiler:
      return Verdict::hostBound;
    case Loss::dispatch:
      return Verdict::launchBound;
    case Loss::otherRank:
    case Loss::communication:
    case Loss::copies:
      return Verdict::communicationBound;
    case Loss::unexplained:
      break;
  }
  return Verdict::unknown;
}

void say(const StepFigures& f, const Candidate& c, Headline& h) {
  h.word = wordOf(c.loss);
  switch (c.loss) {
    case Loss::input:
      return sayInput(f, c.perStep, h);
    case Loss::dispatch:
      return sayDispatch(f, c.perStep, h);
    case Loss::communication:
      return sayCommunication(f, c.perStep, h);
    case Loss::hostSync:
      return sayHostSync(f, c.perStep, h);
    default:
      return sayOther(f, c, h);
  }
}

/// A second loss of another kind that is nearly as large: then no single word holds.
void sayMixed(const StepFigures& f, const std::vector<Candidate>& losses, Headline& h) {
  for (const Candidate& second : losses) {
    if (wordOf(second.loss) == h.word || second.loss == Loss::unexplained) continue;
    if (second.perStep * 5 < losses.front().perStep * 4) return;
    h.word = Verdict::mixed;
    h.verdict += " Nearly as much makes it " + std::string(name(wordOf(second.loss))) + ": " +
                 ofTypicalStep(f, second.perStep) + ".";
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
  const std::vector<Candidate> losses = candidates(f);
  const Candidate top = losses.front();
  const bool large =
      static_cast<double>(top.perStep) >= kVerdictShare * static_cast<double>(f.typicalLength());
  if (large && top.loss != Loss::unexplained) {
    say(f, top, h);
    return sayMixed(f, losses, h);
  }
  if (f.busy * 2 >= f.mean && !large) return sayBusy(f, h);
  if (sayHostBound(f, h)) return;
  if (large) return say(f, top, h);
  const TimeNs unknown = f.idleFrom(kUnexplained);
  say(f, unknown * 2 > f.idle ? Candidate{Loss::unexplained, unknown} : top, h);
}

}  // namespace ridgeline
