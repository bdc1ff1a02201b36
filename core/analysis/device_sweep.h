#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/workload/workload.h"

namespace ridgeline {

/// Which work an instant belongs to when several pieces run at once: the lowest rank wins.
enum class WorkRank : std::uint8_t { compute, communication, copy, fill };
inline constexpr int kWorkRankCount = 4;

/// Copies and sets by the record's category; of kernels the collectives are communication.
[[nodiscard]] inline WorkRank workRank(const Workload& w, SliceId s) {
  switch (w.trace->slices().category[s.index()]) {
    case Category::memcpy:
      return WorkRank::copy;
    case Category::memset:
      return WorkRank::fill;
    default:
      return w.classOf(s) == KernelClass::collective ? WorkRank::communication : WorkRank::compute;
  }
}

/// Device events in start order that can be asked what of them lies in a span.
class WorkInTime {
 public:
  /// `events` must stay alive, in start order.
  WorkInTime(const SliceTable& slices, std::span<const SliceId> events);

  /// Calls `visit(SliceId)` for each event that starts before `span` ends and ends after it begins,
  /// in start order; events without duration when they start inside.
  template <class Visit>
  void forEachIn(TimeSpan span, Visit&& visit) const {
    const auto first = std::upper_bound(reach_.begin(), reach_.end(), span.begin);
    auto i = static_cast<std::size_t>(first - reach_.begin());
    // Events of length 0 at the very begin reach no further than it.
    while (i > 0 && slices_.start[events_[i - 1].index()] >= span.begin) --i;
    for (; i < events_.size(); ++i) {
      const SliceId s = events_[i];
      if (slices_.start[s.index()] >= span.end) break;
      if (slices_.end[s.index()] > span.begin || slices_.start[s.index()] >= span.begin) visit(s);
    }
  }

  [[nodiscard]] std::span<const SliceId> events() const { return events_; }
  [[nodiscard]] const SliceTable& slices() const { return slices_; }

 private:
  const SliceTable& slices_;
  std::span<const SliceId> events_;
  std::vector<TimeNs> reach_;  ///< by event: the latest end up to it
};

/// Gives each busy instant of `span` to exactly one event: the lowest rank first, of one rank the
/// event that started first. Calls `visit(SliceId, TimeSpan)` in time order; the spans are disjoint
/// and cover the union of the events within `span`. O(events in span).
template <class Visit>
void sweepWork(const Workload& w, const WorkInTime& work, TimeSpan span, Visit&& visit) {
  const SliceTable& slices = work.slices();
  struct Queue {
    std::vector<SliceId> events;
    std::size_t front = 0;
  };
  std::array<Queue, kWorkRankCount> running;
  TimeNs now = span.begin;
  // Hands out the time up to `until` among what runs.
  const auto advance = [&](TimeNs until) {
    while (now < until) {
      SliceId winner;
      for (Queue& queue : running) {
        while (queue.front < queue.events.size() &&
               slices.end[queue.events[queue.front].index()] <= now)
          ++queue.front;
        if (queue.front == queue.events.size()) continue;
        winner = queue.events[queue.front];
        break;
      }
      if (!winner.valid()) {
        now = until;
        return;
      }
      const TimeNs end = std::min(until, slices.end[winner.index()]);
      visit(winner, TimeSpan{now, end});
      now = end;
    }
  };
  work.forEachIn(span, [&](SliceId s) {
    advance(std::clamp(slices.start[s.index()], span.begin, span.end));
    if (slices.end[s.index()] <= now) return;
    Queue& queue = running[static_cast<std::size_t>(workRank(w, s))];
    if (queue.front == queue.events.size()) {
      queue.events.clear();
      queue.front = 0;
    }
    queue.events.push_back(s);
  });
  advance(span.end);
}

}  // namespace ridgeline
