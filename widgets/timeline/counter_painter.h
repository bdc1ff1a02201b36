#pragma once

#include "widgets/timeline/timeline_scene.h"

class QPainter;

namespace ridgeline {

/// Draws the counter lines of a scene: for every pixel column the whole range of values that occur
/// in it, never samples.
void paintCounters(QPainter& painter, const TimelineScene& scene);

}  // namespace ridgeline
