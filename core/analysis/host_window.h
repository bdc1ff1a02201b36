#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/analysis/path_context.h"

namespace ridgeline {

/// Which thread woke another one.
struct HandOver {
  std::uint32_t thread = HostThreads::kNone;  ///< that was busy in the pause; kNone: none was
  TimeSpan pause;  ///< of that thread: it was done, or waited, from its begin
  SliceId slice;   ///< what it was in then
  PathEdge edge = PathEdge::none;
  bool python = false;  ///< its pause is a Python frame, which led on; else nothing is recorded
  [[nodiscard]] bool known() const { return thread != HostThreads::kNone; }
};

/// What the host threads did in one window, and who woke whom in it. Pieces are made when they are
/// first asked for: an object is for one thread of the program. The context must outlive it.
class HostWindow {
 public:
  HostWindow(const PathContext& context, TimeSpan window);

  [[nodiscard]] const std::vector<HostPiece>& pieces(std::uint32_t thread);
  /// Index of the piece that holds the instant before t; the last one after the window.
  [[nodiscard]] std::size_t pieceBefore(std::uint32_t thread, TimeNs t);
  /// What the thread went on with after a pause; at the window's end what it had done before.
  [[nodiscard]] SliceId resumedAfter(std::uint32_t thread, std::size_t piece);
  /// A thread that pauses (in `piece`) and goes on at t may have been woken by another one: by the
  /// thread that did something in the pause and is done (or waits) when this one goes on. Forward →
  /// backward and back are such: neither is recorded.
  [[nodiscard]] HandOver handOver(std::uint32_t thread, std::size_t piece, TimeNs t);

 private:
  [[nodiscard]] std::uint32_t forwardThread(SliceId resumed) const;
  /// The threads of the process that run operators, ascending: those that one may have been woken
  /// by. Of more than kMostWakers only the forward thread can be told.
  [[nodiscard]] std::span<const std::uint32_t> wakers(ProcessId process, std::uint32_t forward);

  const PathContext& c_;
  TimeSpan window_;
  std::vector<std::optional<std::vector<HostPiece>>> pieces_;      ///< by thread
  std::optional<std::vector<std::vector<std::uint32_t>>> wakers_;  ///< by process
  std::uint32_t onlyWaker_ = HostThreads::kNone;
};

}  // namespace ridgeline
