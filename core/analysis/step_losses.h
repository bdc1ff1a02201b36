#pragma once

#include <string>
#include <vector>

#include "core/analysis/step_figures.h"
#include "core/analysis/step_shares.h"

namespace ridgeline {

/// What a step loses time to: idle time by groups of causes, and work that nothing runs beside.
enum class Loss : std::uint8_t {
  input,
  hostSync,
  dispatch,  ///< launches that come late, and the latency between kernels queued in time
  allocation,
  compileLoad,
  otherRank,
  communication,  ///< exposed collectives, and waiting for them
  copies,         ///< exposed copies and sets
  profiler,
  unexplained
};
inline constexpr std::initializer_list<GapCause> kDispatch = {
    GapCause::launch, GapCause::python, GapCause::hostIdle, GapCause::launchLatency};
/// Idle time that nobody can promise to win back: its cause is not known.
inline constexpr std::initializer_list<GapCause> kUnexplained = {
    GapCause::otherStream, GapCause::deviceWait, GapCause::unknown, GapCause::outsideCapture};
/// Stable word for JSON: "host_sync".
[[nodiscard]] std::string_view word(Loss loss);

struct StepLoss {
  Loss loss = Loss::unexplained;
  TimeNs perStep = 0;  ///< of the mean step, ns
};
/// All of them, largest first.
[[nodiscard]] std::vector<StepLoss> stepLosses(const StepFigures& figures);

/// A loss of this share of the step is worth a word (ANALYSIS 5).
inline constexpr double kWorthAWord = 0.02;
/// Of `losses`, those that can be had back and are at least kWorthAWord of the step. The profiler's
/// own work and idle time that nothing explains are none.
[[nodiscard]] std::vector<StepLoss> worthAWord(const StepFigures& figures,
                                               const std::vector<StepLoss>& losses);

/// Whether exposed copies are mostly between host and device; else within or between devices.
[[nodiscard]] bool copiesCrossHost(const StepShares& shares);

/// Whether the device stands idle for collectives long enough to be worth a word.
[[nodiscard]] bool waitsForCollectives(const StepFigures& figures);

/// What is lost, for people: "exposed all-reduce", "host syncs".
[[nodiscard]] std::string lossTitle(const StepFigures& figures, const StepShares& shares,
                                    Loss loss);
/// What to do about it: sentences.
[[nodiscard]] std::string lossAdvice(const StepFigures& figures, const StepShares& shares,
                                     Loss loss);

/// "59.1 ms of the mean step of 177 ms (33 %)", "59.1 ms of the 177 ms (33 %)".
[[nodiscard]] std::string ofEach(const StepFigures& figures, TimeNs part);
/// The same where the mean step was named before: "59.1 ms a step (33 %)".
[[nodiscard]] std::string aStep(const StepFigures& figures, TimeNs part);
/// " At most 2.00 ms of 177 ms can be won …", and what idle time is not in that because nothing
/// is known of it, if it is worth a word; may be empty.
[[nodiscard]] std::string atMost(const StepFigures& figures, TimeNs loss);

/// The host slice that most of the gaps of these causes name as evidence, by time; may be invalid.
[[nodiscard]] SliceId usualHostEvent(const StepFigures& figures,
                                     std::initializer_list<GapCause> causes);

}  // namespace ridgeline
