#include "core/analysis/memory_pools.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ridgeline {

namespace {

constexpr std::int64_t kCpu = 0;

bool inWindow(const AnalysisWindow& window, TimeNs t) {
  const auto after = std::upper_bound(window.spans.begin(), window.spans.end(), t,
                                      [](TimeNs x, const TimeSpan& s) { return x < s.begin; });
  return after != window.spans.begin() && std::prev(after)->contains(t);
}

/// The innermost operator on a thread at a time, runtime calls and frames passed over.
SliceId opAt(const Trace& trace, TrackId track, TimeNs t) {
  if (!track.valid()) return {};
  const SliceTable& s = trace.slices();
  SliceId at = trace.innermostAt(track, t);
  while (at.valid() && s.category[at.index()] != Category::cpuOp) at = s.parent[at.index()];
  return at;
}

/// Builds one pool from its records, which come in the order of time.
class PoolBuilder {
 public:
  PoolBuilder(const Workload& w, const AnalysisWindow& window, std::vector<MemoryEvent> events)
      : trace_(*w.trace), window_(window), events_(std::move(events)) {}

  MemoryPool build() {
    pool_.deviceType = events_.front().deviceType;
    pool_.deviceIndex = events_.front().deviceIndex;
    identify();
    makeCurves();
    findPeak();
    gatherOps();
    gatherAlive();
    sortOps();
    return std::move(pool_);
  }

 private:
  void identify() {
    if (pool_.deviceType == kCpu) {
      pool_.name = "host";
      return;
    }
    std::string kind = "device";
    for (std::size_t d = 0; d < trace_.devices().size(); ++d) {
      const Device& device = trace_.devices()[d];
      if (device.ordinal != pool_.deviceIndex) continue;
      pool_.device = DeviceId(d);
      pool_.capacity = device.totalMemory;
      kind = device.kind;
    }
    pool_.name = kind + ' ' + std::to_string(pool_.deviceIndex);
  }

  void makeCurves() {
    const auto absent = [](std::int64_t v) { return v == EventArgs::kAbsent; };
    const auto all = [&](auto&& has) { return std::all_of(events_.begin(), events_.end(), has); };
    pool_.relative = !all([&](const MemoryEvent& e) { return !absent(e.totalAllocated); });
    // The host's allocator reserves nothing and records 0.
    const bool reserved = pool_.deviceType != kCpu &&
                          all([&](const MemoryEvent& e) { return !absent(e.totalReserved); });
    pool_.addresses = all([&](const MemoryEvent& e) { return !absent(e.address); });
    std::int64_t sum = 0;
    for (const MemoryEvent& e : events_) {
      sum += e.bytes;
      pool_.time.push_back(e.time);
      pool_.allocated.push_back(pool_.relative ? sum : e.totalAllocated);
      if (reserved) pool_.reserved.push_back(e.totalReserved);
      if (!inWindow(window_, e.time)) continue;
      ++(e.bytes >= 0 ? pool_.allocations : pool_.releases);
      pool_.allocatedBytes += std::max<std::int64_t>(e.bytes, 0);
    }
  }

  /// The value at the start of the recording, before the first record.
  [[nodiscard]] std::int64_t first() const {
    return pool_.allocated.front() - events_.front().bytes;
  }

  void findPeak() {
    pool_.peakOfRecording =
        std::max(first(), *std::max_element(pool_.allocated.begin(), pool_.allocated.end()));
    bool any = false;
    const auto look = [&](std::size_t i, TimeNs t) {
      const std::int64_t value = i == 0 ? first() : pool_.allocated[i - 1];
      if (!any || value > pool_.peak) {
        pool_.peak = value;
        pool_.peakTime = t;
        recordsAtPeak_ = i;
      }
      any = true;
      if (pool_.reserved.empty()) return;
      const std::int64_t held = pool_.reserved[i == 0 ? 0 : i - 1];
      pool_.reservedPeak = std::max(pool_.reservedPeak.value_or(held), held);
    };
    for (const TimeSpan& span : window_.spans) {
      auto it = std::upper_bound(pool_.time.begin(), pool_.time.end(), span.begin);
      look(static_cast<std::size_t>(it - pool_.time.begin()), span.begin);
      for (; it != pool_.time.end() && *it < span.end; ++it)
        look(static_cast<std::size_t>(it - pool_.time.begin()) + 1, *it);
    }
  }

  MemoryOp& opNamed(SliceId op) {
    const std::string_view name = op.valid() ? trace_.name(op) : std::string_view();
    const auto [it, isNew] = opIndex_.try_emplace(std::string(name), pool_.ops.size());
    if (isNew) pool_.ops.emplace_back().op = std::string(name);
    return pool_.ops[it->second];
  }

  void gatherOps() {
    std::unordered_map<std::string, std::int64_t> largest;
    for (const MemoryEvent& e : events_) {
      if (e.bytes <= 0 || !inWindow(window_, e.time)) continue;
      const SliceId id = opAt(trace_, e.track, e.time);
      MemoryOp& op = opNamed(id);
      ++op.allocations;
      op.bytes += e.bytes;
      std::int64_t& most = largest[op.op];
      if (e.bytes <= most) continue;
      most = e.bytes;
      op.example = id;
    }
  }

  void gatherAlive() {
    if (!pool_.addresses) return;
    std::unordered_map<std::int64_t, std::size_t> live;  // address → record
    for (std::size_t i = 0; i < recordsAtPeak_; ++i) {
      const MemoryEvent& e = events_[i];
      if (e.bytes > 0) {
        live[e.address] = i;
      } else {
        live.erase(e.address);
      }
    }
    std::int64_t known = 0;
    for (const auto& [address, i] : live) {
      const MemoryEvent& e = events_[i];
      pool_.alive.push_back({address, e.bytes, e.time, opAt(trace_, e.track, e.time)});
      MemoryOp& op = opNamed(pool_.alive.back().op);
      if (!op.example.valid()) op.example = pool_.alive.back().op;
      ++op.aliveBlocks;
      op.aliveBytes += e.bytes;
      known += e.bytes;
    }
    std::sort(pool_.alive.begin(), pool_.alive.end(),
              [](const MemoryBlock& a, const MemoryBlock& b) {
                return a.bytes != b.bytes ? a.bytes > b.bytes : a.address < b.address;
              });
    if (!pool_.relative) pool_.aliveBefore = pool_.peak - known;
  }

  void sortOps() {
    std::stable_sort(pool_.ops.begin(), pool_.ops.end(), [](const MemoryOp& a, const MemoryOp& b) {
      if (a.aliveBytes != b.aliveBytes) return a.aliveBytes > b.aliveBytes;
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.op < b.op;
    });
  }

  const Trace& trace_;
  const AnalysisWindow& window_;
  std::vector<MemoryEvent> events_;
  MemoryPool pool_;
  std::size_t recordsAtPeak_ = 0;  ///< that many records lie before the peak, its own included
  std::unordered_map<std::string, std::size_t> opIndex_;
};

}  // namespace

std::vector<MemoryPool> memoryPools(const Workload& w, const AnalysisWindow& window) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<MemoryEvent>> byPool;
  for (const MemoryEvent& e : w.trace->memory()) byPool[{e.deviceType, e.deviceIndex}].push_back(e);
  std::vector<MemoryPool> pools;
  for (auto& [key, events] : byPool)
    pools.push_back(PoolBuilder(w, window, std::move(events)).build());
  std::stable_partition(pools.begin(), pools.end(),
                        [](const MemoryPool& pool) { return pool.deviceType != kCpu; });
  return pools;
}

}  // namespace ridgeline
