#pragma once

#include "widgets/timeline/timeline_scene.h"

class QPainter;

namespace ridgeline {

/// Draws a whole scene (ruler, names, rows, overlays) on any painter without a widget: pictures,
/// tests. What it draws is what the screen shows.
class TimelineRenderer {
 public:
  enum class Output {
    pixels,  ///< the screen's own way; the painter's device should have the same pixel ratio
    vector   ///< rectangles and texts, for SVG and PDF
  };
  /// The scene stands at 0,0 of the painter.
  static void render(QPainter& painter, const TimelineScene& scene, Output output,
                     double pixelRatio = 1);
  /// A scene of what a session shows, laid out for `size` without folded or quiet threads being
  /// treated specially; the caller may change any part of it.
  static TimelineScene sceneOf(const Session& session, const QSizeF& size, const QFont& font,
                               const Palette& palette, std::vector<const Overlay*> overlays,
                               const FoldState& folds = {});
  /// What the lanes of overlays ask of the layout.
  static std::vector<LaneRequest> laneRequests(const std::vector<const Overlay*>& overlays);
  /// Whether no slice of a track touches the span (session time).
  static bool isQuiet(const Session& session, std::uint32_t rank, TrackId track, TimeSpan span);
  static std::shared_ptr<const RowLayout> layoutOf(const Session& session, const QFont& font,
                                                   const std::vector<const Overlay*>& overlays,
                                                   const FoldState& folds, TimeSpan span,
                                                   const RowLayout::TrackPredicate& wanted = {});
  static double headerWidthFor(const RowLayout& layout, const QFont& font);
  static double rulerHeightFor(const QFont& font);
};

}  // namespace ridgeline
