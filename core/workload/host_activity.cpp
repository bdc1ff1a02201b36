#include "core/workload/host_activity.h"

#include <algorithm>
#include <span>

namespace ridgeline {

namespace {

bool startsWithAny(std::string_view name, std::span<const std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view p) { return name.substr(0, p.size()) == p; });
}

bool containsAny(std::string_view name, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view w) { return name.find(w) != std::string_view::npos; });
}

/// "cudaMalloc_v3020", "cuMemAlloc_v2" → without the API version.
std::string_view withoutVersion(std::string_view name) {
  const std::size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at + 2 >= name.size()) return name;
  const std::string_view digits = name.substr(at + 2);
  return digits.find_first_not_of("0123456789") == std::string_view::npos ? name.substr(0, at)
                                                                          : name;
}

/// "cuda", "hip", "cu" removed, so that one list serves both vendors; empty if it has no such
/// start.
std::string_view vendorCall(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip", "cu", "mc", "musa"})
    if (name.substr(0, prefix.size()) == prefix) return name.substr(prefix.size());
  return {};
}

bool isAllocationCall(std::string_view name) {
  static constexpr std::string_view kCalls[] = {
      "Malloc",         "Free",       "HostAlloc",    "HostRegister",
      "HostUnregister", "HostMalloc", "HostFree",     "MemAlloc",
      "MemFree",        "MemGetInfo", "MemMap",       "MemUnmap",
      "MemCreate",      "MemRelease", "MemSetAccess", "MemAddressReserve",
      "MemAddressFree", "ExtMalloc",  "MemPool",      "MemHostAlloc"};
  static constexpr std::string_view kXpu[] = {
      "zeMemAlloc",       "zeMemFree", "urUSMDeviceAlloc",    "urUSMHostAlloc",
      "urUSMSharedAlloc", "urUSMFree", "piextUSMDeviceAlloc", "piextUSMFree"};
  return startsWithAny(vendorCall(name), kCalls) || startsWithAny(name, kXpu);
}

bool isModuleCall(std::string_view name) {
  static constexpr std::string_view kWords[] = {"ModuleLoad",
                                                "LibraryLoad",
                                                "Lazy Function Loading",
                                                "nvrtcCompile",
                                                "hiprtcCompile",
                                                "cuLink",
                                                "hipLink",
                                                "zeModuleCreate",
                                                "urProgramBuild",
                                                "piProgramBuild",
                                                "urProgramCompile",
                                                "urProgramLink",
                                                "Runtime Initialization",
                                                "__cudaRegister"};
  return containsAny(name, kWords);
}

/// What Triton's compiler.py runs on every launch of a compiled kernel.
bool isTritonLaunchFrame(std::string_view name) {
  static constexpr std::string_view kFrames[] = {
      "): run",         "): launch_metadata", "): __getattribute__",
      "): __getitem__", "): runner",          "): __call__"};
  return name.find("triton/compiler/compiler.py") != std::string_view::npos &&
         std::any_of(std::begin(kFrames), std::end(kFrames), [&](std::string_view frame) {
           return name.size() >= frame.size() && name.substr(name.size() - frame.size()) == frame;
         });
}

/// Names of PyTorch's compiler stack and Python frames that compile; what runs on every call of
/// compiled code ("CompiledFunction", "TorchDynamo Cache Lookup", "Torch-Compiled Region") is none.
bool isCompileName(std::string_view name) {
  static constexpr std::string_view kWords[] = {"(dynamo_timed)",
                                                "compile_inner",
                                                "compile_fx_inner",
                                                "_inductor/compile_fx.py",
                                                "_inductor/graph.py",
                                                "_inductor/scheduler.py",
                                                "async_compile",
                                                "triton/compiler/compiler.py",
                                                "triton/backends/nvidia/compiler",
                                                "triton/backends/amd/compiler",
                                                "triton/backends/intel/compiler",
                                                "convert_frame.py",
                                                "_dynamo/symbolic_convert",
                                                "torch/utils/cpp_extension",
                                                "CachingAutotuner.precompile",
                                                "backend_compile",  // JAX
                                                "compile_or_get_cached",
                                                "inductor_codecache"};
  return containsAny(name, kWords) && !isTritonLaunchFrame(name);
}

bool isAutotuneName(std::string_view name) {
  static constexpr std::string_view kWords[] = {"benchmark_all_configs",
                                                "autotune_to_one_config",
                                                "select_algorithm_autotune",
                                                "triton/runtime/autotuner.py",
                                                "triton/testing.py",
                                                "do_bench",
                                                "cudnnFind",
                                                "miopenFind",
                                                "_inductor/autotune_process",
                                                "coordinate_descent"};
  return containsAny(name, kWords);
}

bool isInputName(std::string_view name) {
  static constexpr std::string_view kWords[] = {"enumerate(DataLoader)",
                                                "DataLoader.__next__",
                                                "_DataLoaderIter",
                                                "enumerate(DataPipe)",
                                                "DataPipe",
                                                "tf.data",
                                                "torch/utils/data/",
                                                "default_collate",
                                                "torchvision/transforms",
                                                "torchvision/datasets",
                                                "PIL/Image",
                                                "IteratorGetNext"};
  return containsAny(name, kWords);
}

bool isOtherRankName(std::string_view name) {
  static constexpr std::string_view kWords[] = {
      "store->get",        "TCPStore",     "dist.barrier", "distributed_c10d.py(barrier",
      "monitored_barrier", "ncclCommInit", "socket recv",  "MPI_"};
  return containsAny(name, kWords);
}

HostActivity runtimeActivity(std::string_view name) {
  if (isBlockingCall(name)) return HostActivity::sync;
  if (isModuleCall(name)) return HostActivity::compileLoad;
  if (isLaunchCall(name)) return HostActivity::launchCall;
  if (isAllocationCall(name)) return HostActivity::allocation;
  return HostActivity::otherRuntime;
}

HostActivity frameworkActivity(std::string_view name, HostActivity otherwise) {
  static constexpr std::string_view kReadsBack[] = {"aten::item", "aten::_local_scalar_dense",
                                                    "aten::nonzero", "aten::is_nonzero"};
  if (name.substr(0, 12) == "ProfilerStep") return HostActivity::none;
  if (startsWithAny(name, kReadsBack)) return HostActivity::sync;
  if (isInputName(name)) return HostActivity::input;
  if (name.find("torch/profiler/") != std::string_view::npos || isProfilerStartOrStop(name))
    return HostActivity::profiler;
  if (isAutotuneName(name)) return HostActivity::autotune;
  if (isCompileName(name) || isModuleCall(name)) return HostActivity::compileLoad;
  if (isOtherRankName(name)) return HostActivity::otherRank;
  return otherwise;
}

}  // namespace

bool isLaunchCall(std::string_view name) {
  name = withoutVersion(name);
  static constexpr std::string_view kCalls[] = {"LaunchKernel",    "LaunchCooperativeKernel",
                                                "LaunchHostFunc",  "GraphLaunch",
                                                "ModuleLaunch",    "ExtModuleLaunchKernel",
                                                "ExtLaunchKernel", "ExtLaunchMultiKernel",
                                                "MemcpyAsync",     "MemsetAsync",
                                                "MemcpyPeerAsync", "MemcpyWithStream",
                                                "Memcpy2DAsync",   "Memcpy3DAsync",
                                                "MemcpyHtoDAsync", "MemcpyDtoHAsync",
                                                "MemcpyDtoDAsync", "MemsetD8Async",
                                                "MemsetD32Async",  "Memset2DAsync",
                                                "MemsetD16Async",  "LaunchGrid",
                                                "Launch"};
  static constexpr std::string_view kXpu[] = {"zeCommandListAppendLaunchKernel",
                                              "zeCommandListAppendMemory",
                                              "urEnqueueKernelLaunch",
                                              "urEnqueueUSM",
                                              "urEnqueueMem",
                                              "piEnqueueKernelLaunch",
                                              "piextUSMEnqueue",
                                              "runFunction"};
  return startsWithAny(vendorCall(name), kCalls) || startsWithAny(name, kXpu);
}

bool isProfilerStartOrStop(std::string_view name) {
  static constexpr std::string_view kFiles[] = {
      "$profiler.py:", "jax/_src/profiler.py:", "profiler_v2.py:"};
  static constexpr std::string_view kFunctions[] = {" start_trace", " stop_trace", " start",
                                                    " stop", " stop_and_get_fdo_profile"};
  return containsAny(name, kFiles) &&
         std::any_of(std::begin(kFunctions), std::end(kFunctions),
                     [&](std::string_view function) { return name.ends_with(function); });
}

bool isBlockingCall(std::string_view name) {
  name = withoutVersion(name);
  // "cudaDeviceSynchronize"; MTIA: "synchronizeStream".
  if (name.find("Synchronize") != std::string_view::npos || name.starts_with("synchronize"))
    return true;
  static constexpr std::string_view kXpu[] = {"urQueueFinish", "urEventWait", "piQueueFinish",
                                              "piEventsWait"};
  static constexpr std::string_view kCopies[] = {
      "Memcpy",   "Memset",     "MemcpyHtoD", "MemcpyDtoH", "MemcpyDtoD",     "Memcpy2D",
      "Memcpy3D", "MemcpyPeer", "MemsetD8",   "MemsetD32",  "MemcpyToSymbol", "MemcpyFromSymbol"};
  const std::string_view call = vendorCall(name);
  const bool copies = std::find(std::begin(kCopies), std::end(kCopies), call) != std::end(kCopies);
  return copies || startsWithAny(name, kXpu);
}

HostActivity hostActivityOf(Category category, std::string_view name) {
  switch (category) {
    case Category::runtime:
      return runtimeActivity(name);
    case Category::overhead:
      return isModuleCall(name) ? HostActivity::compileLoad : HostActivity::profiler;
    case Category::cpuOp:
      return frameworkActivity(name, HostActivity::op);
    case Category::pythonFunction:
      return frameworkActivity(name, HostActivity::python);
    case Category::userAnnotation:
    case Category::other:
      return frameworkActivity(name, HostActivity::none);
    default:
      return HostActivity::none;
  }
}

HostActivities::HostActivities(const Trace& trace) : trace_(&trace) {
  byKey_.assign(trace.strings().size() * kCategories, HostActivity::none);
  std::vector<bool> known(byKey_.size(), false);
  const SliceTable& s = trace.slices();
  for (std::size_t i = 0; i < s.size(); ++i) {
    const std::size_t key =
        s.name[i].index() * kCategories + static_cast<std::size_t>(s.category[i]);
    if (known[key]) continue;
    known[key] = true;
    byKey_[key] = hostActivityOf(s.category[i], trace.text(s.name[i]));
  }
}

}  // namespace ridgeline
