#include "widgets/timeline/timeline_navigation.h"

#include "core/index/row_query.h"

namespace ridgeline {

SliceId launchedBy(const Trace& trace, SliceId call) {
  for (const Link& link : trace.links().outgoing(call))
    if (link.kind == LinkKind::launch) return link.to;
  return {};
}

SliceRef stepFrom(const Session& session, SliceRef from, SliceStep step) {
  if (!from.valid() || from.rank >= session.ranks().size()) return {};
  const Trace& trace = session.trace(from.rank);
  const Row& row = trace.rowOf(from.id);
  SliceId to;
  switch (step) {
    case SliceStep::previous:
      if (from.id.value > row.first) to = SliceId(from.id.index() - 1);
      break;
    case SliceStep::next:
      if (from.id.value + 1 < row.last) to = SliceId(from.id.index() + 1);
      break;
    case SliceStep::out:
      to = trace.slices().parent[from.id.index()];
      if (!to.valid()) to = trace.launchOf(from.id);
      break;
    case SliceStep::in:
      to = firstChild(trace, from.id);
      if (!to.valid()) to = launchedBy(trace, from.id);
      break;
  }
  return to.valid() ? SliceRef{from.rank, to} : SliceRef{};
}

}  // namespace ridgeline
