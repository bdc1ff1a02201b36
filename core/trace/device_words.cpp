#include "core/trace/device_words.h"

#include "core/trace/event.h"

namespace ridgeline {

std::string deviceTitle(const Device& device) {
  if (device.ordinal == EventArgs::kAbsent) return device.kind;
  return device.kind + ' ' + std::to_string(device.ordinal);
}

bool isCudaOrHip(const Device& device) {
  return device.kind == "GPU" && device.name.find("Intel") == std::string::npos;
}

}  // namespace ridgeline
