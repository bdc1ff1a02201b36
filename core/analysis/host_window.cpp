#include "core/analysis/host_window.h"

#include <algorithm>

namespace ridgeline {

namespace {

/// Pauses shorter than this are not looked at for a hand-over between threads.
constexpr TimeNs kHandOverPause = 1'000;
/// Each pause of a thread looks at each of these. No program runs operators on as many threads of
/// one process; a recording that says so shall not take hours.
constexpr std::size_t kMostWakers = 256;

}  // namespace

HostWindow::HostWindow(const PathContext& context, TimeSpan window)
    : c_(context), window_(window), pieces_(context.threads.threads().size()) {}

const std::vector<HostPiece>& HostWindow::pieces(std::uint32_t thread) {
  std::optional<std::vector<HostPiece>>& made = pieces_[thread];
  if (!made) made = c_.threads.pieces(thread, window_);
  return *made;
}

std::size_t HostWindow::pieceBefore(std::uint32_t thread, TimeNs t) {
  const std::vector<HostPiece>& all = pieces(thread);
  const auto at = std::lower_bound(
      all.begin(), all.end(), t, [](const HostPiece& p, TimeNs time) { return p.span.end < time; });
  return at == all.end() ? all.size() - 1 : static_cast<std::size_t>(at - all.begin());
}

SliceId HostWindow::resumedAfter(std::uint32_t thread, std::size_t piece) {
  const std::vector<HostPiece>& all = pieces(thread);
  for (std::size_t i = piece + 1; i < all.size() && i < piece + 3; ++i)
    if (all[i].slice.valid()) return all[i].slice;
  for (std::size_t i = piece; i-- > 0 && i + 3 > piece;)
    if (all[i].slice.valid()) return all[i].slice;
  return {};
}

/// The thread of the forward operator whose backward begins with `resumed`; kNone if unknown.
std::uint32_t HostWindow::forwardThread(SliceId resumed) const {
  std::uint32_t thread = HostThreads::kNone;
  for (SliceId p = resumed; p.valid() && thread == HostThreads::kNone;
       p = c_.trace.slices().parent[p.index()])
    c_.trace.links().incoming(p, [&](const Link& link) {
      if (link.kind == LinkKind::forwardBackward) thread = c_.threads.threadOf(link.from);
    });
  return thread;
}

std::span<const std::uint32_t> HostWindow::wakers(ProcessId process, std::uint32_t forward) {
  const auto threads = c_.threads.threads();
  if (!wakers_) {
    wakers_.emplace(c_.trace.processes().size() + 1);  // the last: threads without a process
    for (std::uint32_t thread = 0; thread < threads.size(); ++thread)
      if (threads[thread].ops > 0) {
        const ProcessId of = threads[thread].process;
        (*wakers_)[of.valid() ? of.index() : wakers_->size() - 1].push_back(thread);
      }
  }
  const auto& all = (*wakers_)[process.valid() ? process.index() : wakers_->size() - 1];
  if (all.size() <= kMostWakers) return all;
  if (!std::binary_search(all.begin(), all.end(), forward)) return {};
  onlyWaker_ = forward;
  return {&onlyWaker_, 1};
}

HandOver HostWindow::handOver(std::uint32_t thread, std::size_t index, TimeNs t) {
  HandOver found;
  const HostPiece piece = pieces(thread)[index];
  if (!piece.passive || piece.span.length() < kHandOverPause) return found;
  const SliceId resumed = resumedAfter(thread, index);
  const std::uint32_t forward = resumed.valid() ? forwardThread(resumed) : HostThreads::kNone;
  TimeNs best = piece.span.begin;
  for (const std::uint32_t other : wakers(c_.threads.threads()[thread].process, forward)) {
    if (other == thread) continue;
    const std::size_t at = pieceBefore(other, t);
    const HostPiece& there = pieces(other)[at];
    if (!there.passive) continue;
    // Its own pause began within this one's: it was busy while this thread paused.
    const TimeNs since = there.span.begin;
    if (since <= piece.span.begin || (since <= best && other != forward) || at == 0) continue;
    if (found.thread == forward && forward != HostThreads::kNone) continue;
    best = since;
    found.thread = other;
    found.pause = there.span;
    found.slice = there.slice;
    found.edge = other == forward ? PathEdge::forwardBackward : PathEdge::threadHandover;
  }
  found.python = found.slice.valid() && c_.activities.of(found.slice) == HostActivity::python;
  return found;
}

}  // namespace ridgeline
