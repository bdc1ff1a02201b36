#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/time.h"
#include "core/simulator/layer_ops.h"

namespace ridgeline::simulator {

enum class Input : std::uint8_t {
  workers,    ///< worker processes prepare batches ahead
  inProcess,  ///< the main thread reads and transforms images itself
};

enum class Gradients : std::uint8_t {
  local,          ///< one rank, no collectives
  overlapped,     ///< a bucket a layer is reduced while the backward goes on
  afterBackward,  ///< all buckets are reduced when the backward is over
};

/// A job with one planted bottleneck.
struct Scenario {
  std::string_view name;
  std::string_view sentence;
  std::string_view bottleneck;
  ModelShape shape;
  int layers = 12;
  int mostLayers = 48;  ///< what fits into the memory of the device
  bool decode = false;  ///< inference, token by token
  bool images = false;  ///< patches of images, else tokens
  bool fusedOptimizer = true;
  Input input = Input::workers;
  TimeNs loadNs = 30'000'000;  ///< a worker's time for a batch
  int workers = 4;
  Gradients gradients = Gradients::local;
  int world = 1;            ///< ranks simulated when none are asked for
  double busBandwidth = 0;  ///< of all-reduce between the ranks, bytes/s
  bool bigTail = false;     ///< the last bucket holds the embedding
  bool incidents = false;   ///< single steps with a sync, an allocator retry, a late batch …
  double hostScale = 1;
  bool hostSyncs = false;   ///< a value is read back after each block of the forward
  bool thrash = false;      ///< the allocator gives its cache back before each block
  bool compiled = false;    ///< blocks are compiled by Inductor, in the first two steps
  bool graph = false;       ///< decode: a token is one replay of a CUDA graph
  bool recompute = false;   ///< the backward of a block runs its forward again
  bool pageable = false;    ///< batches are copied from pageable memory
  bool sideBranch = false;  ///< each block has a branch on a stream of its own
  bool syncEvents = false;  ///< the recording has cuda_sync records
  TimeNs lateBucketNs = 0;  ///< what the host does before it reduces the last bucket
};

[[nodiscard]] std::span<const Scenario> scenarios();
[[nodiscard]] const Scenario* findScenario(std::string_view name);

}  // namespace ridgeline::simulator
