#include "core/workload/compiled_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ridgeline {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kKinds{{
    {"poi", "pointwise"},
    {"red", "reduction"},
    {"per", "reduction held in registers"},
    {"tem", "template (matrix product, attention)"},
    {"for", "list of tensors"},
    {"split_scan", "scan"},
    {"mix", "reduction in parts"},
}};

/// Operator names of ATen and prims that hold a '_' inside, as graphs for Inductor hold them.
constexpr std::string_view kLongOps[] = {
    "_adaptive_avg_pool2d",
    "_adaptive_avg_pool2d_backward",
    "_assert_async",
    "_efficient_attention_backward",
    "_efficient_attention_forward",
    "_embedding_bag",
    "_flash_attention_backward",
    "_flash_attention_forward",
    "_foreach_add",
    "_foreach_mul",
    "_fused_rms_norm",
    "_fused_rms_norm_backward",
    "_grouped_mm",
    "_local_scalar_dense",
    "_log_softmax",
    "_log_softmax_backward_data",
    "_native_batch_norm_legit",
    "_native_batch_norm_legit_functional",
    "_native_batch_norm_legit_no_training",
    "_scaled_dot_product_attention_math",
    "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_cudnn_attention_backward",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_efficient_attention_backward",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_flash_attention_backward",
    "_scaled_dot_product_fused_attention_overrideable",
    "_scaled_dot_product_fused_attention_overrideable_backward",
    "_scaled_mm",
    "_softmax",
    "_softmax_backward_data",
    "_to_copy",
    "_unsafe_index",
    "_unsafe_index_put",
    "_unsafe_masked_index",
    "_unsafe_view",
    "_weight_int8pack_mm",
    "_weight_norm_interface",
    "adaptive_max_pool2d",
    "all_gather_into_tensor",
    "all_reduce",
    "as_strided",
    "as_strided_scatter",
    "avg_pool2d",
    "avg_pool2d_backward",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "clamp_max",
    "clamp_min",
    "constant_pad_nd",
    "convert_element_type",
    "convolution_backward",
    "copy_",
    "div_",
    "elu_backward",
    "embedding_dense_backward",
    "empty_like",
    "empty_strided",
    "fill_",
    "floor_divide",
    "full_like",
    "gelu_backward",
    "grid_sampler_2d",
    "group_norm",
    "hardsigmoid_backward",
    "hardswish_backward",
    "hardtanh_backward",
    "huber_loss",
    "index_add",
    "index_copy",
    "index_put",
    "index_select",
    "inductor_lookup_seed",
    "inductor_random",
    "inductor_randint",
    "inductor_seeds",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_backward",
    "log1p",
    "log_sigmoid_backward",
    "log_sigmoid_forward",
    "log_softmax",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "masked_fill",
    "masked_scatter",
    "max_pool2d_with_indices",
    "max_pool2d_with_indices_backward",
    "mse_loss",
    "mse_loss_backward",
    "native_batch_norm",
    "native_batch_norm_backward",
    "native_dropout",
    "native_dropout_backward",
    "native_group_norm",
    "native_group_norm_backward",
    "native_layer_norm",
    "native_layer_norm_backward",
    "new_empty",
    "new_empty_strided",
    "new_full",
    "new_ones",
    "new_zeros",
    "nll_loss_backward",
    "nll_loss_forward",
    "ones_like",
    "pixel_shuffle",
    "prepare_softmax_online",
    "rand_like",
    "randn_like",
    "reduce_scatter_tensor",
    "reflection_pad1d",
    "reflection_pad2d",
    "replication_pad2d",
    "rms_norm",
    "scalar_tensor",
    "scaled_dot_product_attention",
    "scatter_add",
    "scatter_reduce",
    "select_backward",
    "select_scatter",
    "sigmoid_backward",
    "silu_backward",
    "slice_backward",
    "slice_scatter",
    "smooth_l1_loss",
    "softplus_backward",
    "split_with_sizes",
    "split_with_sizes_copy",
    "squeeze_",
    "tanh_backward",
    "threshold_backward",
    "upsample_bicubic2d",
    "upsample_bilinear2d",
    "upsample_nearest2d",
    "upsample_nearest2d_backward",
    "var_mean",
    "view_as_complex",
    "view_as_real",
    "wait_tensor",
    "zeros_like"};

bool isDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "add_0_0d1d2de3" → "add_0": older versions of Triton append how the arguments are specialised.
std::string_view withoutSignature(std::string_view name) {
  const std::size_t at = name.rfind('_');
  if (at == std::string_view::npos || at + 2 >= name.size()) return name;
  const std::string_view tail = name.substr(at + 1);
  const bool signature = tail[0] == '0' && tail.find('d') != std::string_view::npos &&
                         tail.find_first_not_of("0123456789dec") == std::string_view::npos;
  return signature ? name.substr(0, at) : name;
}

/// The length of the longest operator of the list that `text` begins with, up to a '_' or the end.
std::size_t longestOp(std::string_view text) {
  std::size_t longest = 0;
  for (const std::string_view op : kLongOps) {
    if (op.size() <= longest || text.substr(0, op.size()) != op) continue;
    if (op.size() == text.size() || text[op.size()] == '_') longest = op.size();
  }
  return longest;
}

std::vector<std::string> opsIn(std::string_view text) {
  std::vector<std::string> ops;
  while (!text.empty()) {
    std::size_t length = longestOp(text);
    // A '_' in front belongs to the word behind it: "_to_copy" is listed, others may not be.
    if (length == 0) length = std::min(text.find('_', 1), text.size());
    ops.emplace_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return ops;
}

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

constexpr std::string_view kFxGraph = "## Call CompiledFxGraph ";

}  // namespace

std::optional<InductorName> inductorName(std::string_view kernel) {
  constexpr std::string_view kStart = "triton_";
  if (!startsWith(kernel, kStart)) return std::nullopt;
  // Binary suffixes of ROCm's names.
  if (const std::size_t dot = kernel.find('.'); dot != std::string_view::npos)
    kernel = kernel.substr(0, dot);
  std::string_view rest = withoutSignature(kernel).substr(kStart.size());
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& k) {
    return startsWith(rest, k.first) && startsWith(rest.substr(k.first.size()), "_fused");
  });
  if (kind == kKinds.end()) return std::nullopt;
  rest.remove_prefix(kind->first.size() + std::string_view("_fused").size());
  const std::size_t number = rest.rfind('_');
  if (number == std::string_view::npos || !isDigits(rest.substr(number + 1))) return std::nullopt;
  rest = rest.substr(0, number);
  if (!rest.empty() && rest[0] != '_') return std::nullopt;
  InductorName name;
  name.kind = kind->first;
  name.ops = opsIn(rest.empty() ? rest : rest.substr(1));
  return name;
}

std::string_view inductorKindText(std::string_view kind) {
  for (const auto& [word, text] : kKinds)
    if (word == kind) return text;
  return {};
}

CompiledMark compiledMarkOf(std::string_view name) {
  if (startsWith(name, kFxGraph)) return CompiledMark::fxGraph;
  if (startsWith(name, "Torch-Compiled Region")) return CompiledMark::region;
  if (name == "CompiledFunction" || name == "CompiledFunctionBackward")
    return CompiledMark::function;
  for (const std::string_view call :
       {"cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch", "mcGraphLaunch", "musaGraphLaunch"})
    if (startsWith(name, call)) return CompiledMark::graphLaunch;
  return CompiledMark::none;
}

std::string_view compiledMarkLabel(std::string_view name) {
  if (!startsWith(name, kFxGraph)) return name;
  name.remove_prefix(kFxGraph.size());
  return name.substr(0, name.find(' '));
}

}  // namespace ridgeline
