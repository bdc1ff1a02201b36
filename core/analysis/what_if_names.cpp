#include "core/analysis/what_if_names.h"

#include <algorithm>
#include <map>

#include "core/analysis/what_if_target.h"

namespace ridgeline {

namespace {

using What = WhatIfChange::What;

constexpr std::size_t kMostNames = 3;
/// Of longer names only the beginning is compared.
constexpr std::size_t kCompared = 256;

std::string folded(std::string_view text) {
  std::string lower(text.substr(0, kCompared));
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

/// Length of the longest text that is in both.
std::size_t common(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1, 0);
  std::size_t longest = 0;
  for (const char c : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = c == b[j - 1] ? diagonal + 1 : 0;
      longest = std::max(longest, row[j]);
      diagonal = above;
    }
  }
  return longest;
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

/// Names with the time of what they stand for, longest first.
template <class NamesOf>
std::vector<std::string> byTime(const DependencyGraph& graph, const NamesOf& namesOf) {
  std::map<std::string_view, TimeNs> times;
  for (const DependencyGraph::Work& work : graph.work())
    for (const std::string_view name : namesOf(work.slice))
      times[name] += graph.times()[work.end] - graph.times()[work.begin];
  std::vector<std::pair<std::string_view, TimeNs>> sorted(times.begin(), times.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> names;
  for (const auto& [name, time] : sorted) names.emplace_back(name);
  return names;
}

std::vector<std::string> causesByTime(const DependencyGraph& graph) {
  std::vector<std::pair<TimeNs, PathCause>> times(kPathCauseCount);
  for (int i = 0; i < kPathCauseCount; ++i)
    times[static_cast<std::size_t>(i)].second = static_cast<PathCause>(i);
  for (const GraphEdge& edge : graph.edges())
    if (edge.binding) times[static_cast<std::size_t>(edge.cause)].first += edge.weight;
  std::stable_sort(times.begin(), times.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> names;
  for (const auto& [time, cause] : times)
    if (time > 0) names.emplace_back(word(cause));
  return names;
}

/// The operators around the launch of device work, each name once.
std::vector<std::string_view> opsOf(const Workload& w, SliceId work) {
  const SliceTable& s = w.trace->slices();
  std::vector<std::string_view> names;
  for (SliceId op = w.opOf.empty() ? SliceId() : w.opOf[work.index()]; op.valid();
       op = s.parent[op.index()]) {
    if (s.category[op.index()] != Category::cpuOp) continue;  // marked steps are no operators
    const std::string_view text = w.trace->strings().text(s.name[op.index()]);
    if (std::find(names.begin(), names.end(), text) == names.end()) names.push_back(text);
  }
  return names;
}

}  // namespace

std::string NamesLike::text(std::string_view largestIs) const {
  std::string text;
  if (!alike.empty()) text.append("like it: ").append(list(alike));
  if (!alike.empty() && !largest.empty()) text += "; ";
  if (!largest.empty()) text.append(largestIs).append(": ").append(list(largest));
  return text;
}

NamesLike namesLike(std::string_view asked, const std::vector<std::string>& names) {
  const std::string wanted =
      folded(asked.ends_with('*') ? asked.substr(0, asked.size() - 1) : asked);
  std::vector<std::pair<std::size_t, const std::string*>> alike;
  for (const std::string& name : names) {
    const std::size_t shared = common(wanted, folded(name));
    if (shared >= 3 && shared * 2 >= wanted.size()) alike.emplace_back(shared, &name);
  }
  // Of those that share as much the shorter ones have less beside it.
  std::stable_sort(alike.begin(), alike.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->size() < b.second->size();
  });
  NamesLike found;
  for (std::size_t i = 0; i < std::min(alike.size(), kMostNames); ++i)
    found.alike.push_back(*alike[i].second);
  for (const std::string& name : names)
    if (found.largest.size() < kMostNames &&
        std::find(found.alike.begin(), found.alike.end(), name) == found.alike.end())
      found.largest.push_back(name);
  return found;
}

std::string namesInstead(const DependencyGraph& graph, const Workload& w,
                         const WhatIfChange& change) {
  const SliceTable& s = w.trace->slices();
  using Names = std::vector<std::string_view>;
  std::string kind, asked;
  std::vector<std::string> names;
  switch (change.what) {
    case What::kernelClass:
      kind = "Classes";
      asked = name(change.kernelClass);
      names = byTime(graph, [&](SliceId work) { return Names{name(w.classOf(work))}; });
      break;
    case What::op:
      kind = "Operators";
      asked = change.name;
      names = byTime(graph, [&](SliceId work) { return opsOf(w, work); });
      break;
    case What::kernel:
      kind = "Kernels";
      asked = change.name;
      names = byTime(graph, [&](SliceId work) {
        return Names{w.trace->strings().text(s.name[work.index()])};
      });
      break;
    case What::cause:
      kind = "Causes";
      asked = word(change.cause);
      names = causesByTime(graph);
      break;
    case What::event:
    case What::collectives:
    case What::launches:
      return {};
  }
  const std::string text = namesLike(asked, names).text("longest");
  return text.empty() ? text : kind + " in it: " + text + ".";
}

}  // namespace ridgeline
