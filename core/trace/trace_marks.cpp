#include <algorithm>
#include <unordered_map>

#include "core/base/stable_sort.h"
#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

namespace {

using Mark = EventBatch::Mark;

/// How many open ranges are searched for the one that an E names; a hostile file has millions.
constexpr std::ptrdiff_t kFarthestMatch = 4096;

void append(Collected& c, const Mark& begin, std::uint32_t track, TimeNs end) {
  RawSlices& s = c.slices;
  s.start.push_back(begin.ts);
  s.end.push_back(std::max(begin.ts, end));
  s.argsOffset.push_back(begin.args.offset);
  s.argsLength.push_back(begin.args.length);
  s.track.push_back(track);
  s.name.push_back(begin.name.value);
  s.shape.push_back(kNone);
  s.category.push_back(begin.category);
}

/// The open marks of one track, or of one async id of a track.
struct Open {
  std::vector<std::uint32_t> marks;
};

/// B/E of one track: the innermost open B ends with the next E.
void pairNested(Collected& c, Open& open, std::uint32_t index, std::uint32_t track) {
  const Mark& mark = c.marks[index];
  if (mark.begin) {
    open.marks.push_back(index);
    return;
  }
  if (open.marks.empty()) {
    ++c.tracks[track].dropped;
    c.log.note("end_without_begin", "E events without a B before them were left out", true,
               mark.inputOffset, c.strings.text(mark.name));
    return;
  }
  // An E that names another open B closes that one: what was opened inside it stays open.
  auto match = open.marks.end() - 1;
  if (!c.strings.text(mark.name).empty()) {
    const auto far = std::min<std::ptrdiff_t>(kFarthestMatch, std::ssize(open.marks));
    for (auto it = open.marks.end(); it != open.marks.end() - far;)
      if (c.marks[*--it].name == mark.name) {
        match = it;
        break;
      }
  }
  append(c, c.marks[*match], track, mark.ts);
  open.marks.erase(match);
  c.tracks[track].slices += 2;
}

}  // namespace

void pairMarks(Collected& c, const Merged& merged, const Task& task) {
  c.slices.unfinishedFrom = c.slices.size();
  if (c.marks.empty()) return;
  std::vector<std::uint32_t> order(c.marks.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    const Mark& x = c.marks[a];
    const Mark& y = c.marks[b];
    const std::uint32_t tx = merged.track[x.track];
    const std::uint32_t ty = merged.track[y.track];
    return tx != ty ? tx < ty : x.ts < y.ts;
  };
  if (!stableSort(std::span(order), less, task)) return;
  Poll poll(task);
  TimeNs last = c.marks[order.front()].ts;
  for (const Mark& mark : c.marks) last = std::max(last, mark.ts);
  for (std::size_t i = 0; i < c.slices.size() && !poll.stop(); ++i)
    last = std::max(last, c.slices.end[i]);

  std::unordered_map<std::uint64_t, Open> open;  // by track, or track and id
  for (const std::uint32_t i : order) {
    if (poll.stop()) return;
    const Mark& mark = c.marks[i];
    const std::uint32_t track = merged.track[mark.track];
    pairNested(c, open[(std::uint64_t{track} << 32) | mark.id.value], i, track);
  }
  std::vector<std::uint32_t> unfinished;
  for (const auto& [key, left] : open)
    unfinished.insert(unfinished.end(), left.marks.begin(), left.marks.end());
  std::sort(unfinished.begin(), unfinished.end());
  c.slices.unfinishedFrom = c.slices.size();
  for (const std::uint32_t i : unfinished) {
    if (poll.stop()) return;
    const Mark& mark = c.marks[i];
    const std::uint32_t track = merged.track[mark.track];
    ++c.tracks[track].slices;
    ++c.log.repaired;
    c.log.note("begin_without_end", "B events without an E were drawn to the end of the recording",
               false, mark.inputOffset, c.strings.text(mark.name));
    append(c, mark, track, last);
  }
  c.marks.clear();
  c.marks.shrink_to_fit();
}

}  // namespace ridgeline::build
