#include "core/analysis/memory_use.h"

#include <algorithm>

#include "core/analysis/memory_pools.h"
#include "core/base/bytes_text.h"
#include "core/base/duration_text.h"
#include "core/trace/device_words.h"
#include "core/trace/recording_advice.h"
#include "core/workload/host_activity.h"

namespace ridgeline {

namespace {

bool has(std::string_view name, std::string_view word) {
  return name.find(word) != std::string_view::npos;
}

AllocatorCall::Kind kindOf(std::string_view name) {
  using Kind = AllocatorCall::Kind;
  if (has(name, "GetInfo") || has(name, "SetAccess") || has(name, "GetAttribute"))
    return Kind::other;
  if (has(name, "Host") || has(name, "Shared")) return Kind::hostMemory;
  if (has(name, "Free") || has(name, "Release") || has(name, "Unmap") || has(name, "Destroy"))
    return Kind::release;
  if (has(name, "Alloc") || has(name, "alloc") || has(name, "MemMap") || has(name, "MemCreate") ||
      has(name, "AddressReserve"))
    return Kind::allocate;
  return Kind::other;
}

void gatherCalls(const Trace& trace, MemoryUse& use) {
  const SliceTable& s = trace.slices();
  const HostActivities activities(trace);
  for (std::size_t i = 0; i < s.size(); ++i) {
    const SliceId id(i);
    if (s.category[i] != Category::runtime || activities.of(id) != HostActivity::allocation)
      continue;
    // The driver call inside a runtime call is the same thing once more.
    const SliceId parent = s.parent[i];
    if (parent.valid() && activities.of(parent) == HostActivity::allocation) continue;
    for (std::size_t k = 0; k < use.window.spans.size(); ++k) {
      if (!use.window.spans[k].contains(s.start[i])) continue;
      const AllocatorCall call{id, kindOf(trace.name(id))};
      use.calls.push_back(call);
      AllocatorFigures& f = use.spans[k];
      if (call.kind == AllocatorCall::Kind::allocate) ++f.allocations;
      if (call.kind == AllocatorCall::Kind::release) ++f.releases;
      if (call.kind == AllocatorCall::Kind::allocate || call.kind == AllocatorCall::Kind::release)
        f.time += s.duration(id);
      break;
    }
  }
  std::sort(use.calls.begin(), use.calls.end(),
            [&](const AllocatorCall& a, const AllocatorCall& b) {
              return std::pair(s.start[a.call.index()], a.call) <
                     std::pair(s.start[b.call.index()], b.call);
            });
}

void addIdle(const IdleGaps& gaps, MemoryUse& use) {
  for (const IdleGap& gap : gaps.gaps) {
    if (gap.cause != GapCause::allocation) continue;
    for (std::size_t k = 0; k < use.window.spans.size(); ++k)
      if (use.window.spans[k].contains(gap.span.begin)) use.spans[k].idle += gap.span.length();
  }
}

void addDrops(MemoryUse& use) {
  for (const MemoryPool& pool : use.pools) {
    if (pool.reserved.empty()) continue;
    for (std::size_t k = 0; k < use.window.spans.size(); ++k) {
      const TimeSpan span = use.window.spans[k];
      auto it = std::lower_bound(pool.time.begin(), pool.time.end(), span.begin);
      std::int64_t most = 0;
      for (; it != pool.time.end() && *it < span.end; ++it) {
        const std::int64_t now = pool.reserved[static_cast<std::size_t>(it - pool.time.begin())];
        most = std::max(most, now);
        use.spans[k].reservedDrop = std::max(use.spans[k].reservedDrop, most - now);
      }
    }
  }
}

/// ANALYSIS 5.3: calls in at least half of the steps whose time, or the idle time after them, is at
/// least 1 % of the steps; or reserved memory that falls by a tenth within a step.
void judge(const Trace& trace, MemoryUse& use) {
  if (use.window.spans.empty() || use.window.length() == 0) return;
  std::size_t touched = 0;
  AllocatorFigures sum;
  for (const AllocatorFigures& f : use.spans) {
    touched += f.allocations + f.releases > 0;
    sum.allocations += f.allocations;
    sum.releases += f.releases;
    sum.time += f.time;
    sum.idle += f.idle;
    sum.reservedDrop = std::max(sum.reservedDrop, f.reservedDrop);
  }
  std::int64_t reserved = 0;
  for (const MemoryPool& pool : use.pools)
    reserved = std::max(reserved, pool.reservedPeak.value_or(0));
  const bool calls = touched * 2 >= use.spans.size() && touched > 0 &&
                     std::max(sum.time, sum.idle) * 100 >= use.window.length();
  const bool flushes = reserved > 0 && sum.reservedDrop * 10 >= reserved;
  use.thrash = calls || flushes;
  if (!use.thrash) return;
  if (calls)
    use.thrashWhy = std::to_string(sum.allocations) + " allocating and " +
                    std::to_string(sum.releases) + " releasing calls to the driver in " +
                    std::to_string(use.spans.size()) +
                    (use.spans.size() == 1 ? " step" : " steps") + " take " +
                    durationText(sum.time) + ", and devices idle " + durationText(sum.idle) +
                    " because of them; a settled step needs none. ";
  if (flushes)
    use.thrashWhy += "Reserved memory falls by " + bytesText(sum.reservedDrop) +
                     " within a step: the cache is emptied and filled again. ";
  const auto devices = trace.devices();
  if (recordedBy(trace) != RecordedBy::pytorch)
    use.thrashWhy += "Keep buffers from step to step, or use a pool.";
  else if (std::any_of(devices.begin(), devices.end(), isCudaOrHip))
    use.thrashWhy +=
        "Remove calls of empty_cache, set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, pad "
        "batches to fewer shapes, or lower the peak.";
  else
    use.thrashWhy += "Remove calls of empty_cache, pad batches to fewer shapes, or lower the peak.";
}

std::string poolSentence(const MemoryPool& pool) {
  std::string text = pool.name + " holds at most " + bytesText(pool.peak);
  if (pool.relative) text += " more than at the start of the recording";
  if (pool.reservedPeak) text += " of " + bytesText(*pool.reservedPeak) + " reserved";
  if (pool.capacity && *pool.capacity > 0)
    text += " (" + shareText(pool.reservedPeak.value_or(pool.peak), *pool.capacity) + " of its " +
            bytesText(*pool.capacity) + ")";
  text += '.';
  if (!pool.ops.empty() && pool.ops.front().aliveBytes > 0)
    text += " Most of what was allocated while recording and alive at the peak is of " +
            (pool.ops.front().op.empty() ? "no recorded operator" : pool.ops.front().op) + ", " +
            bytesText(pool.ops.front().aliveBytes) + ".";
  if (pool.aliveBefore && *pool.aliveBefore > 0)
    text += ' ' + bytesText(*pool.aliveBefore) +
            " are older than the recording (parameters, optimizer state).";
  return text;
}

void addSentences(const Trace& trace, MemoryUse& use) {
  if (use.pools.empty()) {
    use.missing = "No memory curve: no memory is recorded. " +
                  recordingAdvice(recordedBy(trace), Lacking::memory) + ".";
    return;
  }
  for (const MemoryPool& pool : use.pools)
    if (pool.deviceType != 0 || use.pools.size() == 1)
      use.sentence += (use.sentence.empty() ? "" : " ") + poolSentence(pool);
  if (use.sentence.empty()) use.sentence = poolSentence(use.pools.front());
  if (!use.thrashWhy.empty()) use.sentence += ' ' + use.thrashWhy;
}

}  // namespace

std::string_view name(AllocatorCall::Kind kind) {
  switch (kind) {
    case AllocatorCall::Kind::allocate:
      return "allocate";
    case AllocatorCall::Kind::release:
      return "release";
    case AllocatorCall::Kind::hostMemory:
      return "host memory";
    case AllocatorCall::Kind::other:
      return "other";
  }
  return "";
}

MemoryUse memoryUse(const Workload& w, const AnalysisWindow& window, const IdleGaps& gaps) {
  MemoryUse use;
  use.window = window;
  use.spans.resize(window.spans.size());
  for (std::size_t k = 0; k < window.spans.size(); ++k)
    use.spanNames.push_back(nameOfSpan(w, window, k));
  use.pools = memoryPools(w, window);
  gatherCalls(*w.trace, use);
  addIdle(gaps, use);
  addDrops(use);
  judge(*w.trace, use);
  addSentences(*w.trace, use);
  return use;
}

}  // namespace ridgeline
