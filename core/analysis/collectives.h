#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/window.h"
#include "core/hardware/collective_table.h"
#include "core/workload/collective.h"

namespace ridgeline {

/// The collectives of one kind, group size and message size on one device, within the window.
/// A call belongs to it if it starts in it, and counts whole.
struct CollectiveGroup {
  DeviceId device;
  std::string kind;
  std::optional<int> ranks;
  std::optional<double> bytes;  ///< of one message
  std::uint64_t calls = 0;
  TimeNs total = 0, shortest = 0, median = 0, longest = 0;
  TimeNs exposed = 0;  ///< outside all compute
  /// Message bytes (times busFactor()) over the median duration; unknown without bytes (ranks).
  /// A rank that waits for a later one runs its collective all that time: low bandwidth may be
  /// waiting.
  std::optional<double> algorithmBandwidth, busBandwidth;
  /// What one such call takes at least, and where that comes from.
  std::optional<TimeNs> least;
  bool leastMeasured = false;  ///< by the user; else it is the shortest call in this trace
  std::string leastFrom;       ///< "measured by you: 8 ranks, 20 sizes", "the shortest of 40 …"
  std::vector<SliceId> slices;
};

/// What the calls of one device take at least. Invariant: least ≤ total.
struct CommunicationBound {
  DeviceId device;
  TimeNs total = 0;    ///< of all collectives in the window
  TimeNs known = 0;    ///< of those with a least time
  TimeNs least = 0;    ///< Σ of these least times on one stream, the largest of all streams
  TimeNs exposed = 0;  ///< outside all compute
  std::string from;    ///< sentence: which source the least times come from
};

struct Collectives {
  AnalysisWindow window;
  std::vector<CollectiveGroup> groups;     ///< largest total first
  std::vector<CommunicationBound> bounds;  ///< one a device that ran any
  std::vector<CollectiveFit> fits;         ///< of the shortest calls of each size in this trace
  /// Where the user gave a table and it has no collective of the recording with as many ranks: both
  /// sides, as a sentence without its full stop; else empty.
  std::string unusedTable;
};

/// T_communication from measured bandwidth for the same kind, group and size: the user's table
/// (WorkloadSettings::collectives) where it has that kind and number of ranks, else the shortest
/// call of the same kind, group size and message size in the whole trace, if there are two or more.
[[nodiscard]] Collectives collectives(const Workload& w, const AnalysisWindow& window);

}  // namespace ridgeline
