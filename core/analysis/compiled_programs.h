#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/window.h"
#include "core/workload/compiled_names.h"

namespace ridgeline {

/// What kind of compiled code a program is, by how the recording marks it.
enum class ProgramKind : std::uint8_t {
  fxGraph,      ///< a graph that Inductor compiled ("## Call CompiledFxGraph KEY ##")
  region,       ///< a frame that torch.compile took over, where no such call is recorded inside
  deviceGraph,  ///< a CUDA or HIP graph, replayed by one call
  xlaModule,    ///< an HLO module ("jit_train_step")
  unmarked,     ///< kernels that Inductor named, launched outside any of these marks
};
[[nodiscard]] std::string_view name(ProgramKind kind);

/// One kernel of a program, with what is known of its source. Files, hashes and lines are read from
/// the args of its first instance (of its operator where it has one), for the kMostRead kernels of
/// the most device time; empty where the recording holds none.
struct CompiledKernel {
  StringId name;
  std::string kind;                    ///< InductorName::kind; empty: not of Inductor
  std::vector<std::string> sourceOps;  ///< of the name, or XLA's framework op; empty: not told
  std::string instruction;             ///< hlo_op: "fusion.12"
  std::string backend, file, hash;     ///< kernel_backend, kernel_file, kernel_hash
  std::string sourceLine;              ///< XLA's source: "model.py:12"
  std::uint64_t calls = 0;             ///< within the window
  TimeNs total = 0;                    ///< Σ durations within the window, overlaps counted each
  double share = 0;                    ///< of all device time in the window
  std::vector<SliceId> instances;      ///< in the window, by device and start
};

/// One run of a program: the host range or call, or the module's range on the device (TPU).
struct ProgramRun {
  SliceId mark;
  std::uint64_t pieces = 0;  ///< kernels, copies, sets of it within the window
  TimeNs total = 0;          ///< Σ of their durations within the window
};

struct CompiledProgram {
  ProgramKind kind = ProgramKind::unmarked;
  std::string name;    ///< the graph's key, the region, "graph 3", the module
  std::string region;  ///< the Torch-Compiled Region around it; empty: none recorded
  /// By start of the mark. Empty where the recording marks none (XLA on GPUs, unmarked kernels).
  std::vector<ProgramRun> runs;
  std::vector<CompiledKernel> kernels;  ///< by total, largest first
  std::uint64_t calls = 0;              ///< Σ over kernels
  TimeNs total = 0;
  double share = 0;  ///< of all device time in the window
};

/// A stretch of compilation, code loading or autotuning on the host; the outermost one is taken.
struct CompileSpan {
  SliceId slice;
  bool tuning = false;
  std::optional<std::size_t> step;  ///< the step whose annotation it starts in
};

/// Compilation within one step; `Step::why` says why the step is left out.
struct CompileStep {
  std::size_t step = 0;
  std::uint64_t spans = 0;
  TimeNs total = 0;
};

/// Source op ↔ compiled kernel ↔ instance. A device event belongs to at most one program: to its
/// HLO module, else to the graph launch that started it, else to the innermost mark around its
/// launch. What belongs to none ran as it was written.
struct CompiledPrograms {
  AnalysisWindow window;
  std::vector<CompiledProgram> programs;  ///< by total, largest first
  TimeNs total = 0;                       ///< Σ over programs
  TimeNs deviceTotal = 0;                 ///< Σ of all device events in the window
  std::vector<CompileSpan> compiling;     ///< of the whole recording, by start
  std::vector<CompileStep> compileSteps;  ///< by step
  TimeNs compileTotal = 0;                ///< Σ of `compiling`; threads counted each
  std::string sentence;                   ///< what matters; empty where nothing is compiled
  std::string missing;                    ///< why there is nothing, and what would show
};

inline constexpr std::size_t kMostRead = 256;

[[nodiscard]] CompiledPrograms compiledPrograms(const Workload& w, const AnalysisWindow& window);

}  // namespace ridgeline
