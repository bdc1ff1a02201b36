#include "core/simulator/scenario.h"

#include <vector>

namespace ridgeline::simulator {
namespace {

Scenario healthy() {
  Scenario s;
  s.name = "healthy";
  s.sentence = "large matrix products back to back; nothing to mend but the arithmetic itself";
  s.bottleneck = "compute";
  s.layers = 12;
  s.mostLayers = 32;
  return s;
}

Scenario inputBound() {
  Scenario s;
  s.name = "input-bound";
  s.sentence = "the main thread decodes and transforms each batch of images while the device idles";
  s.bottleneck = "input";
  s.shape.batch = 64;
  s.shape.sequence = 196;
  s.shape.hidden = 768;
  s.shape.heads = 12;
  s.shape.feedForward = 3072;
  s.shape.vocabulary = 1000;
  s.layers = 12;
  s.mostLayers = 20;
  s.images = true;
  s.input = Input::inProcess;
  return s;
}

Scenario launchBound() {
  Scenario s;
  s.name = "launch-bound";
  s.sentence =
      "a small model in eager mode: the host needs longer for each operator than the device";
  s.bottleneck = "launch";
  s.shape.batch = 4;
  s.shape.sequence = 64;
  s.shape.hidden = 256;
  s.shape.heads = 4;
  s.shape.feedForward = 1024;
  s.shape.vocabulary = 8192;
  s.shape.fusedAttention = false;
  s.layers = 8;
  s.mostLayers = 256;
  s.fusedOptimizer = false;
  s.loadNs = 2'000'000;
  return s;
}

Scenario memoryBound() {
  Scenario s;
  s.name = "memory-bound";
  s.sentence =
      "unfused norms, softmax and scalings move every activation through memory many times";
  s.bottleneck = "memory";
  s.shape.batch = 32;
  s.shape.sequence = 512;
  s.shape.hidden = 384;
  s.shape.heads = 6;
  s.shape.feedForward = 1536;
  s.shape.vocabulary = 8192;
  s.shape.fusedAttention = false;
  s.shape.fusedNorm = false;
  s.shape.residualScale = true;
  s.layers = 10;
  s.mostLayers = 48;
  s.fusedOptimizer = false;
  return s;
}

Scenario noOverlap() {
  Scenario s;
  s.name = "no-overlap";
  s.sentence = "gradients are reduced only after the backward, with nothing else to do meanwhile";
  s.bottleneck = "communication";
  s.shape.batch = 4;
  s.layers = 8;
  s.mostLayers = 32;
  s.gradients = Gradients::afterBackward;
  s.world = 4;
  s.busBandwidth = 14e9;
  return s;
}

Scenario exposedTail() {
  Scenario s;
  s.name = "exposed-tail";
  s.sentence = "gradient buckets overlap with the backward, except a large last one at its end";
  s.bottleneck = "communication";
  s.shape.batch = 4;
  s.layers = 12;
  s.mostLayers = 32;
  s.gradients = Gradients::overlapped;
  s.world = 4;
  s.busBandwidth = 48e9;
  s.bigTail = true;
  return s;
}

Scenario mixed() {
  Scenario s = exposedTail();
  s.name = "mixed";
  s.sentence =
      "exposed-tail with incidents: a late batch, a sync in the forward, an allocator retry, a "
      "profiler stop";
  s.incidents = true;
  return s;
}

Scenario decode() {
  Scenario s;
  s.name = "decode";
  s.sentence = "inference token by token: every weight is read for a handful of rows";
  s.bottleneck = "memory";
  s.shape.batch = 8;
  s.shape.sequence = 1;
  s.shape.hidden = 4096;
  s.shape.heads = 32;
  s.shape.feedForward = 16384;
  s.shape.vocabulary = 32000;
  s.shape.context = 2048;
  s.layers = 24;
  s.mostLayers = 64;
  s.decode = true;
  return s;
}

/// A model of a few milliseconds a step, for what the host does to it.
ModelShape smallShape() {
  ModelShape shape;
  shape.batch = 8;
  shape.sequence = 512;
  shape.hidden = 1024;
  shape.heads = 16;
  shape.feedForward = 4096;
  shape.vocabulary = 8192;
  return shape;
}

Scenario hostSync() {
  Scenario s;
  s.name = "host-sync";
  s.sentence =
      "a value is read back with .item() after each block, and Python plans the next with it";
  s.bottleneck = "host_sync";
  s.shape = smallShape();
  s.shape.batch = 4;
  s.layers = 8;
  s.mostLayers = 64;
  s.loadNs = 2'000'000;
  s.hostSyncs = true;
  return s;
}

Scenario allocatorThrash() {
  Scenario s;
  s.name = "allocator-thrash";
  s.sentence = "memory is nearly full: the allocator frees its cache and asks the driver again";
  s.bottleneck = "allocation";
  s.shape = smallShape();
  s.layers = 6;
  s.mostLayers = 48;
  s.loadNs = 2'000'000;
  s.thrash = true;
  return s;
}

Scenario compiled() {
  Scenario s;
  s.name = "compiled";
  s.sentence = "torch.compile compiles in the first two steps; then Triton kernels run";
  s.bottleneck = "compute";
  s.shape = smallShape();
  s.shape.hidden = 2048;
  s.shape.feedForward = 8192;
  s.layers = 8;
  s.mostLayers = 32;
  s.compiled = true;
  return s;
}

Scenario graphDecode() {
  Scenario s = decode();
  s.name = "graph-decode";
  s.sentence = "decode with each token one replay of a CUDA graph";
  s.graph = true;
  return s;
}

Scenario recompute() {
  Scenario s = healthy();
  s.name = "recompute";
  s.sentence = "activations are not kept: the backward of each block runs its forward again";
  s.layers = 8;
  s.recompute = true;
  return s;
}

Scenario pageableCopies() {
  Scenario s;
  s.name = "pageable-copies";
  s.sentence = "batches of images are copied from pageable memory, and nothing runs meanwhile";
  s.bottleneck = "copies";
  s.shape.batch = 128;
  s.shape.sequence = 196;
  s.shape.hidden = 384;
  s.shape.heads = 6;
  s.shape.feedForward = 1536;
  s.shape.vocabulary = 1000;
  s.layers = 4;
  s.mostLayers = 8;
  s.images = true;
  s.loadNs = 2'000'000;
  s.pageable = true;
  return s;
}

Scenario twoStreams() {
  Scenario s;
  s.name = "two-streams";
  s.sentence = "each block has a branch on a second stream; events order the two";
  s.bottleneck = "compute";
  s.layers = 8;
  s.mostLayers = 32;
  s.sideBranch = true;
  s.syncEvents = true;
  return s;
}

Scenario lateBucket() {
  Scenario s = exposedTail();
  s.name = "late-bucket";
  s.sentence = "the last bucket is reduced late, after a hook on the host, with nothing beside it";
  s.layers = 8;
  s.lateBucketNs = 6'000'000;
  return s;
}

}  // namespace

std::span<const Scenario> scenarios() {
  static const std::vector<Scenario> kScenarios = {
      healthy(),   inputBound(),     launchBound(), memoryBound(),     noOverlap(), exposedTail(),
      mixed(),     decode(),         hostSync(),    allocatorThrash(), compiled(),  graphDecode(),
      recompute(), pageableCopies(), twoStreams(),  lateBucket()};
  return kScenarios;
}

const Scenario* findScenario(std::string_view name) {
  for (const Scenario& scenario : scenarios()) {
    if (scenario.name == name) return &scenario;
  }
  return nullptr;
}

}  // namespace ridgeline::simulator
