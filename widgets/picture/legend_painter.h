#pragma once

#include <vector>

#include "widgets/timeline/overlay.h"

class QFont;
class QPainter;

namespace ridgeline {

/// The height of a legend whose entries flow in lines of at most `width`; 0 without entries.
[[nodiscard]] double legendHeight(const std::vector<LegendEntry>& entries, const QFont& font,
                                  double width);
void paintFlowingLegend(QPainter& painter, const QRectF& rect,
                        const std::vector<LegendEntry>& entries, const QFont& font,
                        const Palette& palette);
/// Entries of several sources without repetitions, in their order.
[[nodiscard]] std::vector<LegendEntry> withoutRepetitions(std::vector<LegendEntry> entries);

}  // namespace ridgeline
