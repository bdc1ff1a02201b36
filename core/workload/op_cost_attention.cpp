// Fused attention (ANALYSIS 3.3). Unfused attention is counted by its own products and softmax.

#include <algorithm>
#include <array>
#include <cmath>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

constexpr OpFamily kFamily = OpFamily::Attention;
constexpr int kNone = -1;

enum class Order : std::uint8_t { HeadsFirst, LengthFirst };  ///< (B,H,N,D) or (B,N,H,D)

/// How a causal mask lies when there are more keys than queries.
enum class Corner : std::uint8_t { TopLeft, BottomRight };

/// Where a fused attention has its arguments; kNone = it has no such argument.
struct Layout {
  std::string_view name;
  Order order = Order::HeadsFirst;
  int q = 0;              ///< k and v follow
  int causal = kNone;     ///< a flag, or for `maskType` ops 0 none, 1 top left, 2 bottom right
  int mask = kNone;       ///< a tensor of biases or flags: what it lets through is not recorded
  int cuLengths = kNone;  ///< a tensor of offsets: sequences of various lengths, one after another
  int maxLength = kNone;  ///< the longest query; the longest key follows
  int window = kNone;     ///< sizes of a sliding window, left then right; -1 = unlimited
  Corner corner = Corner::TopLeft;
  bool maskType = false;
  bool isBackward = false;
};

using enum Order;
using enum Corner;

constexpr std::array kLayouts{
    Layout{"aten::scaled_dot_product_attention", HeadsFirst, 0, 5, 3},
    Layout{"aten::_scaled_dot_product_attention_math", HeadsFirst, 0, 5, 3},
    Layout{"aten::_scaled_dot_product_flash_attention", HeadsFirst, 0, 4},
    Layout{"aten::_scaled_dot_product_flash_attention_for_cpu", HeadsFirst, 0, 4},
    Layout{"aten::_scaled_dot_product_efficient_attention", HeadsFirst, 0, 6, 3},
    Layout{"aten::_scaled_dot_product_cudnn_attention", HeadsFirst, 0, 6, 3},
    Layout{"aten::_scaled_dot_product_fused_attention_overrideable", HeadsFirst, 0, 5, 3},
    Layout{"aten::_flash_attention_forward", LengthFirst, 0, 8, kNone, 3, 5, kNone, BottomRight},
    Layout{"aten::_efficient_attention_forward", LengthFirst, 0, 9, 3, 4, 6, kNone, TopLeft, true},
    Layout{"aten::_cudnn_attention_forward", HeadsFirst, 0, 10, 3, 4, 6},
    Layout{"flash_attn::_flash_attn_forward", LengthFirst, 0, 5, kNone, kNone, kNone, 6,
           BottomRight},
    Layout{"flash_attn::_flash_attn_varlen_forward", LengthFirst, 0, 9, kNone, 3, 5, 10,
           BottomRight},
    Layout{"aiter::fmha_v3_fwd", LengthFirst, 0, 5, kNone, kNone, kNone, 6, BottomRight},
    Layout{"aiter::mha_fwd", LengthFirst, 0, 5, kNone, kNone, kNone, 6, BottomRight},
    Layout{"aiter::_flash_attn_forward", LengthFirst, 0, 5, kNone, kNone, kNone, 6, BottomRight},
    Layout{"aiter::fmha_v3_varlen_fwd", LengthFirst, 0, kNone, kNone, 3, 5, kNone, BottomRight},
    Layout{"aiter::mha_varlen_fwd", LengthFirst, 0, kNone, kNone, 3, 5, kNone, BottomRight},

    Layout{"aten::_scaled_dot_product_flash_attention_backward", HeadsFirst, 1, 11, kNone, kNone,
           kNone, kNone, TopLeft, false, true},
    Layout{"aten::_scaled_dot_product_flash_attention_for_cpu_backward", HeadsFirst, 1, 7, kNone,
           kNone, kNone, kNone, TopLeft, false, true},
    Layout{"aten::_scaled_dot_product_efficient_attention_backward", HeadsFirst, 1, 11, 4, kNone,
           kNone, kNone, TopLeft, false, true},
    Layout{"aten::_scaled_dot_product_cudnn_attention_backward", HeadsFirst, 1, 14, 8, kNone, kNone,
           kNone, TopLeft, false, true},
    Layout{"aten::_flash_attention_backward", LengthFirst, 1, 11, kNone, 6, 8, kNone, BottomRight,
           false, true},
    Layout{"aten::_efficient_attention_backward", LengthFirst, 1, 14, 4, 6, 8, kNone, TopLeft, true,
           true},
    Layout{"flash_attn::_flash_attn_backward", LengthFirst, 1, 11, kNone, kNone, kNone, 12,
           BottomRight, false, true},
    Layout{"flash_attn::_flash_attn_varlen_backward", LengthFirst, 1, 15, kNone, 9, 11, 16,
           BottomRight, false, true},
    Layout{"aiter::fmha_v3_bwd", LengthFirst, 1, 8, kNone, kNone, kNone, 9, BottomRight, false,
           true},
    Layout{"aiter::mha_bwd", LengthFirst, 1, 8, kNone, kNone, kNone, 9, BottomRight, false, true},
};

const Layout& layoutOf(const Rule& rule) {
  for (const Layout& layout : kLayouts)
    if (layout.name == rule.name) return layout;
  return kLayouts[0];
}

const ArgShape& argAt(const Call& call, int index) {
  static const ArgShape kMissing;
  return index < 0 ? kMissing : call.arg(static_cast<std::size_t>(index));
}

/// Σ of i + shift clamped to [low, high], i = 0 … count-1.
double clampedSum(double count, double shift, double low, double high) {
  if (count <= 0) return 0;
  // i below `first` give low, i from `last` on give high.
  const double first = std::clamp(low - shift, 0.0, count);
  const double last = std::clamp(high - shift, first, count);
  const double middle = last - first;
  return low * first + middle * (shift + (first + last - 1) / 2) + high * (count - last);
}

struct Sizes {
  double batch = 1, heads = 1, keyHeads = 1;
  double queries = 1, keys = 1;
  double qk = 1, v = 1;  ///< sizes of a head
};

/// Which keys a query sees.
struct Mask {
  bool causal = false;
  Corner corner = Corner::TopLeft;
  double left = -1, right = -1;  ///< -1 = unlimited
};

/// Pairs of query and key that the mask lets through, of one head.
double attendedPairs(const Sizes& sizes, const Mask& mask, CausalCount count) {
  const double n = sizes.queries;
  const double m = sizes.keys;
  const bool windowed = mask.left >= 0 || mask.right >= 0;
  if (count == CausalCount::Dense || (!mask.causal && !windowed)) return n * m;
  if (count == CausalCount::HalfSquare && mask.causal && !windowed) return n * m / 2;
  const double offset = mask.corner == Corner::BottomRight ? m - n : 0;
  double right = mask.right >= 0 ? mask.right : m + n;
  if (mask.causal) right = std::min(right, 0.0);
  // Query i sees the keys from i + offset - left to i + offset + right, as far as there are any.
  const double highs = clampedSum(n, offset + right, -1, m - 1);
  const double lows = mask.left >= 0 ? clampedSum(n, offset - mask.left, 0, m) : 0;
  // Rows that see nothing have high = low - 1, except where no key is left of the window's end.
  return std::max(0.0, highs - lows + n);
}

std::string describe(const Sizes& sizes, const Mask& mask) {
  std::string out = "B" + text(sizes.batch) + " H" + text(sizes.heads);
  if (sizes.keyHeads != sizes.heads) out += "/" + text(sizes.keyHeads);
  out += " N" + text(sizes.queries);
  if (sizes.keys != sizes.queries) out += "/" + text(sizes.keys);
  out += " d" + text(sizes.qk);
  if (sizes.v != sizes.qk) out += "/" + text(sizes.v);
  if (mask.causal) out += " causal";
  if (mask.left >= 0) out += " window " + text(mask.left);
  return out;
}

/// Sizes of padded batches; empty if the tensors do not look like attention.
std::optional<Sizes> paddedSizes(const ArgShape& q, const ArgShape& k, const ArgShape& v,
                                 Order order) {
  const std::size_t rank = q.dims.size();
  if (rank < 2 || k.dims.size() != rank || v.dims.size() != rank) return std::nullopt;
  const auto at = [rank](const ArgShape& arg, std::size_t back) {
    return toDouble(arg.dims[rank - back]);
  };
  Sizes sizes;
  sizes.qk = at(q, 1);
  sizes.v = at(v, 1);
  if (order == Order::LengthFirst) {
    if (rank != 4) return std::nullopt;
    sizes.batch = at(q, 4);
    sizes.queries = at(q, 3);
    sizes.keys = at(k, 3);
    sizes.heads = at(q, 2);
    sizes.keyHeads = at(k, 2);
  } else {
    sizes.queries = at(q, 2);
    sizes.keys = at(k, 2);
    if (rank >= 3) sizes.heads = at(q, 3);
    if (rank >= 3) sizes.keyHeads = at(k, 3);
    for (std::size_t i = 0; i + 3 < rank; ++i) sizes.batch *= toDouble(q.dims[i]);
  }
  return sizes;
}

/// Sequences of various lengths: (total, H, D). Σ nq·nk is not recorded; it is at most
/// total queries × the longest key.
std::optional<Sizes> raggedSizes(const Call& call, const Layout& layout, const ArgShape& q,
                                 const ArgShape& k, const ArgShape& v) {
  // Efficient attention keeps a leading batch dim of 1.
  const auto trimmed = [](Dims dims) {
    if (dims.size() == 4 && dims[0] == 1) dims.erase(dims.begin());
    return dims;
  };
  const Dims dq = trimmed(q.dims);
  const Dims dk = trimmed(k.dims);
  const Dims dv = trimmed(v.dims);
  const auto longest = concreteIntegers(
      argAt(call, layout.maxLength == kNone ? kNone : layout.maxLength + 1).concrete);
  if (dq.size() != 3 || dk.size() != 3 || dv.size() != 3 || !longest || longest->size() != 1)
    return std::nullopt;
  Sizes sizes;
  sizes.queries = toDouble(dq[0]);
  sizes.keys = toDouble(longest->front());
  sizes.heads = toDouble(dq[1]);
  sizes.keyHeads = toDouble(dk[1]);
  sizes.qk = toDouble(dq[2]);
  sizes.v = toDouble(dv[2]);
  return sizes;
}

Mask maskOf(Estimate& estimate, const Call& call, const Layout& layout) {
  Mask mask;
  mask.corner = layout.corner;
  const std::string& causal = argAt(call, layout.causal).concrete;
  if (layout.causal != kNone && causal.empty()) {
    estimate.missingConcrete("is_causal").upperBound();
  } else if (layout.maskType) {
    mask.causal = causal == "1" || causal == "2";
    if (causal == "2") mask.corner = Corner::BottomRight;
  } else if (layout.causal != kNone) {
    mask.causal = concreteBool(causal).value_or(false);
  }
  if (layout.window != kNone) {
    const auto side = [&](int index) {
      const auto values = concreteIntegers(argAt(call, index).concrete);
      return values && values->size() == 1 ? toDouble(values->front()) : -1.0;
    };
    mask.left = side(layout.window);
    mask.right = side(layout.window + 1);
  }
  return mask;
}

/// Q, K, V, the result and, backwards, their gradients: each once.
void addTraffic(Estimate& estimate, const Sizes& sizes, const ArgShape& q, const ArgShape& k,
                const ArgShape& v, bool isBackward) {
  const double out = sizes.queries * sizes.heads * sizes.batch * sizes.v;
  const double times = isBackward ? 2 : 1;  // backward: the tensors and their gradients
  estimate.touch(q.elements() * times, q.dtype)
      .touch(k.elements() * times, k.dtype)
      .touch(v.elements() * times, v.dtype)
      .touch(out * times, q.dtype);
}

OpCost attention(const Call& call) {
  Estimate estimate(call);
  const Layout& layout = layoutOf(call.rule);
  const std::size_t first = static_cast<std::size_t>(layout.q);
  const ArgShape* q = estimate.tensor(first, "the queries");
  const ArgShape* k = estimate.tensor(first + 1, "the keys");
  const ArgShape* v = estimate.tensor(first + 2, "the values");
  if (!q || !k || !v) return estimate.unknown();
  estimate.compute(q->dtype).matrix();
  const bool ragged = argAt(call, layout.cuLengths).isTensor();
  const std::optional<Sizes> sizes =
      ragged ? raggedSizes(call, layout, *q, *k, *v) : paddedSizes(*q, *k, *v, layout.order);
  if (!sizes) {
    estimate.shape(text(q->dims) + " · " + text(k->dims));
    if (ragged) return estimate.missingConcrete("the longest key").unknown();
    return estimate.missing("sizes of an attention").unknown();
  }
  Mask mask = maskOf(estimate, call, layout);
  double pairs = 0;
  if (ragged) {
    estimate.upperBound().missing("the sequences' lengths (values are not recorded)");
    pairs = sizes->queries * sizes->keys;
  } else {
    pairs = attendedPairs(*sizes, mask, call.context.causal);
  }
  if (argAt(call, layout.mask).isTensor()) {
    estimate.upperBound().touch(argAt(call, layout.mask));
  }
  estimate.shape(describe(*sizes, mask) + (ragged ? " ragged" : ""));
  addTraffic(estimate, *sizes, *q, *k, *v, layout.isBackward);
  const double perPair = layout.isBackward ? 3 * sizes->qk + 2 * sizes->v : sizes->qk + sizes->v;
  estimate.formula(layout.isBackward ? "2·B·H·pairs·(3·dqk + 2·dv), scores computed again"
                                     : "2·B·H·pairs·(dqk + dv)");
  return estimate.done(2 * sizes->batch * sizes->heads * pairs * perPair);
}

/// FlexAttention: the mask is a program, so all pairs are the upper bound.
OpCost flex(const Call& call) {
  Estimate estimate(call);
  const ArgShape* q = estimate.tensor(0, "the queries");
  const ArgShape* k = estimate.tensor(1, "the keys");
  const ArgShape* v = estimate.tensor(2, "the values");
  if (!q || !k || !v) return estimate.unknown();
  const std::optional<Sizes> sizes = paddedSizes(*q, *k, *v, Order::HeadsFirst);
  if (!sizes) return estimate.missing("sizes of an attention").unknown();
  estimate.compute(q->dtype).matrix().upperBound().missing("the mask (a program)");
  estimate.shape(describe(*sizes, {}));
  addTraffic(estimate, *sizes, *q, *k, *v, false);
  return estimate.formula("2·B·H·Nq·Nkv·(dqk + dv), all pairs")
      .done(2 * sizes->batch * sizes->heads * sizes->queries * sizes->keys *
            (sizes->qk + sizes->v));
}

/// Keys and values come from a cache whose filling is not recorded.
OpCost paged(const Call& call) {
  Estimate estimate(call);
  if (call.arg(0).isTensor()) {
    estimate.compute(call.arg(0).dtype).shape(text(call.arg(0).dims));
  }
  return estimate.missing("the context lengths (in the KV cache, not recorded)").unknown();
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> kRules = [] {
    std::vector<Rule> out;
    for (const Layout& layout : kLayouts) out.push_back({layout.name, kFamily, attention});
    for (const std::string_view name : {"flex_attention", "aten::flex_attention"})
      out.push_back({name, kFamily, flex});
    for (const std::string_view name :
         {"vllm::unified_attention_with_output", "vllm::unified_attention",
          "vllm::unified_mla_attention", "vllm::unified_mla_attention_with_output",
          "_C::paged_attention_v1", "_C::paged_attention_v2", "sgl_kernel::fwd",
          "aiter::paged_attention_ragged", "aiter::mla_decode_fwd"})
      out.push_back({name, kFamily, paged});
    return out;
  }();
  return kRules;
}

}  // namespace

std::span<const Rule> attentionRules() {
  return rules();
}

}  // namespace ridgeline::cost
