#pragma once

#include <QColor>
#include <QRectF>

class QPainter;

namespace ridgeline {

/// Fills with thin rising diagonals, drawn as lines: they scale with the picture and stay vectors
/// in SVG and PDF, where a pattern brush would become an embedded bitmap. Neighbouring areas
/// continue each other's lines.
void paintHatch(QPainter& painter, const QRectF& rect, const QColor& colour, double spacing = 6);

}  // namespace ridgeline
