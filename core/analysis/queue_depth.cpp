#include "core/analysis/queue_depth.h"

#include <algorithm>

namespace ridgeline {

namespace {

QueueDepth depthOf(const Trace& trace, const DeviceStreams::Stream& stream) {
  const SliceTable& s = trace.slices();
  QueueDepth queue;
  queue.track = stream.track;
  queue.device = stream.device;
  queue.stream = stream.number;
  std::vector<TimeNs> in;
  std::vector<TimeNs> out;
  for (const SliceId work : stream.work) {  // by start, so that `out` ascends
    const SliceId call = trace.launchOf(work);
    if (!call.valid()) {
      ++queue.withoutLaunch;
      continue;
    }
    const TimeNs start = s.start[work.index()];
    if (start < s.start[call.index()]) {
      ++queue.beforeLaunch;
      continue;
    }
    in.push_back(s.start[call.index()]);
    out.push_back(start);
  }
  queue.counted = in.size();
  if (!std::is_sorted(in.begin(), in.end())) std::sort(in.begin(), in.end());
  std::size_t i = 0;
  std::size_t k = 0;
  std::uint32_t depth = 0;
  while (k < out.size()) {
    const TimeNs t = i < in.size() ? std::min(in[i], out[k]) : out[k];
    const std::uint32_t before = depth;
    for (; i < in.size() && in[i] == t; ++i) ++depth;
    for (; k < out.size() && out[k] == t; ++k) --depth;
    if (depth == before) continue;
    queue.time.push_back(t);
    queue.depth.push_back(depth);
    queue.most = std::max(queue.most, depth);
  }
  return queue;
}

}  // namespace

std::uint32_t QueueDepth::at(TimeNs t) const {
  const auto after = std::upper_bound(time.begin(), time.end(), t);
  return after == time.begin() ? 0 : depth[static_cast<std::size_t>(after - time.begin()) - 1];
}

std::uint32_t QueueDepth::mostIn(TimeSpan span) const {
  if (span.empty()) return 0;
  std::uint32_t largest = at(span.begin);
  auto it = std::upper_bound(time.begin(), time.end(), span.begin);
  for (; it != time.end() && *it < span.end; ++it)
    largest = std::max(largest, depth[static_cast<std::size_t>(it - time.begin())]);
  return largest;
}

std::int64_t QueueDepth::areaIn(TimeSpan span) const {
  std::int64_t area = 0;
  TimeNs from = span.begin;
  std::int64_t now = at(span.begin);
  auto it = std::upper_bound(time.begin(), time.end(), span.begin);
  for (; it != time.end() && *it < span.end; ++it) {
    area += now * (*it - from);
    from = *it;
    now = depth[static_cast<std::size_t>(it - time.begin())];
  }
  return span.empty() ? 0 : area + now * (span.end - from);
}

std::vector<QueueDepth> queueDepths(const Trace& trace, const DeviceStreams& streams) {
  std::vector<QueueDepth> queues;
  for (const DeviceStreams::Stream& stream : streams.streams())
    queues.push_back(depthOf(trace, stream));
  return queues;
}

std::vector<QueueDepth> queueDepths(const Trace& trace) {
  return queueDepths(trace, DeviceStreams(trace));
}

}  // namespace ridgeline
