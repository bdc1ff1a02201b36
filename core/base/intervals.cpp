#include "core/base/intervals.h"

#include <algorithm>

namespace ridgeline {

namespace {

void append(Intervals& out, TimeSpan span) {
  if (span.empty()) return;
  if (!out.empty() && span.begin <= out.back().end)
    out.back().end = std::max(out.back().end, span.end);
  else
    out.push_back(span);
}

bool startsEarlier(TimeSpan a, TimeSpan b) {
  return a.begin < b.begin;
}

}  // namespace

Intervals unionOf(std::vector<TimeSpan> spans) {
  if (!std::is_sorted(spans.begin(), spans.end(), startsEarlier))
    std::sort(spans.begin(), spans.end(), startsEarlier);
  Intervals out;
  for (const TimeSpan& span : spans) append(out, span);
  return out;
}

Intervals unionOf(const Intervals& a, const Intervals& b) {
  Intervals out;
  out.reserve(a.size() + b.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool takeA = j == b.size() || (i < a.size() && a[i].begin <= b[j].begin);
    append(out, takeA ? a[i++] : b[j++]);
  }
  return out;
}

Intervals intersection(const Intervals& a, const Intervals& b) {
  Intervals out;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const TimeSpan common{std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)};
    if (!common.empty()) out.push_back(common);
    a[i].end < b[j].end ? ++i : ++j;
  }
  return out;
}

Intervals difference(const Intervals& a, const Intervals& b) {
  Intervals out;
  std::size_t j = 0;
  for (const TimeSpan& span : a) {
    TimeNs at = span.begin;
    while (j < b.size() && b[j].end <= at) ++j;
    for (std::size_t k = j; k < b.size() && b[k].begin < span.end; ++k) {
      if (b[k].begin > at) out.push_back({at, b[k].begin});
      at = std::max(at, b[k].end);
    }
    if (at < span.end) out.push_back({at, span.end});
  }
  return out;
}

Intervals clipped(const Intervals& a, TimeSpan window) {
  Intervals out;
  for (const TimeSpan& span : a) {
    if (span.begin >= window.end) break;
    if (span.intersects(window)) out.push_back(span.clippedTo(window));
  }
  return out;
}

TimeNs measure(const Intervals& a) {
  TimeNs total = 0;
  for (const TimeSpan& span : a) total += span.length();
  return total;
}

TimeNs measureWithin(const Intervals& a, TimeSpan window) {
  auto it = std::lower_bound(a.begin(), a.end(), window.begin,
                             [](const TimeSpan& s, TimeNs t) { return s.end <= t; });
  TimeNs total = 0;
  for (; it != a.end() && it->begin < window.end; ++it) total += it->clippedTo(window).length();
  return total;
}

}  // namespace ridgeline
