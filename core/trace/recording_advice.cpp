#include "core/trace/recording_advice.h"

#include <array>
#include <string_view>
#include <vector>

#include "core/base/capital.h"

namespace ridgeline {
namespace {

constexpr std::size_t kPrograms = static_cast<std::size_t>(RecordedBy::other) + 1;
constexpr std::size_t kLacking = static_cast<std::size_t>(Lacking::launched) + 1;

struct Way {
  std::string_view text;
  bool possible = true;
};
constexpr Way can(std::string_view text) {
  return {text, true};
}
constexpr Way cannot(std::string_view text) {
  return {text, false};
}
/// In the order of Lacking.
using Ways = std::array<Way, kLacking>;

constexpr Ways kPyTorch = {
    can("record with record_shapes=True"),
    can("record with with_stack=True"),
    can("call profiler.step() once an iteration, or mark it with record_function"),
    can("record more active steps (schedule(active=5))"),
    can("record with _ExperimentalConfig(enable_cuda_sync_events=True)"),
    can("record the host, too (ProfilerActivity.CPU)"),
    can("record with the device's activities (ProfilerActivity.CUDA or XPU)"),
    can("let the profiler warm up (schedule(warmup=1)), and record fewer steps, with stacks and "
        "memory only where they are needed"),
    can("PyTorch 2.2 and later record nanoseconds"),
    can("record with profile_memory=True"),
    can("synchronise before the profiler stops, and see what the program prints of CUPTI, "
        "roctracer "
        "or the like as it starts: another profiler may hold the device, or it may not be allowed"),
};
constexpr Ways kJax = {
    cannot("JAX records no shapes; where XLA writes its own costs of an operator (model_flops, "
           "raw_bytes_accessed), these are taken"),
    can("record Python frames (ProfileOptions.python_tracer_level = 1)"),
    can("mark each iteration with jax.profiler.StepTraceAnnotation(\"train\", step_num=i)"),
    can("record more steps"),
    cannot("JAX does not record them"),
    can("record the host, too (ProfileOptions.host_tracer_level = 2)"),
    can("let JAX's profiler record the device (ProfileOptions.device_tracer_level = 1)"),
    can("record fewer steps, without Python frames (ProfileOptions.python_tracer_level = 0)"),
    cannot(""),
    cannot("JAX writes it to a profile of its own (jax.profiler.save_device_memory_profile)"),
    can("let JAX's profiler record the device (ProfileOptions.device_tracer_level = 1), and wait "
        "for the results (block_until_ready) before the trace stops"),
};
constexpr Ways kNsight = {
    cannot("Nsight Systems records no operators; the PyTorch profiler does (record_shapes=True)"),
    can("mark what the program does with NVTX ranges and record with --trace=cuda,nvtx,osrt"),
    can("mark each iteration with an NVTX range of one name and record with --trace=cuda,nvtx"),
    can("record more steps"),
    cannot("this export does not hold them"),
    can("record CUDA calls, too (--trace=cuda)"),
    can("record the device (--trace=cuda)"),
    can("record a shorter time, with fewer kinds of --trace and --sample=none"),
    cannot(""),
    can("record device memory (--cuda-memory-usage=true); what tensors hold is known to the "
        "PyTorch profiler only (profile_memory=True)"),
    can("record the device (--trace=cuda), and let the program synchronise before it ends; export "
        "all tables"),
};
constexpr Ways kRocprofv3 = {
    cannot("rocprofv3 records no operators; the PyTorch profiler does (record_shapes=True)"),
    can("mark what the program does with roctx ranges and record with --marker-trace"),
    can("mark each iteration with a roctx range of one name and record with --marker-trace"),
    can("record more steps"),
    cannot("rocprofv3 does not record them"),
    can("record HIP calls, too (--hip-runtime-trace, or --sys-trace)"),
    can("record the device (--kernel-trace --memory-copy-trace, or --sys-trace)"),
    can("record a shorter time and fewer kinds of events than --sys-trace does"),
    cannot(""),
    cannot("rocprofv3 records none that could be read here; the PyTorch profiler does "
           "(profile_memory=True)"),
    can("record the device, too (--kernel-trace --memory-copy-trace, or --sys-trace)"),
};
constexpr Ways kRocmProfileData = {
    cannot("rocmProfileData records no shapes that could be read here; the PyTorch profiler does "
           "(record_shapes=True)"),
    can("mark what the program does with roctx ranges"),
    can("mark each iteration with a roctx range of one name"),
    can("record more steps"),
    cannot("rocmProfileData does not record them"),
    can("record HIP calls, too"),
    can("record the device, too"),
    can("record a shorter time"),
    cannot(""),
    cannot("rocmProfileData records none that could be read here; the PyTorch profiler does "
           "(profile_memory=True)"),
    can("record the device, too, and synchronise before the recording ends"),
};
constexpr Ways kUnitrace = {
    cannot("unitrace records no operators; the PyTorch profiler does (record_shapes=True)"),
    can("mark what the program does with ITT tasks and record with --chrome-itt-logging"),
    can("mark each iteration with an ITT task of one name and record with --chrome-itt-logging"),
    can("record more steps"),
    cannot("unitrace does not record them"),
    can("record the calls of the host, too (--chrome-call-logging)"),
    can("record the device, too (--chrome-kernel-logging)"),
    can("record a shorter time and fewer kinds of events"),
    cannot(""),
    cannot("unitrace records none that could be read here; the PyTorch profiler does "
           "(profile_memory=True)"),
    can("record the device, too (--chrome-kernel-logging)"),
};
constexpr Ways kOther = {
    cannot("this kind of recording holds none; that of the PyTorch profiler does "
           "(record_shapes=True)"),
    can("mark what the program does with ranges, or record its stacks"),
    can("mark each iteration with a range of one name"),
    can("record more steps"),
    cannot("this kind of recording does not hold them"),
    can("record the host, too"),
    can("record the device, too"),
    can("record a shorter time and fewer kinds of events"),
    cannot(""),
    cannot("this kind of recording holds none; that of the PyTorch profiler does "
           "(profile_memory=True)"),
    can("record the device, too, and synchronise before the recording ends"),
};
constexpr std::array<const Ways*, kPrograms> kWays = {
    &kPyTorch, &kJax, &kNsight, &kRocprofv3, &kRocmProfileData, &kUnitrace, &kOther};

const Way& wayOf(RecordedBy program, Lacking what) {
  return (*kWays[static_cast<std::size_t>(program)])[static_cast<std::size_t>(what)];
}

/// Categories that Kineto alone writes.
bool isKineto(std::string_view category) {
  static constexpr std::string_view kWords[] = {
      "cpu_op",       "Operator",        "user_annotation",    "Kernel", "kernel", "gpu_memcpy",
      "cuda_runtime", "python_function", "gpu_user_annotation"};
  for (const std::string_view word : kWords)
    if (category == word) return true;
  return category.starts_with("mtia_") || category.starts_with("xpu_");
}

}  // namespace

RecordedBy recordedBy(const Trace& trace) {
  const std::string_view producer = trace.info().producer;
  const auto says = [&](std::string_view word) {
    return producer.find(word) != std::string_view::npos;
  };
  if (says("PyTorch")) return RecordedBy::pytorch;
  if (says("JAX") || says("XLA") || says("TensorFlow")) return RecordedBy::jax;
  if (says("Nsight")) return RecordedBy::nsight;
  if (says("rocprof")) return RecordedBy::rocprofv3;
  if (says("rocmProfileData")) return RecordedBy::rocmProfileData;
  if (says("unitrace")) return RecordedBy::unitrace;
  if (!producer.empty()) return RecordedBy::other;
  const SliceTable& slices = trace.slices();
  std::vector<bool> seen(std::size_t{1} << 16);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (seen[slices.categoryText[i]]) continue;
    seen[slices.categoryText[i]] = true;
    if (isKineto(trace.categoryText(SliceId(i)))) return RecordedBy::pytorch;
  }
  return RecordedBy::other;
}

bool canRecord(RecordedBy program, Lacking what) {
  return wayOf(program, what).possible;
}

std::string howToRecord(RecordedBy program, Lacking what) {
  return std::string(wayOf(program, what).text);
}

std::string recordingAdvice(RecordedBy program, Lacking what) {
  std::string text = howToRecord(program, what);
  // Names keep their case.
  if (text.starts_with("rocprofv3") || text.starts_with("rocmProfileData") ||
      text.starts_with("unitrace"))
    return text;
  return capital(text);
}

}  // namespace ridgeline
