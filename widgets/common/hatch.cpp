#include "widgets/common/hatch.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <QLineF>
#include <QPainter>

namespace ridgeline {

void paintHatch(QPainter& painter, const QRectF& rect, const QColor& colour, double spacing) {
  if (rect.isEmpty()) return;
  std::vector<QLineF> lines;
  // On a rising line x + y is constant.
  const double last = rect.right() + rect.bottom();
  for (double sum = std::ceil((rect.left() + rect.top()) / spacing) * spacing; sum < last;
       sum += spacing) {
    const double x0 = std::max(rect.left(), sum - rect.bottom());
    const double x1 = std::min(rect.right(), sum - rect.top());
    if (x1 > x0) lines.emplace_back(x0, sum - x0, x1, sum - x1);
  }
  painter.setPen(QPen(colour, 1));
  painter.drawLines(lines.data(), static_cast<int>(lines.size()));
}

}  // namespace ridgeline
