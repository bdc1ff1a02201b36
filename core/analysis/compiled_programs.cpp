#include "core/analysis/compiled_programs.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <nlohmann/json.hpp>

#include "core/analysis/compile_time.h"
#include "core/analysis/device_sweep.h"
#include "core/analysis/program_owner.h"
#include "core/base/duration_text.h"
#include "core/base/share_text.h"

namespace ridgeline {

namespace {

/// Collects device events by program, kernel and run.
class Collecting {
 public:
  explicit Collecting(const Workload& w) : w_(w), owners_(w) {}

  void add(SliceId work, TimeNs inWindow, bool isNew) {
    const ProgramOwner::Owner* owner = owners_.of(work);
    if (owner == nullptr) return;
    const std::size_t p = programOf(*owner);
    const std::size_t k = kernelOf(p, work);
    CompiledKernel& kernel = programs[p].kernels[k];
    kernel.total += inWindow;
    if (isNew) {
      ++kernel.calls;
      kernel.instances.push_back(work);
    }
    if (!owner->run.valid()) return;
    const auto [it, newRun] = runs_.try_emplace({p, owner->run}, programs[p].runs.size());
    if (newRun) programs[p].runs.push_back({owner->run, 0, 0});
    ProgramRun& run = programs[p].runs[it->second];
    run.pieces += isNew ? 1 : 0;
    run.total += inWindow;
  }

  std::vector<CompiledProgram> programs;

 private:
  std::size_t programOf(const ProgramOwner::Owner& owner) {
    if (const auto known = byOwner_.find(&owner); known != byOwner_.end()) return known->second;
    const auto [it, isNew] =
        programs_.try_emplace({owner.kind, owner.name, owner.region}, programs.size());
    if (isNew) {
      CompiledProgram program;
      program.kind = owner.kind;
      program.name = owner.name;
      program.region = owner.region;
      programs.push_back(std::move(program));
    }
    byOwner_.emplace(&owner, it->second);
    return it->second;
  }

  const XlaArgs* xlaOf(SliceId work) const {
    const Trace& trace = *w_.trace;
    if (const XlaArgs* xla = trace.xlaOf(work)) return xla;
    const SliceId launch = trace.launchOf(work);
    return launch.valid() ? trace.xlaOf(launch) : nullptr;
  }

  std::size_t kernelOf(std::size_t p, SliceId work) {
    const Trace& trace = *w_.trace;
    const StringId name = trace.slices().name[work.index()];
    const XlaArgs* xla = xlaOf(work);
    const auto [it, isNew] = kernels_.try_emplace({p, name, xla == nullptr ? StringId() : xla->op,
                                                   xla == nullptr ? StringId() : xla->frameworkOp},
                                                  programs[p].kernels.size());
    if (isNew) {
      CompiledKernel kernel;
      kernel.name = name;
      if (auto inductor = inductorName(trace.text(name))) {
        kernel.kind = std::move(inductor->kind);
        kernel.sourceOps = std::move(inductor->ops);
      } else if (xla != nullptr && !trace.text(xla->frameworkOp).empty()) {
        kernel.sourceOps.emplace_back(trace.text(xla->frameworkOp));
      }
      if (xla != nullptr) kernel.instruction = trace.text(xla->op);
      programs[p].kernels.push_back(std::move(kernel));
    }
    return it->second;
  }

  const Workload& w_;
  ProgramOwner owners_;
  std::unordered_map<const ProgramOwner::Owner*, std::size_t> byOwner_;
  std::map<std::tuple<ProgramKind, std::string, std::string>, std::size_t> programs_;
  std::map<std::tuple<std::size_t, StringId, StringId, StringId>, std::size_t> kernels_;
  std::map<std::pair<std::size_t, SliceId>, std::size_t> runs_;
};

void readSource(const Workload& w, CompiledKernel& kernel) {
  const Trace& trace = *w.trace;
  const SliceId first = kernel.instances.front();
  const SliceId op = w.opOf[first.index()];
  for (const SliceId slice : {op, first}) {
    if (!slice.valid() || trace.slices().argsLength[slice.index()] == 0) continue;
    const auto args = trace.readArgs(slice);
    if (!args.ok()) continue;
    const auto json = nlohmann::json::parse(args.value(), nullptr, false);
    if (!json.is_object()) continue;
    const auto take = [&](const char* key, std::string& to) {
      const auto it = json.find(key);
      if (to.empty() && it != json.end() && it->is_string()) to = it->get<std::string>();
    };
    take("kernel_backend", kernel.backend);
    take("kernel_file", kernel.file);
    take("kernel_hash", kernel.hash);
    take("source", kernel.sourceLine);
  }
}

void finish(const Workload& w, CompiledPrograms& result) {
  const SliceTable& s = w.trace->slices();
  const auto whole = static_cast<double>(std::max<TimeNs>(result.deviceTotal, 1));
  const auto larger = [](const auto& a, const auto& b) { return a.total > b.total; };
  std::vector<CompiledKernel*> read;
  for (CompiledProgram& program : result.programs) {
    for (CompiledKernel& kernel : program.kernels) {
      program.calls += kernel.calls;
      program.total += kernel.total;
      kernel.share = static_cast<double>(kernel.total) / whole;
    }
    program.share = static_cast<double>(program.total) / whole;
    result.total += program.total;
    std::stable_sort(program.kernels.begin(), program.kernels.end(), larger);
    std::stable_sort(program.runs.begin(), program.runs.end(), [&](const auto& a, const auto& b) {
      return s.start[a.mark.index()] < s.start[b.mark.index()];
    });
  }
  std::stable_sort(result.programs.begin(), result.programs.end(), larger);
  for (CompiledProgram& program : result.programs)
    for (CompiledKernel& kernel : program.kernels)
      if (!kernel.instances.empty()) read.push_back(&kernel);
  std::stable_sort(read.begin(), read.end(),
                   [](const auto* a, const auto* b) { return a->total > b->total; });
  if (read.size() > kMostRead) read.resize(kMostRead);
  for (CompiledKernel* kernel : read) readSource(w, *kernel);
}

std::string compileSentence(const Workload& w, const CompiledPrograms& result) {
  if (result.compiling.empty()) return {};
  std::string text = " Compiling, loading and tuning code took the host " +
                     durationText(result.compileTotal) + " in " +
                     counted(result.compiling.size(), "stretch");
  if (result.compiling.size() != 1) text.insert(text.size() - 1, "e");
  if (result.compileSteps.empty()) return text + ", in no step.";
  std::size_t left = 0;
  for (const CompileStep& step : result.compileSteps)
    left += w.steps.steps[step.step].steady ? 0 : 1;
  const std::size_t all = result.compileSteps.size();
  text += ", in " + counted(all, "step");
  if (left == 0) return text + (all == 1 ? ", which stays in." : ", which stay in.");
  if (left == all) return text + ", left out of the steady steps.";
  return text + ", " + std::to_string(left) + " of which " + (left == 1 ? "is" : "are") +
         " left out of the steady steps.";
}

void say(const Workload& w, CompiledPrograms& result) {
  if (result.programs.empty() && result.compiling.empty()) {
    result.missing =
        "No compiled code in this window. Regions of torch.compile with the kernels that Inductor "
        "made of them, CUDA and HIP graphs with what each replay starts, XLA modules, and the time "
        "that compiling takes would show here.";
    return;
  }
  if (result.programs.empty()) {
    result.sentence = "No compiled program ran in " + result.window.label + ".";
  } else {
    const CompiledProgram& first = result.programs.front();
    const auto whole = static_cast<double>(std::max<TimeNs>(result.deviceTotal, 1));
    result.sentence = counted(result.programs.size(), "compiled program") +
                      (result.programs.size() == 1 ? " takes " : " take ") +
                      percentText(static_cast<double>(result.total) / whole, true) +
                      " of device time in " + result.window.label + "; the largest, " + first.name +
                      " (" + std::string(name(first.kind)) + "), " +
                      percentText(first.share, true) + ".";
  }
  result.sentence += compileSentence(w, result);
}

}  // namespace

std::string_view name(ProgramKind kind) {
  switch (kind) {
    case ProgramKind::fxGraph:
      return "Inductor graph";
    case ProgramKind::region:
      return "compiled region";
    case ProgramKind::deviceGraph:
      return "device graph";
    case ProgramKind::xlaModule:
      return "XLA module";
    case ProgramKind::unmarked:
      return "unmarked";
  }
  return "";
}

CompiledPrograms compiledPrograms(const Workload& w, const AnalysisWindow& window) {
  const SliceTable& s = w.trace->slices();
  CompiledPrograms result;
  result.window = window;
  Collecting collecting(w);
  for (const auto& events : w.deviceWorkOf) {
    const WorkInTime work(s, events);
    for (std::size_t k = 0; k < window.spans.size(); ++k) {
      const TimeSpan span = window.spans[k];
      work.forEachIn(span, [&](SliceId id) {
        const TimeNs length = s.span(id).clippedTo(span).length();
        result.deviceTotal += length;
        // What reaches over the border between two spans is one call.
        const bool isNew = k == 0 || s.start[id.index()] >= window.spans[k - 1].end;
        collecting.add(id, length, isNew);
      });
    }
  }
  result.programs = std::move(collecting.programs);
  findCompileTime(w, result);
  finish(w, result);
  say(w, result);
  return result;
}

}  // namespace ridgeline
