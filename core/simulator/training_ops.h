#pragma once

#include "core/simulator/layer_ops.h"
#include "core/simulator/scenario.h"

namespace ridgeline::simulator {

/// What stands around the blocks of a model: input, embedding, loss, collectives, optimizer. Each
/// function appends to the builder's program.
class TrainingOps {
 public:
  TrainingOps(OpBuilder& builder, const Scenario& scenario, int world);

  void nextBatch();
  void front();
  void frontBackward(bool accumulate);
  void head();
  void headBackward();
  void nextToken();
  void readToken();  ///< back to the host
  void allReduce(std::int64_t elements);
  void zeroGrad();
  void gradientNorm();  ///< of one block
  void clipGradients();
  void optimizer();
  void lossToHost();
  void metric();

  [[nodiscard]] std::int64_t tailParameters() const;

 private:
  void decodeImages();
  void toDevice(const Dims& dims, std::string_view type, std::int64_t elementBytes, bool pinned);
  void embedding();
  void patches();
  void adamOf(const Dims& dims);

  OpBuilder& b_;
  const Scenario& scenario_;
  const ModelShape& s_;
  ModelShape headShape_;
  LayerOps layer_;
  LayerOps headLayer_;
  int world_;
};

}  // namespace ridgeline::simulator
