#pragma once

#include <vector>

#include "core/simulator/op_builder.h"
#include "core/simulator/scenario.h"

namespace ridgeline::simulator {

/// The parts from which a step is put together. A training step is: begin, then for each
/// micro-batch batch, front, block × layers, head, headBackward, blockBackward × layers,
/// frontBackward; then backwardEnd, normBlock × layers, optimizerBegin, optimizerBlock × layers,
/// optimizerEnd, finish. A decode step is, for each token: front, block × layers, head, readBack;
/// with a graph: replayBegin, the replay of all device work of the first three, readBack.
struct StepPrograms {
  Program begin;
  Program batch;
  Program front;
  Program block;
  Program head;
  Program replayBegin;
  Program readBack;
  Program headBackward;
  Program blockBackward[2];  ///< [1] adds to gradients that are there
  Program frontBackward[2];
  Program bucket;      ///< reduces the gradients of one block
  Program tailBucket;  ///< and those of the front; the compute stream then waits for all
  Program backwardEnd;
  Program normBlock;  ///< the norm of one block's gradients
  Program optimizerBegin, optimizerBlock, optimizerEnd;
  Program finish;
  Program filler;      ///< a metric: one small operator
  Program compile[2];  ///< in the first and the second step
  // Incidents.
  Program syncInForward;
  Program allocatorRetry;
  Program allocatorThrash;
  Program profilerStop;
  Program lateBatch;
};

[[nodiscard]] StepPrograms buildStepPrograms(const Scenario& scenario, const Machine& machine,
                                             int world, Catalogue& catalogue);
/// One call that hands over all the device work of these programs, as a graph captured from them.
[[nodiscard]] Program replayOf(const StepPrograms& programs, int layers, Catalogue& catalogue);
/// The device work that one run of `program` hands over.
[[nodiscard]] std::uint64_t launchesOf(const Program& program);

}  // namespace ridgeline::simulator
