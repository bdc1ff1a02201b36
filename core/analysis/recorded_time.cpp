#include "core/analysis/recorded_time.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "core/base/duration_text.h"

namespace ridgeline {

namespace {

using Times = std::map<std::string_view, TimeNs>;

/// Cut behind a character of UTF-8.
std::string shortened(std::string_view name) {
  constexpr std::size_t kLength = 40;
  if (name.size() <= kLength) return std::string(name);
  std::size_t end = kLength;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return std::string(name.substr(0, end)) + "…";
}

/// "\"renderer\" (1.2 s), \"browser\" (300 ms)".
std::string largest(const Times& times) {
  constexpr std::size_t kMost = 3;
  std::vector<std::pair<std::string_view, TimeNs>> order;
  for (const auto& [name, time] : times)
    if (!name.empty() && time > 0) order.emplace_back(name, time);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, order.size()); ++i) {
    text += (i == 0 ? "\"" : ", \"") + shortened(order[i].first) + "\" (" +
            durationText(order[i].second) + ")";
  }
  return text;
}

}  // namespace

std::string mostRecordedTime(const Trace& trace) {
  const SliceTable& s = trace.slices();
  Times byProcess, byCategory;
  for (const Row& row : trace.rows()) {
    if (row.depth > 0 || row.spill) continue;
    const Process& process = trace.processes()[trace.track(row.track).process.index()];
    const std::string_view name = trace.text(process.name.valid() ? process.name : process.pid);
    for (std::uint32_t i = row.first; i < row.last; ++i) {
      if (trace.isStray({s.start[i], s.end[i]})) continue;
      byProcess[name] += s.end[i] - s.start[i];
      byCategory[trace.categoryText(SliceId(i))] += s.end[i] - s.start[i];
    }
  }
  const std::string processes = largest(byProcess), categories = largest(byCategory);
  if (processes.empty() && categories.empty()) return {};
  std::string text = "By process, most time is in " + processes;
  if (processes.empty())
    text = "By category, most time is in " + categories;
  else if (!categories.empty())
    text += "; by category in " + categories;
  return text + ".";
}

}  // namespace ridgeline
