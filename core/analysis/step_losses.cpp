#include "core/analysis/step_losses.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/duration_text.h"
#include "core/trace/device_words.h"
#include "core/trace/recording_advice.h"

namespace ridgeline {

namespace {

/// Idle time that lies outside the recording is nobody's loss.
constexpr std::initializer_list<GapCause> kWithinRecording = {
    GapCause::otherStream, GapCause::deviceWait, GapCause::unknown};

bool isPyTorch(const StepFigures& f) {
  return recordedBy(*f.w->trace) == RecordedBy::pytorch;
}

/// Whether advice may speak of what only CUDA and HIP have.
bool onCudaOrHip(const StepFigures& f) {
  return f.device != nullptr && isCudaOrHip(f.w->trace->devices()[f.device->device.index()]);
}

std::string inputAdvice(const StepFigures& f) {
  const Trace& trace = *f.w->trace;
  const SliceId loader = usualHostEvent(f, {GapCause::input});
  // A batch was uploaded after a stretch in which nothing of the host is recorded.
  if (loader.valid() && trace.slices().category[loader.index()] == Category::runtime)
    return "Prepare the next data while the device works (another thread, prefetching), and copy "
           "them from pinned memory.";
  if (loader.valid() && trace.name(loader).find("SingleProcess") != std::string_view::npos)
    return "Load data in worker processes (DataLoader num_workers > 0; here the training process "
           "loads it itself), prefetch, and copy from pinned memory.";
  return "Give the loader more workers or less work per sample, prefetch, and copy from pinned "
         "memory.";
}

std::string silentHostAdvice(const Trace& trace) {
  const auto& categories = trace.slices().category;
  const bool frames =
      std::find(categories.begin(), categories.end(), Category::pythonFunction) != categories.end();
  const std::string start = "Nothing is recorded on the launching thread for most of it";
  if (frames)
    return start +
           ", though Python frames are: it ran native code, slept or waited. Look at what other "
           "threads did then, and mark that code with ranges.";
  return start + ": " + howToRecord(recordedBy(trace), Lacking::hostDetail) +
         " to see what it does.";
}

std::string dispatchAdvice(const StepFigures& f) {
  const TimeNs all = f.idleFrom(kDispatch);
  const auto most = [&](GapCause cause) { return f.idleFrom({cause}) * 2 > all; };
  if (most(GapCause::launchLatency))
    return "Fewer, longer kernels shorten them (fusion), and so do graphs.";
  if (most(GapCause::hostIdle)) return silentHostAdvice(*f.w->trace);
  if (!isPyTorch(f))
    return "Hand over fewer, longer pieces: fuse kernels, replay them as graphs, work on larger "
           "batches.";
  if (!onCudaOrHip(f))
    return most(GapCause::python)
               ? "Python itself is most of it: move work out of the step, or compile the step "
                 "(torch.compile)."
               : "Hand over fewer, longer pieces: torch.compile, fused or foreach optimizers, a "
                 "larger batch.";
  return most(GapCause::python)
             ? "Python itself is most of it: move work out of the step or capture the step in a "
               "graph (torch.compile, CUDA graphs)."
             : "Hand over fewer, longer pieces: torch.compile or CUDA graphs, fused or foreach "
               "optimizers, a larger batch.";
}

std::string communicationAdvice(const StepFigures& f) {
  const bool hidden = f.exposedCommunication < f.communication;
  std::string text =
      f.communication > f.compute
          ? "The collectives take longer than all compute (" + durationText(f.compute) +
                "), so overlap alone cannot hide them: send less often or less (gradient "
                "accumulation, larger batch, lower precision) and check the link."
      : hidden ? durationText(f.communication - f.exposedCommunication) +
                     " of communication run beside compute already; start the rest earlier: "
                     "smaller first and last buckets, a stream of their own, prefetch."
               : "Start the collectives during compute: smaller first and last buckets, a stream "
                 "of their own, prefetch.";
  if (f.w->trace->info().worldSize.value_or(2) > 1)
    text +=
        " Compare the ranks to see whether this one waits for a late one, which spends the least "
        "time in collectives.";
  return text;
}

std::string copiesAdvice(const StepFigures& f, const StepShares& shares) {
  if (!copiesCrossHost(shares))
    return "Copy and fill less on the device (views instead of clones and concatenations, fills "
           "within kernels), or on a stream of its own while kernels run.";
  const bool torch = isPyTorch(f);
  const std::string prefetch = torch ? "copy with non_blocking=True, and prefetch: on a stream of "
                                       "its own while the step before is computed"
                                     : "copy asynchronously, and prefetch: on a stream of its own "
                                       "while earlier kernels run";
  std::string text;
  if (f.pageableCopies * 2 > f.hostCopies)
    text = std::string("Put the host's side into pinned memory") +
           (torch ? " (DataLoader pin_memory=True, tensor.pin_memory())" : "") + ", " + prefetch +
           ". Copies from pageable memory are staged, and hold up the host.";
  else if (f.pinnedCopies * 2 > f.hostCopies)
    text = "The host's side is pinned already: start the copies earlier (" + prefetch + ").";
  else
    text = "Put the host's side into pinned memory, " + prefetch + ".";
  if (f.uploads * 2 < f.hostCopies)
    text += " Most of it is read back to the host: do that less often, or keep it on the device.";
  return text;
}

}  // namespace

std::string_view word(Loss loss) {
  switch (loss) {
    case Loss::input:
      return "input";
    case Loss::hostSync:
      return "host_sync";
    case Loss::dispatch:
      return "launch";
    case Loss::allocation:
      return "allocation";
    case Loss::compileLoad:
      return "compile_load";
    case Loss::otherRank:
      return "other_rank";
    case Loss::communication:
      return "communication";
    case Loss::copies:
      return "copies";
    case Loss::profiler:
      return "profiler";
    case Loss::unexplained:
      return "unexplained";
  }
  return "";
}

std::vector<StepLoss> stepLosses(const StepFigures& f) {
  std::vector<StepLoss> all = {
      {Loss::input, f.idleFrom({GapCause::input})},
      {Loss::hostSync, f.idleFrom({GapCause::hostSync})},
      {Loss::dispatch, f.idleFrom(kDispatch)},
      {Loss::allocation, f.idleFrom({GapCause::allocation})},
      {Loss::compileLoad, f.idleFrom({GapCause::compileLoad})},
      {Loss::otherRank, f.idleFrom({GapCause::otherRank})},
      {Loss::communication, f.exposedCommunication + f.idleFrom({GapCause::collective})},
      {Loss::copies, f.exposedMemory},
      {Loss::profiler, f.idleFrom({GapCause::profiler})},
      {Loss::unexplained, f.idleFrom(kWithinRecording)}};
  std::stable_sort(all.begin(), all.end(),
                   [](const StepLoss& a, const StepLoss& b) { return a.perStep > b.perStep; });
  return all;
}

std::vector<StepLoss> worthAWord(const StepFigures& f, const std::vector<StepLoss>& losses) {
  std::vector<StepLoss> worth;
  const auto least = kWorthAWord * static_cast<double>(f.mean);
  for (const StepLoss& one : losses)
    if (one.loss != Loss::profiler && one.loss != Loss::unexplained && one.perStep > 0 &&
        static_cast<double>(one.perStep) >= least && f.claim(one.perStep) > 0)
      worth.push_back(one);
  return worth;
}

bool copiesCrossHost(const StepShares& shares) {
  return shares.of(StepPart::hostCopies) >= shares.of(StepPart::otherCopies);
}

std::string lossTitle(const StepFigures& f, const StepShares& shares, Loss loss) {
  switch (loss) {
    case Loss::input:
      return "waiting for input";
    case Loss::hostSync:
      return "host syncs";
    case Loss::dispatch:
      return f.idleFrom({GapCause::launchLatency}) * 2 > f.idleFrom(kDispatch)
                 ? "gaps between kernels that are queued in time"
                 : "launches that come late";
    case Loss::allocation:
      return "allocation";
    case Loss::compileLoad:
      return "compiling and loading code";
    case Loss::otherRank:
      return "waiting for other processes";
    case Loss::communication:
      return "exposed " + (f.collectiveKind.empty() ? "collectives" : f.collectiveKind) +
             (waitsForCollectives(f) ? ", and waiting for them" : "");
    case Loss::copies:
      return copiesCrossHost(shares) ? "exposed copies between host and device"
                                     : "exposed copies and sets on the device";
    case Loss::profiler:
      return "the profiler's own work";
    case Loss::unexplained:
      return "unexplained idle time";
  }
  return "";
}

bool waitsForCollectives(const StepFigures& f) {
  return static_cast<double>(f.idleFrom({GapCause::collective})) >=
         kWorthAWord * static_cast<double>(f.mean);
}

std::string lossAdvice(const StepFigures& f, const StepShares& shares, Loss loss) {
  switch (loss) {
    case Loss::input:
      return inputAdvice(f);
    case Loss::hostSync:
      return isPyTorch(f) ? "Read results back later or less often (.item(), printing, .cpu(), "
                            "synchronize), and copy without blocking."
                          : "Read results back later or less often, synchronise less, and copy "
                            "without blocking.";
    case Loss::dispatch:
      return dispatchAdvice(f);
    case Loss::allocation:
      if (isPyTorch(f) && !onCudaOrHip(f))
        return "Steady steps should not allocate or free memory of the device: fewer shapes (pad "
               "or bucket), no empty_cache, a lower peak.";
      return isPyTorch(f) ? "Steady steps should not call cudaMalloc or cudaFree: fewer shapes "
                            "(pad or bucket), no empty_cache, expandable_segments, a lower peak."
                          : "Allocate and free outside of the step: keep buffers, or use a pool.";
    case Loss::compileLoad:
      return "Leave warm-up steps out; if it happens in every step, find what compiles again "
             "(changing shapes, guards).";
    case Loss::otherRank:
      return "Compare the ranks: the late one spends the least time in collectives.";
    case Loss::communication:
      return communicationAdvice(f);
    case Loss::copies:
      return copiesAdvice(f, shares);
    case Loss::profiler:
      return recordingAdvice(recordedBy(*f.w->trace), Lacking::lowerCost) + ".";
    case Loss::unexplained:
      return "Record the whole step with the launches and with synchronisation events where the "
             "profiler has them, and look at the longest gap.";
  }
  return "";
}

std::string ofEach(const StepFigures& f, TimeNs part) {
  return durationText(part) + " of " +
         (!f.steps       ? "the " + durationText(f.mean)
          : f.spans == 1 ? "the step's " + durationText(f.mean)
                         : "the mean step of " + durationText(f.mean)) +
         " (" + shareText(part, f.mean) + ")";
}

std::string aStep(const StepFigures& f, TimeNs part) {
  return durationText(part) + (f.steps ? " a step (" : " (") + shareText(part, f.mean) + ")";
}

std::string atMost(const StepFigures& f, TimeNs loss) {
  const TimeNs claim = f.claim(loss);
  std::string text;
  if (claim > 0) {
    text = " Of that loss at most " + durationText(claim) + " of " + durationText(f.mean) +
           " can be won" +
           (claim == loss                              ? "."
            : f.bounds->floorName() == "communication" ? ", unless less is sent or waited for."
                                                       : ", because of the floor.");
  }
  const TimeNs outside = f.idleFrom({GapCause::outsideCapture});
  const TimeNs untold = f.idleFrom(kUnexplained) - outside;
  if (static_cast<double>(outside + untold) < kWorthAWord * static_cast<double>(f.mean) ||
      (claim <= 0 && loss > 0))
    return text;
  text += (claim > 0 ? " Not counted: " : " Nothing is known that could be won. Not counted: ");
  if (outside > 0)
    text += durationText(outside) +
            " of idle time before the first or after the last recorded work of the device" +
            (untold > 0 ? ", and " : "");
  if (untold > 0) text += durationText(untold) + " of idle time without a known cause";
  return text + ".";
}

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

}  // namespace ridgeline
