#pragma once

#include <QRectF>

#include "widgets/timeline/timeline_scene.h"

class QPainter;

namespace ridgeline {

/// Draws the time axis of a scene into `rect`, whose left and width are those of the rows.
void paintRuler(QPainter& painter, const QRectF& rect, const TimelineScene& scene);

/// Draws the names of lines into `rect`, whose top and height are those of the rows. `hovered` is
/// the index of the line under the cursor, or -1.
void paintHeader(QPainter& painter, const QRectF& rect, const TimelineScene& scene,
                 int hovered = -1);

}  // namespace ridgeline
