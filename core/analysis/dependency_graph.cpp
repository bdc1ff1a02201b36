#include "core/analysis/dependency_graph.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ridgeline {

namespace {

/// Edges by one of their ends: positions into a list of edges.
class Adjacency {
 public:
  template <class End>
  Adjacency(const std::vector<GraphEdge>& edges, std::size_t events, End end)
      : first_(events + 1, 0), edges_(edges.size()) {
    for (const GraphEdge& e : edges) ++first_[end(e) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t i = 0; i < edges.size(); ++i) edges_[next[end(edges[i])]++] = i;
  }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t event) const {
    return std::span<const std::uint32_t>(edges_).subspan(first_[event],
                                                          first_[event + 1] - first_[event]);
  }

 private:
  std::vector<std::uint32_t> first_, edges_;
};

/// Kahn's algorithm that cuts circles open.
class Ordering {
 public:
  Ordering(std::vector<GraphEdge>& edges, const std::vector<TimeNs>& times)
      : edges_(edges),
        times_(times),
        outgoing_(edges, times.size(), [](const GraphEdge& e) { return e.from; }),
        incoming_(edges, times.size(), [](const GraphEdge& e) { return e.to; }),
        waitsFor_(times.size(), 0),
        cut_(edges.size(), false) {
    for (const GraphEdge& e : edges) ++waitsFor_[e.to];
  }

  /// All events; `cut()` then says which edges do not count.
  [[nodiscard]] std::vector<std::uint32_t> run() {
    const auto events = static_cast<std::uint32_t>(times_.size());
    order_.reserve(events);
    for (std::uint32_t v = 0; v < events; ++v)
      if (waitsFor_[v] == 0) order_.push_back(v);
    drain();
    if (order_.size() == events) return std::move(order_);
    std::vector<std::uint32_t> byTime(events);
    std::iota(byTime.begin(), byTime.end(), 0u);
    std::stable_sort(byTime.begin(), byTime.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return times_[a] < times_[b]; });
    for (const std::uint32_t v : byTime)
      while (waitsFor_[v] != 0) {
        cutCircleBefore(v);
        drain();
      }
    return std::move(order_);
  }
  [[nodiscard]] const std::vector<bool>& cut() const { return cut_; }

 private:
  void drain() {
    for (; done_ < order_.size(); ++done_)
      for (const std::uint32_t e : outgoing_.of(order_[done_]))
        if (!cut_[e] && --waitsFor_[edges_[e].to] == 0) order_.push_back(edges_[e].to);
  }

  /// An edge into v whose begin is not ordered yet.
  [[nodiscard]] std::uint32_t openEdgeInto(std::uint32_t v) const {
    for (const std::uint32_t e : incoming_.of(v))
      if (!cut_[e] && waitsFor_[edges_[e].from] != 0) return e;
    return kNone;
  }

  /// Going back from v over events that wait must come to a circle: cuts one edge of it, rather one
  /// that nothing was measured to wait for.
  void cutCircleBefore(std::uint32_t v) {
    std::vector<std::uint32_t> trail;
    std::vector<std::uint32_t> seen;
    for (std::uint32_t at = v;;) {
      const auto again = std::find(seen.begin(), seen.end(), at);
      if (again != seen.end()) {
        trail.erase(trail.begin(), trail.begin() + (again - seen.begin()));
        break;
      }
      seen.push_back(at);
      trail.push_back(openEdgeInto(at));
      at = edges_[trail.back()].from;
    }
    const auto loose = std::find_if(trail.begin(), trail.end(),
                                    [this](std::uint32_t e) { return !edges_[e].binding; });
    const std::uint32_t e = loose == trail.end() ? trail.front() : *loose;
    cut_[e] = true;
    if (--waitsFor_[edges_[e].to] == 0) order_.push_back(edges_[e].to);
  }

  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::vector<GraphEdge>& edges_;
  const std::vector<TimeNs>& times_;
  Adjacency outgoing_, incoming_;
  std::vector<std::uint32_t> waitsFor_;
  std::vector<bool> cut_;
  std::vector<std::uint32_t> order_;
  std::size_t done_ = 0;
};

}  // namespace

std::string_view word(Dependency dependency) {
  static constexpr std::string_view kWords[] = {
      "duration",        "waiting",         "launch", "stream_order", "event_wait",
      "synchronisation", "thread_handover", "source", "window_end",   "unknown"};
  return kWords[static_cast<std::size_t>(dependency)];
}

DependencyGraph::DependencyGraph(Parts parts) : p_(std::move(parts)) {
  order();
}

void DependencyGraph::order() {
  Ordering ordering(p_.edges, p_.times);
  order_ = ordering.run();
  place_.resize(order_.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  // What lost the edge that it had waited for keeps its time, from the window's begin.
  std::vector<GraphEdge> kept;
  kept.reserve(p_.edges.size());
  std::vector<bool> held(p_.times.size(), false);
  for (std::size_t i = 0; i < p_.edges.size(); ++i) {
    const GraphEdge& e = p_.edges[i];
    if (ordering.cut()[i]) {
      ++cut_;
      continue;
    }
    if (p_.times[e.from] + e.weight == p_.times[e.to]) held[e.to] = true;
    kept.push_back(e);
  }
  for (std::uint32_t v = 1; v < held.size(); ++v)
    if (!held[v])
      kept.push_back({0, v, p_.times[v] - p_.times[0], SliceId(), Dependency::source,
                      PathCause::untraced, true});
  first_.assign(order_.size() + 1, 0);
  for (const GraphEdge& e : kept) ++first_[place_[e.to] + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  p_.edges.resize(kept.size());
  for (const GraphEdge& e : kept) p_.edges[next[place_[e.to]]++] = e;
}

std::vector<TimeNs> DependencyGraph::weights() const {
  std::vector<TimeNs> weights;
  weights.reserve(p_.edges.size());
  for (const GraphEdge& e : p_.edges) weights.push_back(e.weight);
  return weights;
}

std::vector<TimeNs> DependencyGraph::replay(std::span<const TimeNs> weights) const {
  std::vector<TimeNs> times(p_.times.size(), p_.window.begin);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    TimeNs at = p_.window.begin;
    for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e)
      at = std::max(at, times[p_.edges[e].from] + weights[e]);
    times[order_[i]] = at;
  }
  return times;
}

std::vector<std::uint32_t> DependencyGraph::longestPath(std::span<const TimeNs> times,
                                                        std::span<const TimeNs> weights) const {
  std::vector<std::uint32_t> path;
  for (std::uint32_t v = p_.end; v != 0;) {
    const std::uint32_t i = place_[v];
    std::uint32_t best = first_[i + 1];
    for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) {
      if (times[p_.edges[e].from] + weights[e] != times[v]) continue;
      if (best == first_[i + 1] || (p_.edges[e].binding && !p_.edges[best].binding)) best = e;
    }
    if (best == first_[i + 1]) break;
    path.push_back(best);
    v = p_.edges[best].from;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<std::optional<TimeNs>> DependencyGraph::slack() const {
  constexpr TimeNs kNever = std::numeric_limits<TimeNs>::max();
  std::vector<TimeNs> latest(p_.times.size(), kNever);
  std::vector<std::optional<TimeNs>> slack(p_.edges.size());
  latest[p_.end] = p_.times[p_.end];
  for (std::size_t i = order_.size(); i-- > 0;) {
    const TimeNs by = latest[order_[i]];
    if (by == kNever) continue;
    for (std::uint32_t e = first_[i]; e < first_[i + 1]; ++e) {
      const GraphEdge& edge = p_.edges[e];
      latest[edge.from] = std::min(latest[edge.from], by - edge.weight);
      slack[e] = by - p_.times[edge.from] - edge.weight;
    }
  }
  return slack;
}

}  // namespace ridgeline
