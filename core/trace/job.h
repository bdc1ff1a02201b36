#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/trace/trace.h"

namespace ridgeline {

/// How one rank's clock relates to the job's: add `offset` to the rank's absolute times.
struct ClockOffset {
  TimeNs offset = 0;
  TimeNs uncertainty = 0;
};

/// One or more recordings looked at together. Ids are (index into ranks, id in that Trace).
struct Job {
  std::vector<std::shared_ptr<const Trace>> ranks;
  std::vector<ClockOffset> clocks;  ///< one a rank

  /// The rank number of a recording as shown to people: as recorded, else its index.
  [[nodiscard]] std::int64_t rankNumber(std::size_t index) const {
    return ranks[index]->info().rank.value_or(static_cast<std::int64_t>(index));
  }
};

}  // namespace ridgeline
