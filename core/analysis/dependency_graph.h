#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/analysis/critical_path.h"

namespace ridgeline {

/// Why an event cannot be earlier than another one.
enum class Dependency : std::uint8_t {
  duration,         ///< the other is the start of what ends with it
  waiting,          ///< the same, where only something else can end it: takes no time of its own
  launch,           ///< host → device
  streamOrder,      ///< device work of one stream
  eventWait,        ///< across streams, recorded or inferred
  synchronisation,  ///< device → host: a blocking call returns
  threadHandover,   ///< between host threads, forward → backward too
  source,           ///< something before the window, or nothing that is recorded: fixed
  windowEnd,        ///< what the end of the window waited for
  unknown,          ///< followed it, but nothing recorded ties them
};
[[nodiscard]] std::string_view word(Dependency dependency);

/// `to` happens no earlier than `weight` after `from`.
struct GraphEdge {
  std::uint32_t from = 0, to = 0;  ///< events
  TimeNs weight = 0;               ///< ns, ≥ 0 and ≤ what was measured between the two
  SliceId slice;                   ///< what takes the time, or follows it; as PathSegment::event
  Dependency kind = Dependency::duration;
  PathCause cause = PathCause::untraced;  ///< what the time is, as on the critical path
  bool binding = false;                   ///< `to` was measured to wait for this one
};

/// What had to happen before what in one window (a step), as an activity-on-edge network: events
/// are the borders between the pieces of host threads and the starts and ends of device work,
/// edges the time that must pass between two of them. Event 0 is the window's begin, `endEvent()`
/// its end, fed by what the critical path ends with.
///
/// A dependency that held an event up weighs what was measured. One that did not gets the smallest
/// lag of its kind on the same stream (launch to start, kernel to kernel), or on any where none on
/// that stream held anything up, or in the whole recording where no launch did in the window; never
/// more than its own.
/// Invariant: replay(weights()) == times(), to the ns; edges are in an order in which each event
/// comes after all it depends on. Immutable.
class DependencyGraph {
 public:
  struct Work {
    SliceId slice;
    std::uint32_t begin = 0, end = 0;  ///< events; the begin is clipped at the window's
  };
  /// A stretch of a host thread between two events.
  struct HostStretch {
    SliceId slice;  ///< invalid where nothing is recorded
    std::uint32_t begin = 0, end = 0;
    std::uint32_t thread = 0;
  };
  struct Parts {
    TimeSpan window;
    std::vector<TimeNs> times;
    std::vector<GraphEdge> edges;
    std::vector<Work> work;
    std::vector<HostStretch> host;
    std::uint32_t end = 0;
  };

  /// Orders the edges. Circles can only be of events at the same instant: they are cut, and
  /// counted.
  explicit DependencyGraph(Parts parts);

  [[nodiscard]] TimeSpan window() const { return p_.window; }
  /// Measured, by event; relative to the Trace's origin.
  [[nodiscard]] std::span<const TimeNs> times() const { return p_.times; }
  [[nodiscard]] std::span<const GraphEdge> edges() const { return p_.edges; }
  /// All device work that touches the window.
  [[nodiscard]] std::span<const Work> work() const { return p_.work; }
  [[nodiscard]] std::span<const HostStretch> host() const { return p_.host; }
  [[nodiscard]] std::uint32_t endEvent() const { return p_.end; }
  /// Edges cut out of circles of events at one instant.
  [[nodiscard]] std::size_t cutEdges() const { return cut_; }

  /// By edge.
  [[nodiscard]] std::vector<TimeNs> weights() const;
  /// When each event happens with other weights (one an edge, ≥ 0): the longest path to it from the
  /// window's begin. Linear time.
  [[nodiscard]] std::vector<TimeNs> replay(std::span<const TimeNs> weights) const;
  /// The edges that the window's end waited for, in order, from its begin: Σ weights = its length.
  /// `times` and `weights` as given by and to replay(); of several the measured one.
  [[nodiscard]] std::vector<std::uint32_t> longestPath(std::span<const TimeNs> times,
                                                       std::span<const TimeNs> weights) const;
  /// By edge: how much longer it may take before the window's end moves; unknown where it does not
  /// lead to the end. ≥ 0.
  [[nodiscard]] std::vector<std::optional<TimeNs>> slack() const;

 private:
  void order();

  Parts p_;
  std::vector<std::uint32_t> order_;  ///< events, each after all it depends on
  std::vector<std::uint32_t> first_;  ///< by place in order_: its first edge; one more at the end
  std::vector<std::uint32_t> place_;  ///< by event: place in order_
  std::size_t cut_ = 0;
};

}  // namespace ridgeline
