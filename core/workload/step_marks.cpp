#include "core/workload/step_marks.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>

namespace ridgeline {

namespace {

bool isRange(const Trace& trace, SliceId s) {
  const Category c = trace.slices().category[s.index()];
  if (c == Category::userAnnotation || c == Category::cpuOp) return true;
  return c == Category::other && trace.categoryText(s).find("nvtx") != std::string_view::npos;
}

std::optional<std::int64_t> trailingNumber(std::string_view name) {
  const std::size_t end = name.find_last_of("0123456789");
  if (end == std::string_view::npos || end + 1 != name.size()) return std::nullopt;
  const std::size_t before = name.find_last_not_of("0123456789");
  const std::size_t at = before == std::string_view::npos ? 0 : before + 1;
  std::int64_t value = 0;
  const auto read = std::from_chars(name.data() + at, name.data() + name.size(), value);
  if (read.ec != std::errc()) return std::nullopt;
  return value;
}

bool endsInDigit(std::string_view name) {
  return !name.empty() && name.back() >= '0' && name.back() <= '9';
}

/// "iteration 12", "step_3", "train[7]" → "iteration", "step", "train".
std::string_view stem(std::string_view name) {
  static constexpr std::string_view kTail = "0123456789#_-:=./[]() ";
  const std::size_t last = name.find_last_not_of(kTail);
  return last == std::string_view::npos ? name : name.substr(0, last + 1);
}

bool isProfilerStep(std::string_view name) {
  static constexpr std::string_view kWord = "ProfilerStep";
  if (name.substr(0, kWord.size()) != kWord) return false;
  const std::size_t mark = name.find_first_not_of(" \t", kWord.size());
  return mark != std::string_view::npos && name[mark] == '#' && endsInDigit(name);
}

constexpr std::string_view kProfilerStep = "ProfilerStep";
/// No range's own name: it ends in a character that `stem` takes away.
constexpr std::string_view kXlaStep = "step_num=";

struct Group {
  std::vector<SliceId> slices;

  [[nodiscard]] TimeNs covered(const SliceTable& s) const {
    TimeNs sum = 0;
    for (const SliceId id : slices) sum += s.duration(id);
    return sum;
  }
};

/// Marks that somebody made for steps may reach into the next one by this share of the shorter of
/// the two: stamps are rounded, and some programs open a mark before they close the last.
constexpr TimeNs kOverlapShare = 20;

/// The slices in start order, if none overlaps the next (by more than 1 / `share` of the shorter
/// one, where that is given); touching ones are fine. What stands twice
/// with the same name and times (a file that was joined with itself) counts once.
bool disjoint(const Trace& trace, std::vector<SliceId>& slices, TimeNs share = 0) {
  const SliceTable& s = trace.slices();
  std::sort(slices.begin(), slices.end(), [&](SliceId a, SliceId b) {
    return s.start[a.index()] != s.start[b.index()] ? s.start[a.index()] < s.start[b.index()]
                                                    : a < b;
  });
  const auto same = [&](SliceId a, SliceId b) {
    return s.span(a) == s.span(b) && s.name[a.index()] == s.name[b.index()];
  };
  slices.erase(std::unique(slices.begin(), slices.end(), same), slices.end());
  for (std::size_t i = 1; i < slices.size(); ++i) {
    const SliceId before = slices[i - 1], after = slices[i];
    const TimeNs overlap = s.end[before.index()] - s.start[after.index()];
    if (overlap <= 0) continue;
    const TimeNs shorter = std::min(s.duration(before), s.duration(after));
    if (share == 0 || overlap > shorter / share) return false;
  }
  return true;
}

/// What a recording is about: from the first to the last device event, or host event without any.
TimeSpan extentOf(const Trace& trace) {
  const SliceTable& s = trace.slices();
  std::optional<TimeSpan> device, host;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const Category c = s.category[i];
    std::optional<TimeSpan>* extent = isDeviceWork(c)                                  ? &device
                                      : c == Category::cpuOp || c == Category::runtime ? &host
                                                                                       : nullptr;
    if (extent == nullptr || trace.isStray({s.start[i], s.end[i]})) continue;
    if (!*extent) *extent = TimeSpan{s.start[i], s.end[i]};
    (*extent)->begin = std::min((*extent)->begin, s.start[i]);
    (*extent)->end = std::max((*extent)->end, s.end[i]);
  }
  return device ? *device : host ? *host : trace.bulk();
}

/// The annotation of one step of a JAX or TensorFlow program.
bool isXlaStep(const Trace& trace, SliceId s) {
  const XlaArgs* args = trace.xlaOf(s);
  return args != nullptr && args->step != EventArgs::kAbsent;
}

/// A device line that XLA's profiler derives: one event a step. The first device that has one.
std::vector<SliceId> stepsLine(const Trace& trace) {
  for (std::size_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::deviceAnnotation || trace.text(track.name) != "Steps") continue;
    std::vector<SliceId> steps;
    for (const Row& row : trace.rowsOf(TrackId(i)))
      for (std::uint32_t s = row.first; s < row.last; ++s) steps.emplace_back(s);
    if (!steps.empty() && disjoint(trace, steps)) return steps;
  }
  return {};
}

/// Whether most device work lies outside of these host spans and nothing says which of them
/// launched it: a program that runs ahead of its device (JAX dispatches asynchronously).
bool runsAhead(const Trace& trace, const std::vector<SliceId>& spans) {
  const SliceTable& s = trace.slices();
  TimeNs inside = 0, all = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (!isDeviceWork(s.category[i])) continue;
    if (trace.launchOf(SliceId(i)).valid()) return false;
    const TimeSpan work = s.span(SliceId(i));
    all += work.length();
    auto at = std::upper_bound(spans.begin(), spans.end(), work.begin,
                               [&](TimeNs t, SliceId span) { return t < s.start[span.index()]; });
    if (at != spans.begin()) --at;
    for (; at != spans.end() && s.start[at->index()] < work.end; ++at)
      inside += work.clippedTo(s.span(*at)).length();
  }
  return inside * 2 < all;
}

using Groups = std::map<std::pair<TrackId, std::string_view>, Group>;

Groups groupRanges(const Trace& trace) {
  Groups groups;
  const SliceTable& s = trace.slices();
  for (std::size_t i = 0; i < s.size(); ++i) {
    const SliceId id(i);
    const bool range = isRange(trace, id);
    // By a damaged time, hours from everything else.
    if (trace.isStray(s.span(id))) continue;
    // Profilers of other devices write PyTorch's step marks without a category.
    if (!range && s.category[i] != Category::other) continue;
    const std::string_view name = trace.name(id);
    const bool marked = isProfilerStep(name);
    if (!range && !marked) continue;
    // Operators repeat too, but they are no steps: of them only ProfilerStep counts, which old
    // traces record as one.
    if (!marked && s.category[i] == Category::cpuOp) continue;
    const bool xla = !marked && isXlaStep(trace, id);
    Group& group = groups[{trace.trackOf(id), marked ? kProfilerStep
                                              : xla  ? kXlaStep
                                                     : stem(name)}];
    group.slices.push_back(id);
  }
  return groups;
}

const Group* bestRepeating(const Trace& trace, Groups& groups, std::string_view& name) {
  const TimeSpan extent = extentOf(trace);
  const Group* best = nullptr;
  TimeNs bestCovered = 0;
  for (auto& [key, group] : groups) {
    if (group.slices.size() < 3 || !disjoint(trace, group.slices)) continue;
    if (group.slices.size() < 3) continue;  // without copies
    const TimeNs covered = group.covered(trace.slices());
    const TimeSpan whole{trace.slices().start[group.slices.front().index()],
                         trace.slices().end[group.slices.back().index()]};
    const bool dense = covered * 2 > whole.length();
    const bool most = whole.clippedTo(extent).length() * 2 > extent.length();
    if (!dense || !most) continue;
    // Of several that qualify the outermost one is the iteration.
    if (best != nullptr && covered <= bestCovered) continue;
    best = &group;
    bestCovered = covered;
    name = key.second;
  }
  return best;
}

}  // namespace

StepMarks findStepMarks(const Trace& trace) {
  Groups groups = groupRanges(trace);
  StepMarks marks;
  const Group* chosen = nullptr;
  for (auto& [key, group] : groups) {
    if (key.second != kProfilerStep && key.second != kXlaStep) continue;
    if (!disjoint(trace, group.slices, kOverlapShare)) {
      marks.overlapping = std::max(marks.overlapping, group.slices.size());
      continue;
    }
    if (chosen == nullptr || group.slices.size() > chosen->slices.size()) {
      chosen = &group;
      marks.source = key.second == kXlaStep ? "step annotations of the program (step_num)"
                                            : "ProfilerStep annotations";
    }
  }
  Group line;
  const bool ahead = chosen != nullptr && !trace.xla().empty() && runsAhead(trace, chosen->slices);
  if (chosen == nullptr || ahead) {
    line.slices = stepsLine(trace);
    if (!line.slices.empty()) {
      chosen = &line;
      marks.source = "the Steps line of a device";
    }
  }
  if (chosen == nullptr) {
    std::string_view name;
    chosen = bestRepeating(trace, groups, name);
    if (chosen != nullptr)
      marks.source = "range \"" + std::string(name) + "\", " +
                     std::to_string(chosen->slices.size()) + " times";
  }
  if (chosen == nullptr) return marks;
  marks.annotations = chosen->slices;
  for (std::size_t i = 0; i < marks.annotations.size(); ++i) {
    const auto number = isXlaStep(trace, marks.annotations[i])
                            ? std::optional(trace.xlaOf(marks.annotations[i])->step)
                            : trailingNumber(trace.name(marks.annotations[i]));
    if (number) marks.numbers.push_back(*number);
  }
  // A number that is in no name, or beyond 64 bits in one, cannot be made up among the others.
  if (marks.numbers.size() < marks.annotations.size()) {
    marks.numbers.resize(marks.annotations.size());
    std::iota(marks.numbers.begin(), marks.numbers.end(), 0);
  }
  return marks;
}

}  // namespace ridgeline
