#include <algorithm>
#include <functional>
#include <tuple>
#include <vector>

#include "core/base/id_table.h"
#include "core/base/seeded_hash.h"
#include "core/base/stable_sort.h"
#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

namespace {

using Mark = EventBatch::Mark;

/// How many open ranges are searched for the one that an E names; a hostile file has millions.
constexpr int kFarthestMatch = 4096;

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

/// Open marks, those that belong together (of one track, of one async id of a process) on one
/// stack. The stacks are chains through one column: a file may have a million of them.
class OpenMarks {
 public:
  struct Key {
    std::int64_t group;
    std::uint32_t id, name;
    bool operator==(const Key&) const = default;
  };
  explicit OpenMarks(std::size_t marks) : below_(marks) {}

  /// The stack's innermost mark; kNone where none is open. Good until the next call.
  std::uint32_t& top(const Key& key) {
    const std::uint64_t hash =
        mixHash(mixHash(static_cast<std::uint64_t>(key.group), key.id), key.name);
    const std::uint32_t stack = table_.findOrAdd(
        hash, keys_.size(), [&](std::uint32_t other) { return keys_[other] == key; });
    if (stack == keys_.size()) {
      keys_.push_back(key);
      tops_.push_back(kNone);
    }
    return tops_[stack];
  }
  void push(std::uint32_t& top, std::uint32_t mark) {
    below_[mark] = top;
    top = mark;
  }
  [[nodiscard]] std::uint32_t& below(std::uint32_t mark) { return below_[mark]; }
  [[nodiscard]] const std::vector<std::uint32_t>& tops() const { return tops_; }

 private:
  IdTable table_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> tops_;
  ColumnVector<std::uint32_t> below_;  ///< by mark that is open: the one that encloses it
};

/// Pairs marks that are given in time order within what belongs together.
class Pairing {
 public:
  Pairing(Collected& c, const Merged& merged, const Task& task)
      : c_(c), merged_(merged), task_(task), poll_(task), open_(c.marks.size()) {}

  /// False when the task was cancelled.
  bool run() {
    std::vector<std::uint32_t> order(c_.marks.size());
    if (!sortInTime(order)) return false;
    for (const std::uint32_t i : order) {
      if (poll_.stop()) return false;
      const Mark& mark = c_.marks[i];
      if (!pairNested(open_.top({groupOf(mark), mark.id.value, 0}), i)) loose_.push_back(i);
    }
    for (const std::uint32_t top : open_.tops())
      for (std::uint32_t left = top; left != kNone; left = open_.below(left)) {
        if (poll_.stop()) return false;
        unfinished_.push_back(left);
      }
    if (!stableSort(std::span(unfinished_), std::less<>(), task_)) return false;
    if (!pairAcrossProcesses()) return false;
    if (!stableSort(std::span(loose_), std::less<>(), task_)) return false;
    for (const std::uint32_t i : loose_) {
      if (poll_.stop()) return false;
      dropEnd(i);
    }
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
  bool pairNested(std::uint32_t& top, std::uint32_t index);
  bool pairAcrossProcesses();
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
  OpenMarks open_;
  std::vector<std::uint32_t> unfinished_;
  std::vector<std::uint32_t> loose_;  ///< ends without a begin
};

/// The innermost open B ends with the next E; false where there is none.
bool Pairing::pairNested(std::uint32_t& top, std::uint32_t index) {
  const Mark& mark = c_.marks[index];
  if (mark.begin) {
    open_.push(top, index);
    return true;
  }
  if (top == kNone) return false;
  // An E that names another open B closes that one: what was opened inside it stays open.
  std::uint32_t* match = &top;
  if (!c_.strings.text(mark.name).empty()) {
    std::uint32_t* at = &top;
    for (int i = 0; i < kFarthestMatch && *at != kNone; ++i, at = &open_.below(*at))
      if (c_.marks[*at].name == mark.name) {
        match = at;
        break;
      }
  }
  join(*match, mark.ts);
  *match = open_.below(*match);
  return true;
}

/// An async range may end in another process of the same rank: what is left of both kinds is
/// joined as if it were one process, in time order. False when the task was cancelled.
bool Pairing::pairAcrossProcesses() {
  if (loose_.empty() || unfinished_.empty()) return true;
  std::vector<std::uint32_t> left;
  for (const auto* list : {&unfinished_, &loose_})
    for (const std::uint32_t i : *list)
      if (isAsync(c_.marks[i])) left.push_back(i);
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(c_.marks[a].ts, a) < std::tie(c_.marks[b].ts, b);
  };
  if (!stableSort(std::span(left), less, task_)) return false;
  OpenMarks open(c_.marks.size());
  std::vector<bool> joined(c_.marks.size());
  for (const std::uint32_t i : left) {
    if (poll_.stop()) return false;
    const Mark& mark = c_.marks[i];
    std::uint32_t& top = open.top({c_.rankOfTrack(trackOf(mark)), mark.id.value, mark.name.value});
    if (mark.begin) {
      open.push(top, i);
    } else if (top != kNone) {
      join(top, mark.ts);
      joined[top] = joined[i] = true;
      top = open.below(top);
    }
  }
  std::erase_if(loose_, [&](std::uint32_t i) { return joined[i]; });
  std::erase_if(unfinished_, [&](std::uint32_t i) { return joined[i]; });
  return true;
}

}  // namespace

void pairMarks(Collected& c, const Merged& merged, const Task& task) {
  c.slices.unfinishedFrom = c.slices.size();
  if (c.marks.empty()) return;
  Poll poll(task);
  TimeNs last = c.marks[0].ts;
  for (std::size_t i = 0; i < c.marks.size() && !poll.stop(); ++i)
    last = std::max(last, c.marks[i].ts);
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
}

}  // namespace ridgeline::build
