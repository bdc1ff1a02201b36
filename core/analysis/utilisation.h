#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/bounds.h"

namespace ridgeline {

/// How much of one device's arithmetic peak a step uses (mean over the window's spans).
/// MFU = useful model FLOPs / (step · peak); HFU counts all FLOPs that ran, recomputed ones too
/// (ANALYSIS 3.6). The peak is the dense one of the type that most FLOPs are done in.
struct Utilisation {
  DeviceId device;
  TimeNs step = 0;             ///< measured, mean of the window's spans
  double peak = 0;             ///< FLOP/s; 0: not known
  std::string peakKey;         ///< "bf16"
  double hardwareFlops = 0;    ///< of a step, as far as shapes tell: at least so many ran
  double recomputedFlops = 0;  ///< of these, done again in the backward (activation checkpointing)
  double coverage = 0;         ///< share of kernel time whose FLOPs are known
  std::optional<double> modelFlops;  ///< useful, of a step
  std::string modelFrom;             ///< "6 × parameters × tokens, given by you"
  std::optional<double> mfu, hfu;    ///< shares of the peak, 1 = all of it; hfu: at least
  std::vector<std::string> missing;  ///< what is needed for the absent ones
};

/// Useful FLOPs of a step that a user's figures mean: their number itself, or 6 × parameters ×
/// tokens (forward 2, backward 4; ANALYSIS 3.6).
[[nodiscard]] std::optional<double> usefulFlops(const ModelWork& model);

[[nodiscard]] std::vector<Utilisation> utilisation(const Workload& w, const Roofline& roofline,
                                                   const DeviceTimes& times);

}  // namespace ridgeline
