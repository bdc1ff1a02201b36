#include "core/documents/event_key.h"

#include <algorithm>
#include <string_view>

namespace ridgeline {
namespace {

std::string_view suffixOf(TrackKind kind) {
  switch (kind) {
    case TrackKind::thread:
    case TrackKind::stream:
      return "";
    case TrackKind::deviceAnnotation:
      return "#annotation";
    case TrackKind::deviceSync:
      return "#sync";
    case TrackKind::async:
      return "#async";
    case TrackKind::overhead:
      return "#overhead";
    case TrackKind::counter:
      return "#counter";
    case TrackKind::other:
      return "#other";
  }
  return "";
}

}  // namespace

std::string trackKey(const Trace& trace, TrackId id) {
  const Track& track = trace.track(id);
  std::string key(trace.text(trace.processes()[track.process.index()].pid));
  key += '/';
  key += trace.text(track.tid);
  key += suffixOf(track.kind);
  return key;
}

TrackId findTrack(const Trace& trace, const std::string& key) {
  for (std::size_t i = 0; i < trace.tracks().size(); ++i)
    if (trackKey(trace, TrackId(i)) == key) return TrackId(i);
  return {};
}

EventKey eventKey(const Trace& trace, SliceId slice) {
  return {trackKey(trace, trace.trackOf(slice)), std::string(trace.name(slice)),
          trace.slices().start[slice.index()]};
}

SliceId findEvent(const Trace& trace, const EventKey& key) {
  const auto& starts = trace.slices().start;
  for (std::size_t t = 0; t < trace.tracks().size(); ++t) {
    if (trackKey(trace, TrackId(t)) != key.track) continue;
    for (const Row& row : trace.rowsOf(TrackId(t))) {
      const auto first = starts.begin() + row.first;
      const auto last = starts.begin() + row.last;
      for (auto it = std::lower_bound(first, last, key.start); it != last && *it == key.start;
           ++it) {
        const SliceId id(static_cast<std::size_t>(it - starts.begin()));
        if (trace.name(id) == key.name) return id;
      }
    }
  }
  return {};
}

}  // namespace ridgeline
