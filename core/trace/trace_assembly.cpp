#include "core/trace/trace_assembly.h"

#include <algorithm>
#include <limits>

#include "core/base/duration_text.h"
#include "core/base/release_later.h"
#include "core/trace/stray_stamps.h"

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
  findBulk({first, last});
}

/// Looks once more, only where a recording is longer than an hour.
void Assembly::findBulk(TimeSpan all) {
  const RawSlices& s = c_.slices;
  t_.bulk = t_.span;
  StrayStamps stamps(all, 2 * s.size() + c_.instants.size() + c_.counters.size());
  if (!stamps.possible()) return;
  Poll poll(task_);
  // What never ended is drawn to the end of the recording: its end was not recorded.
  for (std::size_t i = 0; i < s.size() && !poll.stop(); ++i) {
    if (!mine(s.track[i])) continue;
    stamps.see(s.start[i]);
    if (i < s.unfinishedFrom) stamps.see(s.end[i]);
  }
  for (std::size_t i = 0; i < c_.instants.size() && !poll.stop(); ++i)
    if (mine(c_.instants[i].track)) stamps.see(c_.instants[i].ts);
  for (std::size_t i = 0; i < c_.counters.size() && !poll.stop(); ++i)
    if (mine(c_.counters[i].track)) stamps.see(c_.counters[i].ts);
  const TimeSpan bulk = stamps.bulk();
  t_.bulk = {bulk.begin - all.begin, bulk.end - all.begin};
  if (t_.bulk == t_.span || task_.cancelled()) return;
  for (std::size_t i = 0; i < s.size() && !poll.stop(); ++i)
    if (mine(s.track[i])) noteStray(bulk, {s.start[i], s.end[i]}, StringId(s.name[i]));
  for (std::size_t i = 0; i < c_.instants.size() && !poll.stop(); ++i)
    if (mine(c_.instants[i].track))
      noteStray(bulk, {c_.instants[i].ts, c_.instants[i].ts}, c_.instants[i].name);
  for (std::size_t i = 0; i < c_.counters.size() && !poll.stop(); ++i)
    if (mine(c_.counters[i].track))
      noteStray(bulk, {c_.counters[i].ts, c_.counters[i].ts},
                c_.tracks[c_.counters[i].track].counterName);
}

void Assembly::noteStray(TimeSpan bulk, TimeSpan event, StringId name) {
  const TimeNs before = bulk.begin - event.begin, behind = event.end - bulk.end;
  if (before <= 0 && behind <= 0) return;
  const std::string_view text = name.valid() ? c_.strings.text(name) : std::string_view();
  t_.importLog.note(
      "stray_time",
      "events hours or more from all others, by a damaged time; they stand where they say, and set "
      "no window unless you choose it",
      false, ImportLog::kNoOffset,
      "'" + std::string(text.substr(0, 60)) + "', " +
          (before > 0 ? durationText(before) + " before" : durationText(behind) + " behind") +
          " all others (ts " + std::to_string((before > 0 ? event.begin : event.end) / 1000) + ")");
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
