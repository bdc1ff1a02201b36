#include "core/analysis/device_streams.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace ridgeline {

namespace {

constexpr std::uint32_t kNoStream = 0xFFFFFFFFu;
/// How many events back a launch order that differs from the order of ends is followed.
constexpr int kLookBack = 64;

void order(DeviceStreams::Stream& stream, const SliceTable& s) {
  const auto byStart = [&s](SliceId a, SliceId b) {
    return std::tie(s.start[a.index()], a) < std::tie(s.start[b.index()], b);
  };
  const auto byEnd = [&s](SliceId a, SliceId b) {
    return std::tie(s.end[a.index()], a) < std::tie(s.end[b.index()], b);
  };
  if (!std::is_sorted(stream.work.begin(), stream.work.end(), byStart))
    std::sort(stream.work.begin(), stream.work.end(), byStart);
  stream.byEnd = stream.work;
  if (!std::is_sorted(stream.byEnd.begin(), stream.byEnd.end(), byEnd))
    std::sort(stream.byEnd.begin(), stream.byEnd.end(), byEnd);
  stream.latest.resize(stream.work.size());
  for (std::uint32_t i = 0; i < stream.work.size(); ++i) {
    stream.latest[i] = i;
    if (i == 0) continue;
    const std::uint32_t before = stream.latest[i - 1];
    if (s.end[stream.work[before].index()] > s.end[stream.work[i].index()])
      stream.latest[i] = before;
  }
}

}  // namespace

DeviceStreams::DeviceStreams(const Trace& trace) : trace_(&trace) {
  const SliceTable& s = trace.slices();
  streamOfTrack_.assign(trace.tracks().size(), kNoStream);
  for (std::size_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::stream) continue;
    Stream stream;
    stream.track = TrackId(i);
    stream.device = track.device;
    stream.number = track.stream;
    for (const Row& row : trace.rowsOf(stream.track))
      for (std::uint32_t k = row.first; k < row.last; ++k)
        if (isDeviceWork(s.category[k])) stream.work.push_back(SliceId(k));
    if (stream.work.empty()) continue;
    order(stream, s);
    streamOfTrack_[i] = static_cast<std::uint32_t>(streams_.size());
    for (const SliceId work : stream.work) {
      const SliceId call = trace.launchOf(work);
      if (!call.valid()) continue;
      launches_.push_back({s.start[call.index()], call, work});
      ends_.push_back(s.end[work.index()]);
    }
    streams_.push_back(std::move(stream));
  }
  std::sort(launches_.begin(), launches_.end(), [](const Launched& a, const Launched& b) {
    return std::tie(a.at, a.call, a.work) < std::tie(b.at, b.call, b.work);
  });
  std::sort(ends_.begin(), ends_.end());
}

std::size_t DeviceStreams::outstandingAt(TimeNs t) const {
  const auto launched =
      std::lower_bound(launches_.begin(), launches_.end(), t,
                       [](const Launched& l, TimeNs time) { return l.at < time; }) -
      launches_.begin();
  const auto ended = std::upper_bound(ends_.begin(), ends_.end(), t) - ends_.begin();
  return launched > ended ? static_cast<std::size_t>(launched - ended) : 0;
}

const DeviceStreams::Stream* DeviceStreams::streamOf(SliceId work) const {
  const std::uint32_t i = streamOfTrack_[trace_->trackOf(work).index()];
  return i == kNoStream ? nullptr : &streams_[i];
}

const DeviceStreams::Stream* DeviceStreams::streamNumbered(DeviceId device,
                                                           std::int64_t number) const {
  for (const Stream& stream : streams_)
    if (stream.number == number && (!device.valid() || stream.device == device)) return &stream;
  return nullptr;
}

std::size_t DeviceStreams::positionOf(const Stream& stream, SliceId work) const {
  const SliceTable& s = trace_->slices();
  const auto at =
      std::lower_bound(stream.work.begin(), stream.work.end(), work, [&s](SliceId a, SliceId b) {
        return std::tie(s.start[a.index()], a) < std::tie(s.start[b.index()], b);
      });
  return static_cast<std::size_t>(at - stream.work.begin());
}

SliceId DeviceStreams::previousOnStream(SliceId work) const {
  const Stream* stream = streamOf(work);
  if (stream == nullptr) return {};
  const std::size_t at = positionOf(*stream, work);
  return at == 0 ? SliceId() : stream->work[stream->latest[at - 1]];
}

SliceId DeviceStreams::neighbourBefore(SliceId work) const {
  const Stream* stream = streamOf(work);
  if (stream == nullptr) return {};
  const std::size_t at = positionOf(*stream, work);
  return at == 0 ? SliceId() : stream->work[at - 1];
}

TimeNs DeviceStreams::launchStart(SliceId work) const {
  const SliceId call = trace_->launchOf(work);
  return call.valid() ? trace_->slices().start[call.index()] : std::numeric_limits<TimeNs>::min();
}

SliceId DeviceStreams::endedLast(const Stream& stream, TimeNs after, TimeNs t,
                                 TimeNs launchedBefore) const {
  const SliceTable& s = trace_->slices();
  auto at = std::upper_bound(stream.byEnd.begin(), stream.byEnd.end(), t,
                             [&s](TimeNs time, SliceId a) { return time < s.end[a.index()]; });
  for (int i = 0; i < kLookBack && at != stream.byEnd.begin(); ++i) {
    --at;
    if (s.end[at->index()] <= after) return {};
    if (launchStart(*at) < launchedBefore) return *at;
  }
  return {};
}

SliceId DeviceStreams::runningAt(const Stream& stream, TimeNs t) const {
  const SliceTable& s = trace_->slices();
  auto at = std::lower_bound(stream.work.begin(), stream.work.end(), t,
                             [&s](SliceId a, TimeNs time) { return s.start[a.index()] < time; });
  if (at == stream.work.begin()) return {};
  --at;
  if (s.end[at->index()] > t) return *at;
  const SliceId longest =
      stream.work[stream.latest[static_cast<std::size_t>(at - stream.work.begin())]];
  return s.end[longest.index()] > t ? longest : SliceId();
}

}  // namespace ridgeline
