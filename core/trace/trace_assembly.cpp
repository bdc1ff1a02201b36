#include "core/trace/trace_assembly.h"

#include <algorithm>
#include <limits>

#include "core/base/release_later.h"

namespace ridgeline::build {

void Assembly::findOrigin() {
  TimeNs first = std::numeric_limits<TimeNs>::max();
  TimeNs last = std::numeric_limits<TimeNs>::min();
  const auto see = [&](TimeNs begin, TimeNs end) {
    first = std::min(first, begin);
    last = std::max(last, end);
  };
  const RawSlices& s = c_.slices;
  Poll poll(task_);
  for (std::size_t i = 0; i < s.size() && !poll.stop(); ++i)
    if (mine(s.track[i])) see(s.start[i], s.end[i]);
  for (std::size_t i = 0; i < c_.instants.size() && !poll.stop(); ++i)
    if (mine(c_.instants[i].track)) see(c_.instants[i].ts, c_.instants[i].ts);
  for (std::size_t i = 0; i < c_.counters.size() && !poll.stop(); ++i)
    if (mine(c_.counters[i].track)) see(c_.counters[i].ts, c_.counters[i].ts);
  if (first > last) first = last = 0;
  t_.origin = first;
  t_.span = {0, last - first};
}

TraceTables Assembly::run() {
  t_.info = c_.info;
  using Step = void (Assembly::*)();
  for (const Step step : {&Assembly::findOrigin, &Assembly::makeTracks, &Assembly::makeDevices,
                          &Assembly::placeSlices, &Assembly::makeColumns, &Assembly::makeTexts,
                          &Assembly::makeLinks, &Assembly::makeNames}) {
    (this->*step)();
    if (!task_.cancelled()) continue;
    releaseValueLater(std::move(t_));
    return {};
  }
  t_.args = c_.argsReader;
  return std::move(t_);
}

/// What tells tracks apart is with them now.
void Assembly::makeNames() {
  if (!only_) {
    // The largest of what is held beside the tables, where there are a million tracks.
    c_.tracks = {};
    c_.lanes = {};
    c_.processes = {};
    trackOfRaw_ = {};
    rawTrackOf_ = {};
  }
  nameTracks(t_, task_);
}

void Assembly::makeTexts() {
  Poll poll(task_);
  for (const StringId category : c_.categoryTexts) t_.categoryTexts.push_back(text(category));
  for (const ShapeTexts& s : c_.shapes) {
    if (poll.stop()) return;
    t_.shapes.push_back({text(s.dims), text(s.types), text(s.concrete), text(s.strides)});
  }
  for (CollectiveArgs a : c_.collectives) {
    if (poll.stop()) return;
    for (StringId* id : {&a.name, &a.dtype, &a.group, &a.groupDescription, &a.ranks})
      *id = text(*id);
    t_.collectives.push_back(a);
  }
  for (XlaArgs a : c_.xla) {
    if (poll.stop()) return;
    for (StringId* id : {&a.category, &a.op, &a.module, &a.shape, &a.frameworkOp}) *id = text(*id);
    t_.xla.push_back(a);
  }
}

TraceTables assemble(Collected& c, const Merged& merged, bool only, std::int64_t rank,
                     const Task& task) {
  return Assembly(c, merged, only, rank, task).run();
}

}  // namespace ridgeline::build
