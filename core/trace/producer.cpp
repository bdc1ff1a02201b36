#include "core/trace/producer.h"

#include <cctype>
#include <string_view>
#include <vector>

namespace ridgeline {
namespace {

struct Evidence {
  bool kineto = false;
  bool deviceWork = false;
  bool cuda = false;
  bool rocm = false;
  bool xpu = false;
  bool mtia = false;
};

/// "cuLaunchKernel", but not "current_step".
bool isCudaCall(std::string_view name) {
  return name.starts_with("cuda") || (name.size() > 2 && name.starts_with("cu") &&
                                      std::isupper(static_cast<unsigned char>(name[2])) != 0);
}

void readCategory(std::string_view category, Evidence& found) {
  static constexpr std::string_view kKineto[] = {
      "cpu_op", "Operator",   "user_annotation", "Kernel",
      "kernel", "gpu_memcpy", "cuda_runtime",    "python_function"};
  for (const std::string_view word : kKineto) found.kineto |= category == word;
  found.mtia |= category.starts_with("mtia_");
  found.xpu |= category.starts_with("xpu_");
}

void readSlices(const Trace& trace, Evidence& found) {
  const SliceTable& slices = trace.slices();
  std::vector<bool> categorySeen(std::size_t{1} << 16);
  std::vector<bool> nameSeen(trace.strings().size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (const std::uint16_t text = slices.categoryText[i]; !categorySeen[text]) {
      categorySeen[text] = true;
      readCategory(trace.categoryText(SliceId(i)), found);
    }
    found.deviceWork |= isDeviceWork(slices.category[i]);
    const StringId name = slices.name[i];
    if (slices.category[i] != Category::runtime || !name.valid() || nameSeen[name.index()])
      continue;
    nameSeen[name.index()] = true;
    found.cuda |= isCudaCall(trace.text(name));
    found.rocm |= trace.text(name).starts_with("hip");
  }
}

/// Files without runtime calls may still say whose device it is.
void readDevices(const Trace& trace, Evidence& found) {
  for (const Device& device : trace.devices()) {
    found.cuda |= device.name.find("NVIDIA") != std::string::npos ||
                  device.name.find("Tesla") != std::string::npos;
    found.rocm |= device.name.find("AMD") != std::string::npos;
  }
}

}  // namespace

std::string producerOf(const Trace& trace) {
  if (!trace.info().producer.empty()) return trace.info().producer;
  Evidence found;
  readSlices(trace, found);
  const TraceInfo& info = trace.info();
  // Kineto's own top-level keys.
  found.kineto |= !info.metadataText("schemaVersion").empty() &&
                  info.format.find("trace-event") != std::string::npos;
  if (!found.kineto) return "unknown";
  if (!(found.cuda || found.rocm || found.xpu || found.mtia)) readDevices(trace, found);
  std::string kinds;
  const auto add = [&](bool yes, std::string_view word) {
    if (yes) kinds.append(kinds.empty() ? "" : ", ").append(word);
  };
  add(found.mtia, "MTIA");
  add(found.xpu, "XPU");
  add(found.rocm, "ROCm");
  add(found.cuda, "CUDA");
  if (kinds.empty()) kinds = found.deviceWork ? "unknown device" : "CPU only";
  return "PyTorch Kineto (" + kinds + ")";
}

}  // namespace ridgeline
