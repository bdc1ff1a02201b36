#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline {

/// What a kernel's name tells that torch.compile's Inductor wrote:
/// "triton_red_fused_add_mean_mul_0" → red, {add, mean, mul}.
struct InductorName {
  std::string kind;  ///< poi, red, per, tem, for, split_scan, mix
  /// The operators fused in it, without "aten::". The name glues them with the '_' that they hold
  /// themselves: they are parted by a list of operator names, and what is not in it stays single
  /// words. Empty where the name tells none ("triton_for_fused_3").
  std::vector<std::string> ops;
};

/// Nothing for names that do not follow Inductor's pattern, as of Triton kernels written by hand.
[[nodiscard]] std::optional<InductorName> inductorName(std::string_view kernel);

/// What InductorName::kind means: "pointwise".
[[nodiscard]] std::string_view inductorKindText(std::string_view kind);

/// What a host range says of the compiled code that runs inside it.
enum class CompiledMark : std::uint8_t {
  none,
  fxGraph,      ///< "## Call CompiledFxGraph HASH ##": one call of what Inductor made of a graph
  region,       ///< "Torch-Compiled Region: 0/1": frame and recompilation
  function,     ///< "CompiledFunction", "CompiledFunctionBackward": of older versions
  graphLaunch,  ///< cudaGraphLaunch, hipGraphLaunch and the like: one replay
};
[[nodiscard]] CompiledMark compiledMarkOf(std::string_view name);

/// The key in "## Call CompiledFxGraph KEY ##"; the name itself of other marks.
[[nodiscard]] std::string_view compiledMarkLabel(std::string_view name);

}  // namespace ridgeline
