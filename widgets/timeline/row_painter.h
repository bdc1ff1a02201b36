#pragma once

#include <optional>
#include <vector>

#include <QImage>
#include <QRgb>

#include "core/index/visible_runs.h"
#include "widgets/timeline/label_cache.h"
#include "widgets/timeline/run_colours.h"
#include "widgets/timeline/time_ticks.h"
#include "widgets/timeline/timeline_scene.h"

namespace ridgeline {

/// Draws the rows of a scene into an image of device pixels (at the scene's rowsArea() moved to
/// 0,0). Cost is bounded by pixels, not by slices. Keeps the label cache and scratch memory between
/// frames; overlays, header and ruler are drawn by others.
class RowPainter {
 public:
  /// `image` has the size rowsArea() × ratio, Format_RGB32, and the device pixel ratio set.
  void paint(QImage& image, const TimelineScene& scene);
  /// Some labels were left for the next frame.
  [[nodiscard]] bool wantsAnotherFrame() const { return labels_.ranOut(); }
  /// The same without an image: rectangles and texts on any painter (SVG, PDF), at the scene's
  /// place.
  static void paintVector(QPainter& painter, const TimelineScene& scene);
  /// Whether a track gets the second background: every other track of the trace.
  [[nodiscard]] static bool isAlternate(const LayoutLine& line) {
    return line.track.valid() && line.track.value % 2 == 1;
  }

 private:
  struct PlacedLabel {
    int x = 0, y = 0, width = 0, height = 0;
    std::uint32_t rank = 0;
    SliceId slice;
    QRgb colour = 0;
  };
  void prepare(const QImage& image, const TimelineScene& scene);
  void paintBackground(QImage& image, const TimelineScene& scene) const;
  void paintRow(QImage& image, const TimelineScene& scene, const LayoutLine& line, bool alternate);
  void paintSelected(const TimelineScene& scene, const LayoutLine& line, bool alternate);
  void paintLabels(QImage& image, const TimelineScene& scene);

  LabelCache labels_;
  const Palette* palette_ = nullptr;
  std::optional<RunColours> colours_[2];  // on background, on alternate
  std::vector<QRgb> background_[2];       // one line each, with the grid
  std::vector<QRgb> middle_, edge_;
  std::vector<VisibleRun> runs_;
  std::vector<VisibleRun> selectedRuns_;
  std::vector<PlacedLabel> placed_;
};

/// The slices of a row that belong to the selection, as at most `width` runs.
void selectedRuns(const Session& session, std::uint32_t rank, RowId row, TimeSpan span, int width,
                  std::vector<VisibleRun>& runs);

}  // namespace ridgeline
