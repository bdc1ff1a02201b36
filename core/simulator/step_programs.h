#pragma once

#include <vector>

#include "core/simulator/op_builder.h"
#include "core/simulator/scenario.h"

namespace ridgeline::simulator {

/// The parts from which a step is put together. A training step is: begin, then for each
/// micro-batch batch, front, block × layers, head, headBackward, blockBackward × layers,
/// frontBackward; then backwardEnd, normBlock × layers, optimizerBegin, optimizerBlock × layers,
/// optimizerEnd, finish. A decode step is, for each token: front, block × layers, head.
struct StepPrograms {
  Program begin;
  Program batch;
  Program front;
  Program block;
  Program head;
  Program headBackward;
  Program blockBackward[2];  ///< [1] adds to gradients that are there
  Program frontBackward[2];
  Program bucket;      ///< reduces the gradients of one block
  Program tailBucket;  ///< and those of the front; the compute stream then waits for all
  Program backwardEnd;
  Program normBlock;  ///< the norm of one block's gradients
  Program optimizerBegin, optimizerBlock, optimizerEnd;
  Program finish;
  Program filler;  ///< a metric: one small operator
  // Incidents.
  Program syncInForward;
  Program allocatorRetry;
  Program profilerStop;
  Program lateBatch;
};

[[nodiscard]] StepPrograms buildStepPrograms(const Scenario& scenario, const Machine& machine,
                                             int world, Catalogue& catalogue);

}  // namespace ridgeline::simulator
