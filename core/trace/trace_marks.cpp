#include <algorithm>
#include <unordered_map>

#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

namespace {

RawSlice sliceOf(const RawMark& begin, TimeNs end, std::uint8_t flags) {
  return {begin.ts,   std::max(begin.ts, end), begin.track,
          begin.name, begin.args.offset,       begin.args.length,
          ShapeId(),  begin.categoryText,      begin.category,
          flags};
}

/// B/E of one track: the innermost open B ends with the next E.
void pairNested(Collected& c, std::vector<std::uint32_t>& open, std::uint32_t index,
                ImportLog& log) {
  const RawMark& mark = c.marks[index];
  if (mark.begin) {
    open.push_back(index);
    return;
  }
  if (open.empty()) {
    ++log.dropped;
    log.note("end_without_begin", "E events without a B before them were left out", true,
             mark.inputOffset, c.strings.text(mark.name));
    return;
  }
  // An E that names another open B closes that one: what was opened inside it stays open.
  auto match = open.end() - 1;
  if (!c.strings.text(mark.name).empty())
    for (auto it = open.end(); it != open.begin();)
      if (c.marks[*--it].name == mark.name) {
        match = it;
        break;
      }
  c.slices.push_back(sliceOf(c.marks[*match], mark.ts, 0));
  open.erase(match);
  log.slices += 2;
}

}  // namespace

void pairMarks(Collected& c) {
  if (c.marks.empty()) return;
  std::vector<std::uint32_t> order(c.marks.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const RawMark& x = c.marks[a];
    const RawMark& y = c.marks[b];
    return x.track != y.track ? x.track < y.track : x.ts < y.ts;
  });
  TimeNs last = c.marks[order.front()].ts;
  for (const RawMark& mark : c.marks) last = std::max(last, mark.ts);
  for (const RawSlice& slice : c.slices) last = std::max(last, slice.end);

  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> open;  // by track, or track and id
  for (const std::uint32_t i : order) {
    const RawMark& mark = c.marks[i];
    const std::uint64_t key = (std::uint64_t{mark.track} << 32) | mark.id.value;
    pairNested(c, open[key], i, c.logOfTrack(mark.track));
  }
  std::vector<std::uint32_t> unfinished;
  for (const auto& [key, indices] : open)
    unfinished.insert(unfinished.end(), indices.begin(), indices.end());
  std::sort(unfinished.begin(), unfinished.end());
  for (const std::uint32_t i : unfinished) {
    const RawMark& mark = c.marks[i];
    ImportLog& log = c.logOfTrack(mark.track);
    ++log.slices;
    ++log.repaired;
    log.note("begin_without_end", "B events without an E were drawn to the end of the recording",
             false, mark.inputOffset, c.strings.text(mark.name));
    c.slices.push_back(sliceOf(mark, last, SliceTable::kUnfinished));
  }
  c.marks.clear();
}

}  // namespace ridgeline::build
