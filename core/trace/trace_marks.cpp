#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/base/seeded_hash.h"
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

/// The open marks of one track, or of one async id of a process.
struct Open {
  std::vector<std::uint32_t> marks;
};

/// Pairs marks that are given in time order within what belongs together.
class Pairing {
 public:
  Pairing(Collected& c, const Merged& merged, const Task& task)
      : c_(c), merged_(merged), task_(task), poll_(task) {}

  /// False when the task was cancelled.
  bool run() {
    std::vector<std::uint32_t> order(c_.marks.size());
    if (!sortInTime(order)) return false;
    for (const std::uint32_t i : order) {
      if (poll_.stop()) return false;
      const Mark& mark = c_.marks[i];
      if (!pairNested(open_[(std::uint64_t{groupOf(mark)} << 32) | mark.id.value], i))
        loose_.push_back(i);
    }
    for (const auto& [key, left] : open_)
      unfinished_.insert(unfinished_.end(), left.marks.begin(), left.marks.end());
    std::sort(unfinished_.begin(), unfinished_.end());
    pairAcrossProcesses();
    std::sort(loose_.begin(), loose_.end());
    for (const std::uint32_t i : loose_) dropEnd(i);
    return !task_.cancelled();
  }
  [[nodiscard]] const std::vector<std::uint32_t>& unfinished() const { return unfinished_; }

 private:
  [[nodiscard]] std::uint32_t trackOf(const Mark& mark) const { return merged_.track[mark.track]; }
  [[nodiscard]] bool isAsync(const Mark& mark) const {
    return c_.tracks[trackOf(mark)].kind == TrackKind::async;
  }
  /// B and E belong to a track; async ones begin and end on any thread of a process.
  [[nodiscard]] std::uint32_t groupOf(const Mark& mark) const {
    const std::uint32_t track = trackOf(mark);
    if (!isAsync(mark)) return track;
    return static_cast<std::uint32_t>(c_.tracks.size()) + c_.lanes[c_.tracks[track].lane].process;
  }
  bool sortInTime(std::vector<std::uint32_t>& order) const {
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
      const Mark& x = c_.marks[a];
      const Mark& y = c_.marks[b];
      const std::uint32_t gx = groupOf(x);
      const std::uint32_t gy = groupOf(y);
      return gx != gy ? gx < gy : x.ts < y.ts;
    };
    return stableSort(std::span(order), less, task_);
  }
  void join(std::uint32_t begin, TimeNs end) {
    const std::uint32_t track = trackOf(c_.marks[begin]);
    append(c_, c_.marks[begin], track, end);
    c_.tracks[track].slices += 2;
  }
  bool pairNested(Open& open, std::uint32_t index);
  void pairAcrossProcesses();
  void dropEnd(std::uint32_t index) {
    const Mark& mark = c_.marks[index];
    ++c_.tracks[trackOf(mark)].dropped;
    c_.log.note("end_without_begin", "E events without a B before them were left out", true,
                mark.inputOffset, c_.strings.text(mark.name));
  }

  Collected& c_;
  const Merged& merged_;
  const Task& task_;
  Poll poll_;
  std::unordered_map<std::uint64_t, Open, SeededHash> open_;  ///< by group and id
  std::vector<std::uint32_t> unfinished_;
  std::vector<std::uint32_t> loose_;  ///< ends without a begin
};

/// The innermost open B ends with the next E; false where there is none.
bool Pairing::pairNested(Open& open, std::uint32_t index) {
  const Mark& mark = c_.marks[index];
  if (mark.begin) {
    open.marks.push_back(index);
    return true;
  }
  if (open.marks.empty()) return false;
  // An E that names another open B closes that one: what was opened inside it stays open.
  auto match = open.marks.end() - 1;
  if (!c_.strings.text(mark.name).empty()) {
    const auto far = std::min<std::ptrdiff_t>(kFarthestMatch, std::ssize(open.marks));
    for (auto it = open.marks.end(); it != open.marks.end() - far;)
      if (c_.marks[*--it].name == mark.name) {
        match = it;
        break;
      }
  }
  join(*match, mark.ts);
  open.marks.erase(match);
  return true;
}

/// An async range may end in another process of the same rank: what is left of both kinds is
/// joined as if it were one process, in time order.
void Pairing::pairAcrossProcesses() {
  if (loose_.empty() || unfinished_.empty()) return;
  std::vector<std::uint32_t> left;
  for (const auto* list : {&unfinished_, &loose_})
    for (const std::uint32_t i : *list)
      if (isAsync(c_.marks[i])) left.push_back(i);
  std::sort(left.begin(), left.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(c_.marks[a].ts, a) < std::tie(c_.marks[b].ts, b);
  });
  std::map<std::tuple<std::int64_t, std::uint32_t, std::uint32_t>, Open> open;
  std::vector<bool> joined(c_.marks.size());
  for (const std::uint32_t i : left) {
    if (poll_.stop()) return;
    const Mark& mark = c_.marks[i];
    auto& begun = open[{c_.rankOfTrack(trackOf(mark)), mark.id.value, mark.name.value}].marks;
    if (mark.begin) {
      begun.push_back(i);
    } else if (!begun.empty()) {
      join(begun.back(), mark.ts);
      joined[begun.back()] = joined[i] = true;
      begun.pop_back();
    }
  }
  std::erase_if(loose_, [&](std::uint32_t i) { return joined[i]; });
  std::erase_if(unfinished_, [&](std::uint32_t i) { return joined[i]; });
}

}  // namespace

void pairMarks(Collected& c, const Merged& merged, const Task& task) {
  c.slices.unfinishedFrom = c.slices.size();
  if (c.marks.empty()) return;
  Poll poll(task);
  TimeNs last = c.marks.front().ts;
  for (const Mark& mark : c.marks) last = std::max(last, mark.ts);
  for (std::size_t i = 0; i < c.slices.size() && !poll.stop(); ++i)
    last = std::max(last, c.slices.end[i]);
  Pairing pairing(c, merged, task);
  if (!pairing.run()) return;
  c.slices.unfinishedFrom = c.slices.size();
  for (const std::uint32_t i : pairing.unfinished()) {
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
