#pragma once

#include <memory>
#include <vector>

#include <QString>

#include "core/analysis/analysis_store.h"
#include "widgets/charts/roofline_chart.h"
#include "widgets/common/palette.h"
#include "widgets/models/result_table_model.h"
#include "widgets/panels/bounds_bars.h"

namespace ridgeline::rooflinetexts {

/// What the roofline of one device says in words; the figures are core's.

/// "62 % of kernel time is memory-bound, …; largest: aten::mm 4096×… at 41 % of its roof."
[[nodiscard]] QString sentence(const Roofline& roofline, DeviceId device);
/// Why no kernel of the device has a place, and what to do; empty when one has.
[[nodiscard]] QString whyEmpty(const Workload& workload, const Roofline& roofline, DeviceId device);
/// Why there are no roofs, and what to do; empty when there are.
[[nodiscard]] QString whyNoRoofs(const Roofline& roofline, DeviceId device);
/// "aten::mm · 4096×1024 · 1024×4096 · bf16".
[[nodiscard]] QString nameOf(const RooflinePoint& point);
/// One line: "48 calls · 5.31 ms · 468 TFLOP/s · 62 % of its roof · compute-bound".
[[nodiscard]] QString brief(const RooflinePoint& point);
/// All that is known of a point, with formula, inputs and their sources.
[[nodiscard]] QString hover(const Roofline& roofline, const RooflinePoint& point);
/// The roofs of a device, the achievable ones last, with where they come from.
[[nodiscard]] std::vector<RooflineLine> roofLines(const Roofline& roofline, DeviceId device);
/// The columns of the table whose row i is the point with index rows[i].
[[nodiscard]] std::vector<ResultColumn> columns(std::shared_ptr<const AnalysisResults> results,
                                                std::shared_ptr<const std::vector<int>> rows,
                                                const Palette& colours);
/// Fills the bars of the device's three bounds; false when nothing was measured.
bool fillBounds(BoundsBars& bars, const AnalysisResults& results, DeviceId device,
                const Palette& colours);

}  // namespace ridgeline::rooflinetexts
