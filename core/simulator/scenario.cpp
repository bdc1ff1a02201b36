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

}  // namespace

std::span<const Scenario> scenarios() {
  static const std::vector<Scenario> kScenarios = {healthy(),     inputBound(), launchBound(),
                                                   memoryBound(), noOverlap(),  exposedTail(),
                                                   mixed(),       decode()};
  return kScenarios;
}

const Scenario* findScenario(std::string_view name) {
  for (const Scenario& scenario : scenarios()) {
    if (scenario.name == name) return &scenario;
  }
  return nullptr;
}

}  // namespace ridgeline::simulator
