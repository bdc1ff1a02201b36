// Embedding and indexing (ANALYSIS 3.5).

#include <array>

#include "core/workload/op_cost_rules.h"

namespace ridgeline::cost {

namespace {

constexpr OpFamily kEmbedding = OpFamily::Embedding;
constexpr OpFamily kIndexing = OpFamily::Indexing;

/// embedding(weight (V, D), indices): rows read and written.
OpCost embedding(const Call& call) {
  Estimate estimate(call);
  const ArgShape* weight = estimate.tensor(0, "the table");
  const ArgShape* indices = estimate.tensor(1, "the indices");
  if (!weight || !indices) return estimate.unknown();
  if (weight->dims.size() != 2) return estimate.missing("a table of rank 2").unknown();
  const double values = indices->elements() * toDouble(weight->dims[1]);
  estimate.compute(weight->dtype);
  estimate.shape(text(indices->dims) + " of " + text(weight->dims));
  estimate.touch(2 * values, weight->dtype).touch(*indices);
  return estimate.formula("0; L·D read and written").done(0.0);
}

/// embedding_dense_backward(dy (…, D), indices, …): rows added to a table.
OpCost embeddingBackward(const Call& call) {
  Estimate estimate(call);
  const ArgShape* grad = estimate.tensor(0, "the gradient");
  const ArgShape* indices = estimate.tensor(1, "the indices");
  if (!grad || !indices) return estimate.unknown();
  const double values = grad->elements();
  estimate.compute(grad->dtype).shape(text(grad->dims)).touch(*grad).touch(*indices);
  estimate.touch(2 * values, grad->dtype);
  return estimate.formula("L·D; rows read and added to the table").done(values);
}

/// _embedding_bag(weight (V, D), indices, offsets (bags), …): rows summed by bag.
OpCost embeddingBag(const Call& call) {
  Estimate estimate(call);
  const ArgShape* weight = estimate.tensor(0, "the table");
  const ArgShape* indices = estimate.tensor(1, "the indices");
  if (!weight || !indices) return estimate.unknown();
  if (weight->dims.size() != 2) return estimate.missing("a table of rank 2").unknown();
  const double width = toDouble(weight->dims[1]);
  const ArgShape& offsets = call.arg(2);
  double bags = 0;
  if (indices->dims.size() == 2) {
    bags = toDouble(indices->dims[0]);
  } else if (offsets.isTensor()) {
    bags = offsets.elements();
    // The last offset may be the end: include_last_offset.
    if (concreteBool(call.arg(7).concrete).value_or(false) && bags > 0) bags -= 1;
  } else {
    return estimate.missing("the number of bags").unknown();
  }
  const double values = indices->elements() * width;
  estimate.compute(weight->dtype);
  estimate.shape(text(indices->dims) + " in " + text(bags) + " bags of " + text(weight->dims));
  estimate.touch(values + bags * width, weight->dtype).touch(*indices).touch(offsets);
  return estimate.formula("L·D; rows read, bags written").done(values);
}

OpCost embeddingBagBackward(const Call& call) {
  Estimate estimate(call);
  const ArgShape* grad = estimate.tensor(0, "the gradient");
  const ArgShape* indices = estimate.tensor(1, "the indices");
  if (!grad || !indices) return estimate.unknown();
  if (grad->dims.size() != 2) return estimate.missing("a gradient of rank 2").unknown();
  const double values = indices->elements() * toDouble(grad->dims[1]);
  estimate.compute(grad->dtype).shape(text(grad->dims) + " ← " + text(indices->dims));
  estimate.touch(*grad).touch(*indices).touch(2 * values, grad->dtype);
  return estimate.formula("L·D; rows added to the table").done(values);
}

/// index_select(x, dim, index).
OpCost indexSelect(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the source");
  const ArgShape* index = estimate.tensor(2, "the index");
  if (!x || !index) return estimate.unknown();
  std::optional<std::size_t> dim = dimIndex(call.arg(1), x->dims.size());
  if (x->dims.size() == 1) dim = 0;
  if (!dim) return estimate.missingConcrete("dim").unknown();
  const double size = toDouble(x->dims[*dim]);
  const double out = size > 0 ? x->elements() / size * index->elements() : 0;
  estimate.compute(x->dtype).shape(text(index->dims) + " of " + text(x->dims));
  estimate.touch(2 * out, x->dtype).touch(*index);
  return estimate.formula("0; |out| read and written").done(0.0);
}

/// gather(x, dim, index): as many values as indices.
OpCost gatherAt(const Call& call, std::size_t indexAt) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the source");
  const ArgShape* index = estimate.tensor(indexAt, "the index");
  if (!x || !index) return estimate.unknown();
  estimate.compute(x->dtype).shape(text(index->dims) + " of " + text(x->dims));
  estimate.touch(2 * index->elements(), x->dtype).touch(*index);
  return estimate.formula("0; |index| read and written").done(0.0);
}

OpCost gather(const Call& call) {
  return gatherAt(call, 2);
}
OpCost take(const Call& call) {
  return gatherAt(call, 1);
}

/// What a scatter does to its destination besides writing the new values.
double copiedWhole(const Call& call, const ArgShape& x) {
  return call.inPlace || call.name.ends_with('_') ? 0 : 2 * x.elements();
}

/// scatter(x, dim, index, source), scatter_add, scatter_reduce.
OpCost scatter(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the destination");
  const ArgShape* index = estimate.tensor(2, "the index");
  if (!x || !index) return estimate.unknown();
  const double n = index->elements();
  const bool adds = call.name.find("add") != std::string_view::npos ||
                    call.name.find("reduce") != std::string_view::npos;
  const double source = call.arg(3).isTensor() ? n : 0;
  estimate.compute(x->dtype).shape(text(index->dims) + " into " + text(x->dims));
  estimate.touch(source + n + (adds ? n : 0) + copiedWhole(call, *x), x->dtype).touch(*index);
  return estimate.formula(adds ? "|index|" : "0; values read and written").done(adds ? n : 0);
}

/// index_add(x, dim, index, source), index_copy, index_fill.
OpCost indexWrite(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the destination");
  const ArgShape* index = estimate.tensor(2, "the index");
  if (!x || !index) return estimate.unknown();
  const bool adds = call.name.find("add") != std::string_view::npos;
  const ArgShape& source = call.arg(3);
  double n = source.elements();
  const bool fills = !source.isTensor() || source.dims.empty();
  if (fills) {
    const std::optional<std::size_t> dim = dimIndex(call.arg(1), x->dims.size());
    if (!dim) return estimate.missingConcrete("dim").unknown();
    const double size = toDouble(x->dims[*dim]);
    n = size > 0 ? x->elements() / size * index->elements() : 0;
  }
  estimate.compute(x->dtype).shape(text(index->dims) + " into " + text(x->dims));
  estimate.touch((fills ? 1 : 2) * n + (adds ? n : 0) + copiedWhole(call, *x), x->dtype);
  estimate.touch(*index);
  return estimate.formula(adds ? "|source|" : "0; values read and written").done(adds ? n : 0);
}

/// index(x, indices): the list of index tensors is not recorded.
OpCost index(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the source");
  if (!x) return estimate.unknown();
  estimate.compute(x->dtype).shape("of " + text(x->dims));
  if (!call.context.inferredOutput)
    return estimate.missing("the index tensors' sizes (lists of optional tensors are not recorded)")
        .unknown();
  estimate.inferred().touch(2 * product(*call.context.inferredOutput), x->dtype);
  return estimate.formula("0; |out| read and written").done(0.0);
}

/// index_put_(x, indices, values, accumulate).
OpCost indexPut(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the destination");
  const ArgShape* values = estimate.tensor(2, "the values");
  if (!x || !values) return estimate.unknown();
  estimate.compute(x->dtype).shape(text(values->dims) + " into " + text(x->dims));
  if (values->elements() <= 1)
    return estimate.missing("the index tensors' sizes (lists of optional tensors are not recorded)")
        .unknown();
  const bool adds = concreteBool(call.arg(3).concrete).value_or(false);
  const double n = values->elements();
  estimate.missing("the index tensors' sizes (left out of the bytes)");
  estimate.touch((adds ? 3 : 2) * n + copiedWhole(call, *x), x->dtype);
  return estimate.formula(adds ? "|values|" : "0; values read and written").done(adds ? n : 0);
}

/// Results whose size depends on the values.
OpCost dataDependent(const Call& call) {
  Estimate estimate(call);
  const ArgShape* x = estimate.tensor(0, "the source");
  if (!x) return estimate.unknown();
  estimate.compute(x->dtype).shape(text(x->dims)).touch(*x).touch(call.arg(1));
  if (call.context.inferredOutput) {
    estimate.inferred().touch(product(*call.context.inferredOutput), x->dtype);
  } else {
    estimate.missing("the result's size (depends on the values; left out of the bytes)");
  }
  return estimate.formula("n").done(x->elements());
}

constexpr Rule indexes(std::string_view name, OpCost (*cost)(const Call&)) {
  return {name, kIndexing, cost};
}

constexpr std::array kRules{
    Rule{"aten::embedding", kEmbedding, embedding},
    Rule{"aten::embedding_backward", kEmbedding, embeddingBackward},
    Rule{"aten::embedding_dense_backward", kEmbedding, embeddingBackward},
    Rule{"aten::embedding_bag", kEmbedding, embeddingBag},
    Rule{"aten::_embedding_bag", kEmbedding, embeddingBag},
    Rule{"aten::_embedding_bag_forward_only", kEmbedding, embeddingBag},
    Rule{"aten::_embedding_bag_backward", kEmbedding, embeddingBagBackward},
    Rule{"aten::_embedding_bag_dense_backward", kEmbedding, embeddingBagBackward},
    indexes("aten::index_select", indexSelect),
    indexes("aten::gather", gather),
    indexes("aten::take_along_dim", take),
    indexes("aten::take", take),
    indexes("fb::fast_gather", take),
    indexes("aten::scatter", scatter),
    indexes("aten::scatter_add", scatter),
    indexes("aten::scatter_reduce", scatter),
    indexes("aten::index_add", indexWrite),
    indexes("aten::index_copy", indexWrite),
    indexes("aten::index_fill", indexWrite),
    indexes("aten::index", index),
    indexes("aten::_unsafe_index", index),
    indexes("aten::index_put", indexPut),
    indexes("aten::_index_put_impl", indexPut),
    indexes("aten::_unsafe_index_put", indexPut),
    indexes("aten::nonzero", dataDependent),
    indexes("aten::masked_select", dataDependent),
    indexes("aten::unique", dataDependent),
    indexes("aten::_unique2", dataDependent),
    indexes("aten::unique_consecutive", dataDependent),
    indexes("aten::unique_dim", dataDependent),
};

}  // namespace

std::span<const Rule> indexingRules() {
  return kRules;
}

}  // namespace ridgeline::cost
