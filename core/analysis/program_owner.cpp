#include "core/analysis/program_owner.h"

#include <algorithm>

namespace ridgeline {

namespace {

/// "jit_train_step(17)" → "jit_train_step": XLA's lines of modules add the number of the program.
std::string_view withoutNumber(std::string_view module) {
  const std::size_t open = module.rfind('(');
  return open == std::string_view::npos || module.back() != ')' ? module : module.substr(0, open);
}

}  // namespace

ProgramOwner::ProgramOwner(const Workload& w) : w_(w) {
  unmarked_.name = "kernels that Inductor named, outside any recorded region";
  markNames();
  const Trace& trace = *w.trace;
  moduleLines_.resize(trace.processes().size());
  for (std::size_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (trace.text(track.name) == "XLA Modules" && track.process.valid())
      moduleLines_[track.process.index()] = TrackId(i);
  }
  findSpilled();
  nameGraphs();
}

void ProgramOwner::markNames() {
  const StringPool& strings = w_.trace->strings();
  marks_.resize(strings.size(), CompiledMark::none);
  for (std::size_t i = 0; i < strings.size(); ++i) {
    marks_[i] = compiledMarkOf(strings.text(StringId(i)));
    anyMark_ = anyMark_ || marks_[i] != CompiledMark::none;
  }
}

void ProgramOwner::findSpilled() {
  if (!anyMark_) return;
  const Trace& trace = *w_.trace;
  const SliceTable& s = trace.slices();
  for (std::size_t i = 0; i < s.size(); ++i) {
    const SliceId id(i);
    if (markOf(id) != CompiledMark::fxGraph || !trace.rowOf(id).spill) continue;
    spilled_[trace.trackOf(id)].push_back(id);
  }
  for (auto& [track, marks] : spilled_)
    std::sort(marks.begin(), marks.end(),
              [&](SliceId a, SliceId b) { return s.start[a.index()] < s.start[b.index()]; });
}

SliceId ProgramOwner::spilledAt(TrackId track, TimeNs t) const {
  const auto found = spilled_.find(track);
  if (found == spilled_.end()) return {};
  const SliceTable& s = w_.trace->slices();
  const auto& marks = found->second;
  auto at = std::upper_bound(marks.begin(), marks.end(), t, [&](TimeNs time, SliceId mark) {
    return time < s.start[mark.index()];
  });
  // Calls of graphs hold few others: whoever began long before is over.
  for (int looked = 0; at != marks.begin() && looked < 8; ++looked)
    if (const SliceId mark = *--at; t < s.end[mark.index()]) return mark;
  return {};
}

/// Replays of one graph are told by its recorded number, else by the same kernels in the same
/// order; looked at in the whole recording, so that no window cuts a replay.
void ProgramOwner::nameGraphs() {
  if (!anyMark_) return;
  const Trace& trace = *w_.trace;
  const SliceTable& s = trace.slices();
  std::map<SliceId, std::vector<SliceId>> replays;
  for (const SliceId work : w_.deviceWork) {
    const SliceId launch = trace.launchOf(work);
    if (launch.valid() && markOf(launch) == CompiledMark::graphLaunch)
      replays[launch].push_back(work);
  }
  std::map<std::vector<std::uint32_t>, std::size_t> numbers;
  for (const auto& [launch, work] : replays) {
    const auto recorded = s.graphId.get(work.front());
    if (recorded && *recorded > 0) {
      graphNames_[launch] = "graph " + std::to_string(*recorded);
      continue;
    }
    std::vector<std::uint32_t> signature;
    signature.reserve(work.size());
    for (const SliceId piece : work) signature.push_back(s.name[piece.index()].value);
    const std::size_t number =
        numbers.emplace(std::move(signature), numbers.size() + 1).first->second;
    graphNames_[launch] = "graph #" + std::to_string(number) + " of " +
                          std::to_string(work.size()) + (work.size() == 1 ? " piece" : " pieces");
  }
}

ProgramOwner::Found ProgramOwner::above(SliceId host) const {
  const Trace& trace = *w_.trace;
  const SliceTable& s = trace.slices();
  Found found;
  bool ofFunction = false;
  for (SliceId at = host; at.valid(); at = s.parent[at.index()]) {
    const CompiledMark mark = markOf(at);
    if (mark == CompiledMark::none || mark == CompiledMark::graphLaunch) continue;
    if (mark == CompiledMark::region && found.owner.region.empty())
      found.owner.region = trace.name(at);
    // A region's name tells more than the "CompiledFunction" that it runs.
    const bool better = ofFunction && mark == CompiledMark::region;
    if (found.any && !better) continue;
    ofFunction = mark == CompiledMark::function;
    found.any = true;
    found.owner.kind = mark == CompiledMark::fxGraph ? ProgramKind::fxGraph : ProgramKind::region;
    found.owner.name = compiledMarkLabel(trace.name(at));
    found.owner.run = at;
  }
  if (found.owner.kind != ProgramKind::fxGraph || !found.any)
    if (const SliceId mark = spilledAt(trace.trackOf(host), s.start[host.index()]); mark.valid()) {
      found.any = true;
      found.owner.kind = ProgramKind::fxGraph;
      found.owner.name = compiledMarkLabel(trace.name(mark));
      found.owner.run = mark;
    }
  if (found.owner.kind == ProgramKind::region) found.owner.region.clear();
  return found;
}

ProgramOwner::Found ProgramOwner::ofLaunch(SliceId launch) const {
  const Trace& trace = *w_.trace;
  SliceId at = launch;
  if (!trace.slices().parent[launch.index()].valid())
    at = trace.innermostAt(trace.trackOf(launch), trace.slices().start[launch.index()]);
  Found found = above(at.valid() ? at : launch);
  if (markOf(launch) != CompiledMark::graphLaunch) return found;
  const auto name = graphNames_.find(launch);
  if (name == graphNames_.end()) return found;
  if (found.owner.region.empty() && found.owner.kind == ProgramKind::region)
    found.owner.region = found.owner.name;
  found.any = true;
  found.owner.kind = ProgramKind::deviceGraph;
  found.owner.name = name->second;
  found.owner.run = launch;
  return found;
}

const ProgramOwner::Owner* ProgramOwner::ofModule(SliceId work) {
  const Trace& trace = *w_.trace;
  const SliceTable& s = trace.slices();
  StringId module;
  SliceId run;
  if (const ProcessId process = trace.track(trace.trackOf(work)).process;
      process.valid() && moduleLines_[process.index()].valid()) {
    run = trace.innermostAt(moduleLines_[process.index()], s.start[work.index()]);
    if (run.valid()) module = s.name[run.index()];
  }
  if (!module.valid()) {
    const XlaArgs* xla = trace.xlaOf(work);
    const SliceId launch = trace.launchOf(work);
    if ((xla == nullptr || !xla->module.valid()) && launch.valid()) xla = trace.xlaOf(launch);
    if (xla == nullptr || !xla->module.valid()) return nullptr;
    module = xla->module;
  }
  const auto [it, isNew] = modules_.try_emplace({module, run});
  if (isNew) {
    it->second.kind = ProgramKind::xlaModule;
    it->second.name = withoutNumber(trace.text(module));
    it->second.run = run;
  }
  return &it->second;
}

const ProgramOwner::Owner* ProgramOwner::keep(SliceId key, Found found) {
  Found& kept = byHost_[key];
  kept = std::move(found);
  return kept.any ? &kept.owner : nullptr;
}

const ProgramOwner::Owner* ProgramOwner::of(SliceId work) {
  if (const Owner* module = ofModule(work)) return module;
  const Trace& trace = *w_.trace;
  const auto unmarked = [&]() -> const Owner* {
    return inductorName(trace.name(work)) ? &unmarked_ : nullptr;
  };
  if (!anyMark_) return unmarked();
  const auto ask = [&](SliceId host, bool launch) -> const Owner* {
    if (!host.valid()) return nullptr;
    if (const auto known = byHost_.find(host); known != byHost_.end())
      return known->second.any ? &known->second.owner : nullptr;
    return keep(host, launch ? ofLaunch(host) : above(host));
  };
  if (const Owner* owner = ask(trace.launchOf(work), true)) return owner;
  if (const Owner* owner = ask(w_.opOf[work.index()], false)) return owner;
  return unmarked();
}

}  // namespace ridgeline
