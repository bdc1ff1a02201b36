#pragma once

#include "widgets/common/session.h"

namespace ridgeline {

/// Where the arrow keys lead from a slice.
enum class SliceStep {
  previous,  ///< the slice before it in its row
  next,      ///< the slice after it in its row
  out,       ///< the slice that holds it; from device work: the call that launched it
  in         ///< the first slice inside it; from a launch call: the work it launched
};

/// The slice that a step leads to; invalid when there is none.
[[nodiscard]] SliceRef stepFrom(const Session& session, SliceRef from, SliceStep step);
/// Of device work: the first link that leaves it or leads to it, for walking over the launch arrow.
[[nodiscard]] SliceId launchedBy(const Trace& trace, SliceId call);

}  // namespace ridgeline
