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
};

[[nodiscard]] std::span<const Scenario> scenarios();
[[nodiscard]] const Scenario* findScenario(std::string_view name);

}  // namespace ridgeline::simulator
