#include "core/io/same_recordings.h"

#include <algorithm>

namespace ridgeline {

namespace {

/// Texts of two pools: ids are compared once each, for a name stands at thousands of slices.
class SameTexts {
 public:
  SameTexts(const Trace& a, const Trace& b) : a_(a), b_(b), known_(a.strings().size()) {}

  bool operator()(StringId ofA, StringId ofB) {
    if (!ofA.valid() || !ofB.valid()) return ofA.valid() == ofB.valid();
    StringId& known = known_[ofA.index()];
    if (known.valid()) return known == ofB;
    if (a_.text(ofA) != b_.text(ofB)) return false;
    known = ofB;
    return true;
  }

 private:
  const Trace& a_;
  const Trace& b_;
  std::vector<StringId> known_;
};

template <class Column>
bool equal(const Column& a, const Column& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool sameProcesses(const Trace& a, const Trace& b, SameTexts& same) {
  return std::equal(a.processes().begin(), a.processes().end(), b.processes().begin(),
                    b.processes().end(), [&](const Process& one, const Process& other) {
                      return same(one.pid, other.pid) && same(one.name, other.name) &&
                             same(one.labels, other.labels);
                    });
}

bool sameTracks(const Trace& a, const Trace& b, SameTexts& same) {
  return std::equal(a.tracks().begin(), a.tracks().end(), b.tracks().begin(), b.tracks().end(),
                    [&](const Track& one, const Track& other) {
                      return one.kind == other.kind && same(one.tid, other.tid) &&
                             one.rowCount == other.rowCount;
                    });
}

}  // namespace

bool holdSameEvents(const Trace& a, const Trace& b) {
  const SliceTable& one = a.slices();
  const SliceTable& other = b.slices();
  if (one.size() == 0 || one.size() != other.size() || a.origin() != b.origin() ||
      a.span() != b.span() || a.instants().size() != b.instants().size() ||
      a.info().rank != b.info().rank || a.info().baseTimeNs != b.info().baseTimeNs)
    return false;
  SameTexts same(a, b);
  if (!sameProcesses(a, b, same) || !sameTracks(a, b, same)) return false;
  if (!equal(one.start, other.start) || !equal(one.end, other.end) || !equal(one.row, other.row) ||
      !equal(a.instants().time, b.instants().time))
    return false;
  for (std::size_t i = 0; i < one.size(); ++i)
    if (!same(one.name[i], other.name[i])) return false;
  return true;
}

std::string SameRecording::sentence() const {
  return path + " holds the same events as " + of;
}

std::vector<SameRecording> sameRecordings(const std::vector<std::shared_ptr<const Trace>>& traces) {
  std::vector<SameRecording> copies;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto before = std::find_if(kept.begin(), kept.end(), [&](std::size_t one) {
      return holdSameEvents(*traces[one], *traces[i]);
    });
    if (before == kept.end())
      kept.push_back(i);
    else
      copies.push_back({traces[i]->info().path, traces[*before]->info().path, i, *before});
  }
  return copies;
}

std::vector<SameRecording> takeOutCopies(std::vector<LoadedTrace>& loaded) {
  std::vector<std::shared_ptr<const Trace>> traces;
  for (const LoadedTrace& one : loaded) traces.push_back(one.trace);
  std::vector<SameRecording> copies = sameRecordings(traces);
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy)
    loaded.erase(loaded.begin() + static_cast<std::ptrdiff_t>(copy->place));
  return copies;
}

}  // namespace ridgeline
