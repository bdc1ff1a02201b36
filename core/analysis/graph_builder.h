#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/analysis/dependency_graph.h"
#include "core/analysis/host_window.h"
#include "core/base/task.h"

namespace ridgeline {

/// Windows with more events than this get no graph: choose a step.
inline constexpr std::size_t kMostGraphEvents = 4'000'000;

/// The dependency graph of a window that `path` is the critical path of. Null when the task was
/// cancelled, the window is empty or it holds more than kMostGraphEvents.
[[nodiscard]] std::shared_ptr<const DependencyGraph> dependencyGraph(const PathContext& context,
                                                                     const CriticalPath& path,
                                                                     const Task& task = {});

/// Builds one DependencyGraph: first all events, then the edges into each.
class GraphBuilder {
 public:
  GraphBuilder(const PathContext& context, const CriticalPath& path, const Task& task);
  [[nodiscard]] std::shared_ptr<const DependencyGraph> run();

 private:
  /// A piece of a host thread, cut where a blocking call learnt that what it awaited was done.
  struct Tile {
    HostPiece piece;
    std::size_t origin = 0;  ///< index of the uncut piece
    SliceId awaited;         ///< the tile ends when this does …
    bool late = false;       ///< … or, by clock noise, a little before
  };
  struct ThreadEvents {
    std::vector<Tile> tiles;
    std::uint32_t first = 0;  ///< event of the first tile's begin; the next ones follow
  };
  /// What stood before an event on the host, and when.
  struct HostPoint {
    std::uint32_t event = 0;
    const Tile* tile = nullptr;  ///< that follows it
  };
  enum LagKind { kStreamLag, kLaunchLag, kInsideLag, kWaitLag, kLagKinds };

  void addThreads();
  void addTiles(std::uint32_t thread);
  void addBlocking(std::vector<Tile>& tiles, Tile tile);
  void addWork();
  void connectSynchronisation(const Tile& tile, std::uint32_t end);
  void connectThread(std::uint32_t thread);
  [[nodiscard]] bool connectHandOver(std::uint32_t thread, const Tile& tile, std::uint32_t end);
  void connectWork(const DependencyGraph::Work& work);
  /// False when the predecessor's place is before the window, or nowhere.
  bool connectTo(const DependencyGraph::Work& work, const Predecessor& p, bool binding);
  bool connectLaunch(const DependencyGraph::Work& work, const Predecessor& p, bool binding);
  void connectEnd();
  void shortenLags();
  [[nodiscard]] TimeNs leastLaunchLagOfRecording() const;
  void addLag(LagKind kind, GraphEdge edge);
  void addEdge(std::uint32_t from, std::uint32_t to, TimeNs weight, Dependency kind,
               PathCause cause, SliceId slice, bool binding);
  [[nodiscard]] std::uint32_t addEvent(TimeNs at);
  /// The last event of a thread at or before t, when that is in the window.
  [[nodiscard]] std::optional<HostPoint> hostPoint(std::uint32_t thread, TimeNs t) const;
  [[nodiscard]] const DependencyGraph::Work* workOf(SliceId slice) const;
  [[nodiscard]] TimeNs at(std::uint32_t event) const { return parts_.times[event]; }

  const PathContext& c_;
  const CriticalPath& path_;
  const Task& task_;
  HostWindow host_;
  DependencyGraph::Parts parts_;
  std::vector<ThreadEvents> threads_;
  std::vector<std::uint32_t> workOfSlice_;  ///< by slice − firstWork_: into parts_.work
  std::uint32_t firstWork_ = 0;
  struct Lag {
    std::size_t edge;
    std::size_t stream;
    LagKind kind;
  };
  std::vector<Lag> lags_;
  std::vector<std::array<TimeNs, kLagKinds>> leastLag_;  ///< by stream
  std::array<TimeNs, kLagKinds> leastOfAll_{};           ///< of all streams
  std::vector<std::array<bool, kLagKinds>> measured_;    ///< by stream: whether one held work up
  std::vector<Predecessor> found_;                       ///< of the work at hand
  std::vector<SliceId> awaited_;                         ///< by the call at hand
  bool tooMany_ = false;
};

}  // namespace ridgeline
