#include "core/simulator/truth.h"

namespace ridgeline {

std::string_view word(TruthIdleCause cause) {
  static constexpr std::array<std::string_view, kTruthIdleCauses> kWords = {
      "input",           "host_sync",    "allocation", "compile_load",   "launch",
      "collective_wait", "other_stream", "profiler",   "outside_capture"};
  return kWords[static_cast<std::size_t>(cause)];
}

std::string_view word(TruthPathCause cause) {
  static constexpr std::array<std::string_view, kTruthPathCauses> kWords = {
      "matmul",      "attention",       "convolution", "normalization", "softmax",
      "elementwise", "reduction",       "indexing",    "copy",          "optimizer",
      "collective",  "collective_wait", "memcpy",      "memset",        "launch_latency",
      "queueing",    "event_wait",      "host_op",     "launch_call",   "host_gap",
      "hand_over",   "input",           "sync_wait",   "allocation",    "compile_load",
      "profiler"};
  return kWords[static_cast<std::size_t>(cause)];
}

}  // namespace ridgeline
