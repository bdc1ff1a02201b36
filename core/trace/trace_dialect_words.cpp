#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>

#include "core/trace/trace_dialect.h"

namespace ridgeline::build {

namespace {

std::optional<std::int64_t> numberAt(std::string_view text, std::size_t at) {
  std::int64_t value = 0;
  if (at >= text.size()) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool upperAt(std::string_view text, std::size_t at) {
  return at < text.size() && std::isupper(static_cast<unsigned char>(text[at])) != 0;
}

/// "hipLaunchKernel", "cuLaunchKernel", "cudaMalloc", "zeCommandQueueSynchronize", "hsa_…".
bool isDriverCall(std::string_view name) {
  for (const std::string_view prefix : {"hip", "cuda", "cu", "ze", "zes", "zet", "cl", "ur", "pi"})
    if (name.starts_with(prefix) && upperAt(name, prefix.size())) return true;
  return name.starts_with("hsa_") || name.starts_with("hcc_");
}

bool startsWithAny(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [name](std::string_view word) { return name.starts_with(word); });
}

/// Device work by its name alone; signals and barriers are none.
Category workOf(std::string_view name) {
  // unitrace names device work by the call: "zeCommandListAppendMemoryCopy(D2M)[1024 bytes]".
  if (name.starts_with("Tile #")) name = name.substr(std::min(name.find(": ") + 2, name.size()));
  if (startsWithAny(name, {"Memset", "MemSet", "MEMSET", "FillBuffer", "clEnqueueFill"}) ||
      contains(name, "MemoryFill"))
    return Category::memset;
  if (startsWithAny(name, {"Memcpy", "MEMCPY", "MEMORY_COPY", "CopyHostTo", "CopyDeviceTo",
                           "CopyPeer", "dma_request", "clEnqueueRead", "clEnqueueWrite",
                           "clEnqueueCopy", "zeCommandListAppendImageCopy"}) ||
      contains(name, "MemoryCopy"))
    return Category::memcpy;
  if (startsWithAny(name, {"zeCommandList", "zeEvent", "event_wait", "event_record", "Marker",
                           "Barrier", "clEnqueueMarker", "clEnqueueBarrier"}))
    return Category::sync;
  return Category::kernel;
}

/// What runs on a stream of "Ascend Hardware". Operators have names of their own; a task without
/// one is called by its type (msprof's Task Type).
Category ascendWorkOf(std::string_view name) {
  if (startsWithAny(name, {"EVENT_",      "Event_",        "NOTIFY_",          "Notify_",
                           "WRITE_VALUE", "Write_Value",   "CONDITION_",       "PLACE_HOLDER",
                           "END_SQE",     "MODEL_EXECUTE", "MODEL_MAINTAINCE", "PROFILER_",
                           "PROFILING_",  "MsTx",          "STARS_COMMON",     "CMO_",
                           "BARRIER",     "LABEL_",        "STREAM_",          "MAINTENANCE"}))
    return Category::sync;
  if (startsWithAny(name, {"MEMCPY", "Memcpy", "SDMA", "PCIE_DMA"})) return Category::memcpy;
  return Category::kernel;
}

/// Calls that CANN records: "AscendCL@aclrtMemcpy", "Runtime@KernelLaunch", "Node@launch".
bool isCannCall(std::string_view name) {
  return startsWithAny(name, {"AscendCL@", "acl@", "Runtime@", "Node@launch"});
}

/// Instructions of XLA that hold others on the same line: their time is that of what they hold.
bool isXlaContainer(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot != name.npos && name.find_first_not_of("0123456789", dot + 1) != name.npos) return false;
  const std::string_view opcode = name.substr(0, dot);
  return opcode == "while" || opcode == "conditional" || opcode == "call";
}

}  // namespace

std::optional<std::int64_t> gpuNumber(std::string_view name) {
  if (!name.starts_with("GPU") || name.size() < 4) return std::nullopt;
  for (const char c : name.substr(3))
    if (c < '0' || c > '9') return std::nullopt;
  return numberAt(name, 3);
}

Role roleOf(std::string_view name, std::string_view pid) {
  if (name.starts_with("/device:")) return Role::xlaDevice;
  if (name.starts_with("/job:") && name.ends_with(" Compute")) return Role::graphHost;
  if (name.starts_with("/host:")) return Role::xlaHost;
  std::string_view rest = name;
  if (rest.starts_with("RANK "))
    rest = rest.substr(std::min(rest.find(' ', 5), rest.size() - 1) + 1);
  if (rest.starts_with("HOST<")) return Role::unitraceHost;
  if (rest.starts_with("DEVICE<")) return Role::unitraceDevice;
  if (name == "Ascend Hardware") return Role::ascendDevice;
  if (name == "CPU HIP API" || name == "CPU HSA API") return Role::rocprofHost;
  if (pid == "CPU functions") return Role::autogradHost;
  if (pid == "CUDA functions") return Role::autogradDevice;
  return Role::none;
}

std::optional<std::int64_t> xlaOrdinal(std::string_view name) {
  const std::size_t kind = name.find(':');
  const std::size_t number = kind == name.npos ? kind : name.find(':', kind + 1);
  return number == name.npos ? std::nullopt : numberAt(name, number + 1);
}

std::string_view graphLineOf(std::string_view name) {
  const std::size_t kind = name.find(':');
  const std::size_t line = kind == name.npos ? kind : name.find('/', kind);
  if (line == name.npos) return {};
  return name.substr(line + 1, name.find(' ', line) - line - 1);
}

std::string_view unitraceDeviceName(std::string_view name) {
  const std::size_t open = name.find(">[");
  if (open == name.npos) return {};
  const std::size_t close = name.rfind(']');
  return close == name.npos || close < open + 2 ? std::string_view()
                                                : name.substr(open + 2, close - open - 2);
}

std::optional<std::int64_t> xlaStream(std::string_view lane) {
  return lane.starts_with("Stream #") ? numberAt(lane, 8) : std::nullopt;
}

std::optional<std::int64_t> ascendStream(std::string_view lane) {
  return lane.starts_with("Stream ") ? numberAt(lane, 7) : std::nullopt;
}

XlaLine xlaLineOf(std::string_view lane, bool streams) {
  if (streams) return xlaStream(lane) ? XlaLine::work : XlaLine::summary;
  return lane == "XLA Ops" || lane == "Async XLA Ops" ? XlaLine::work : XlaLine::summary;
}

Category categoryOf(Role role, const SliceFacts& slice) {
  switch (role) {
    case Role::none:
      return slice.recorded;
    case Role::xlaHost:
      if (slice.xlaStep) return Category::userAnnotation;
      if (slice.name.starts_with("$")) return Category::pythonFunction;
      return isDriverCall(slice.name) ? Category::runtime : Category::other;
    case Role::xlaDevice:
      return slice.summaryLine || isXlaContainer(slice.name) ? Category::deviceAnnotation
                                                             : workOf(slice.name);
    case Role::unitraceHost:
      return isDriverCall(slice.name) ? Category::runtime : Category::userAnnotation;
    case Role::ascendHost:
      return isCannCall(slice.name) ? Category::runtime : Category::other;
    case Role::ascendDevice:
      return ascendWorkOf(slice.name);
    case Role::ascendHccl:
      return slice.summaryLine ? Category::deviceAnnotation : Category::kernel;
    case Role::ascendSummary:
      return Category::deviceAnnotation;
    case Role::rocprofCopy:
      return Category::memcpy;
    case Role::rocprofHost:
    case Role::rpdHost:
      return isDriverCall(slice.name) ? Category::runtime : Category::userAnnotation;
    case Role::autogradHost:
    case Role::graphHost:
      return Category::cpuOp;
    case Role::mtiaDevice:
      return slice.recorded == Category::kernel ? workOf(slice.name) : slice.recorded;
    case Role::unitraceDevice:
    case Role::rpdDevice:
    case Role::autogradDevice:
      return workOf(slice.name);
  }
  return slice.recorded;
}

}  // namespace ridgeline::build
