#pragma once

#include <cstdint>
#include <string>

#include "core/trace/trace.h"

namespace ridgeline {

/// Names a slice in a way that outlives the program: ids are dense numbers of one load and change
/// when the reader does.
struct EventKey {
  std::string track;  ///< trackKey() of its track
  std::string name;
  TimeNs start = 0;  ///< relative to Trace::origin(), ns

  [[nodiscard]] bool empty() const { return name.empty() && track.empty(); }
  bool operator==(const EventKey&) const = default;
};

/// "4711/4720" (process and thread as recorded), "4711/4720#async" for the tracks of other kinds.
[[nodiscard]] std::string trackKey(const Trace& trace, TrackId track);
/// The first track of that key; invalid if there is none.
[[nodiscard]] TrackId findTrack(const Trace& trace, const std::string& key);

[[nodiscard]] EventKey eventKey(const Trace& trace, SliceId slice);
/// The slice of that name that starts then on that track; invalid if there is none.
[[nodiscard]] SliceId findEvent(const Trace& trace, const EventKey& key);

}  // namespace ridgeline
