#pragma once

#include <vector>

#include "core/analysis/step_shares.h"
#include "widgets/common/palette.h"
#include "widgets/panels/share_bar.h"

namespace ridgeline {

/// What a step's time went to, as parts of a bar: in the order of `shares.shares`.
[[nodiscard]] std::vector<ShareBar::Part> barParts(const StepShares& shares,
                                                   const Palette& colours);
[[nodiscard]] bool isIdle(StepPart part);
[[nodiscard]] QColor colourOf(StepPart part, const Palette& colours);

}  // namespace ridgeline
