#include "widgets/charts/roofline_layer.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QPainter>

namespace ridgeline {

namespace {

constexpr double kLeastDiameter = 5;
constexpr double kLargestDiameter = 38;
constexpr int kNamedPoints = 3;       ///< the heaviest are named without being asked
constexpr int kPointsKeptFree = 200;  ///< names keep off the heaviest points, not off every dot
constexpr double kDimmed = 0.3;
constexpr double kMostHeader = 0.25;  ///< of the chart's height for the title and the keys
constexpr double kRoofReach = 4;      ///< so near the pointer is on a roof's line

QColor withAlpha(QColor colour, double alpha) {
  colour.setAlphaF(static_cast<float>(alpha));
  return colour;
}

}  // namespace

double RooflineLayer::Range::at(double value, double from, double to) const {
  return from + (std::log10(value) - low) / (high - low) * (to - from);
}

void RooflineLayer::setGeometry(const QRectF& whole, const QRectF& plot) {
  prepareGeometryChange();
  whole_ = whole;
  plot_ = plot;
}

const RooflineLine* RooflineLayer::memory(bool achievable) const {
  for (const RooflineLine& roof : roofs)
    if (roof.kind == RooflineLine::Kind::memory && roof.achievable == achievable) return &roof;
  return nullptr;
}

const RooflineLine* RooflineLayer::roofAt(QPointF position) const {
  if (!plot_.contains(position)) return nullptr;
  for (const bool achievable : {true, false}) {
    const RooflineLine* slope = memory(achievable);
    const auto flat = flatRoofs(achievable);
    for (const RooflineLine* roof : flat) {
      const double ridge = slope != nullptr ? px(roof->value / slope->value) : plot_.left();
      if (position.x() >= ridge - kRoofReach &&
          std::abs(py(roof->value) - position.y()) <= kRoofReach)
        return roof;
    }
    if (slope == nullptr) continue;
    const double exponent =
        x.low + (position.x() - plot_.left()) / plot_.width() * (x.high - x.low);
    const double rate = std::pow(10, exponent) * slope->value;
    if (!flat.empty() && rate > flat.front()->value) continue;
    if (std::abs(py(rate) - position.y()) <= 1.5 * kRoofReach) return slope;
  }
  return nullptr;
}

QPointF RooflineLayer::centreOf(const RooflineMark& point) const {
  return {std::clamp(px(point.intensity), plot_.left(), plot_.right()),
          std::clamp(py(point.performance), plot_.top(), plot_.bottom())};
}

double RooflineLayer::radiusOf(const RooflineMark& point) const {
  const double most = points.empty() ? 1 : points.front().weight;
  const double share = most > 0 ? point.weight / most : 0;
  const double largest = std::min(kLargestDiameter, plot_.height() / 7);
  return std::max(kLeastDiameter, largest * std::sqrt(share)) / 2;
}

const RooflineMark* RooflineLayer::pointAt(QPointF position) const {
  const RooflineMark* found = nullptr;
  // The lightest is drawn last, so it is on top.
  for (auto it = points.rbegin(); it != points.rend() && found == nullptr; ++it) {
    const QPointF d = centreOf(*it) - position;
    if (std::hypot(d.x(), d.y()) <= radiusOf(*it) + 2) found = &*it;
  }
  return found;
}

bool RooflineLayer::hasRoomForKeys(QSizeF whole) const {
  const double header = layOutHeader(whole.width(), true, nullptr);
  return header <= QFontMetricsF(font).height() * 1.5 || header <= whole.height() * kMostHeader;
}

double RooflineLayer::headerHeight(QSizeF whole) const {
  return layOutHeader(whole.width(), hasRoomForKeys(whole), nullptr);
}

/// The keys; one without a colour that is too long for a line is broken at its dots.
std::vector<ChartKey> RooflineLayer::brokenKeys(const QFontMetricsF& metrics, double width) const {
  std::vector<ChartKey> broken;
  for (const ChartKey& key : keys) {
    if (key.colour.isValid() || metrics.horizontalAdvance(key.name) <= width) {
      broken.push_back(key);
      continue;
    }
    for (const QString& part : key.name.split(QStringLiteral(" · ")))
      broken.push_back({part, QColor(), false});
  }
  return broken;
}

/// The title and, after it, what the colours mean, in as many lines as it takes.
double RooflineLayer::layOutHeader(double width, bool withKeys, QPainter* painter) const {
  QFont bold = font;
  bold.setBold(true);
  const QFontMetricsF metrics(font);
  const double line = metrics.height() + 3;
  const double left = 12;
  double at = left, top = 4;
  if (!title.isEmpty()) {
    const QFontMetricsF boldMetrics(bold);
    const QString text = boldMetrics.elidedText(title, Qt::ElideMiddle, width - 8 - left);
    const double size = boldMetrics.horizontalAdvance(text);
    if (painter != nullptr) {
      painter->setFont(bold);
      painter->setPen(palette->text);
      painter->drawText(QPointF(at, top + metrics.ascent()), text);
      painter->setFont(font);
    }
    at += size + 18;
  }
  if (!withKeys) return top + line + 2;
  for (const ChartKey& key : brokenKeys(metrics, width - 8 - left)) {
    const bool swatch = key.colour.isValid();
    const double room = !swatch ? 0 : key.dashedLine ? 28 : 14;
    const double size = metrics.horizontalAdvance(key.name) + room;
    if (at > left && at + size > width - 8) {
      at = left;
      top += line;
    }
    if (painter != nullptr) {
      if (swatch && key.dashedLine) {
        painter->setPen(QPen(key.colour, 1, Qt::DashLine));
        const double middle = top + metrics.height() / 2;
        painter->drawLine(QPointF(at, middle), QPointF(at + 23, middle));
      } else if (swatch) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(key.colour);
        painter->drawEllipse(QPointF(at + 5, top + metrics.height() / 2), 4.5, 4.5);
      }
      painter->setPen(palette->mutedText);
      painter->drawText(QPointF(at + room, top + metrics.ascent()), key.name);
    }
    at += size + 14;
  }
  return top + line + 2;
}

/// Highest first.
std::vector<const RooflineLine*> RooflineLayer::flatRoofs(bool achievable) const {
  std::vector<const RooflineLine*> flat;
  for (const RooflineLine& roof : roofs)
    if (roof.kind == RooflineLine::Kind::compute && roof.achievable == achievable)
      flat.push_back(&roof);
  std::sort(flat.begin(), flat.end(),
            [](const auto* a, const auto* b) { return a->value > b->value; });
  return flat;
}

bool RooflineLayer::crossesRoof(const QRectF& rect) const {
  const RooflineLine* slope = memory();
  const auto flat = flatRoofs();
  for (const RooflineLine* roof : flat) {
    const double line = py(roof->value);
    const double ridge = slope != nullptr ? px(roof->value / slope->value) : plot_.left();
    if (line > rect.top() && line < rect.bottom() && rect.right() > ridge) return true;
  }
  if (slope == nullptr) return false;
  const double end = flat.empty() ? plot_.right() : px(flat.front()->value / slope->value);
  if (rect.left() >= end) return false;
  const auto heightAt = [&](double at) {
    const double exponent = x.low + (at - plot_.left()) / plot_.width() * (x.high - x.low);
    return py(std::pow(10, exponent) * slope->value);
  };
  return heightAt(rect.left()) > rect.top() &&
         heightAt(std::min(rect.right(), end)) < rect.bottom();
}

bool RooflineLayer::isFree(const QPolygonF& shape, bool overPoints) const {
  const QRectF rect = shape.boundingRect();
  if (!plot_.contains(rect)) return false;
  for (const QPolygonF& other : taken_)
    if (other.intersects(shape)) return false;
  if (overPoints) return true;
  const std::size_t count = std::min<std::size_t>(points.size(), kPointsKeptFree);
  for (std::size_t i = 0; i < count; ++i) {
    const QPointF c = centreOf(points[i]);
    const double r = radiusOf(points[i]);
    if (!rect.adjusted(-r, -r, r, r).contains(c)) continue;
    QPolygonF box(QRectF(c.x() - r * 0.8, c.y() - r * 0.8, r * 1.6, r * 1.6));
    if (box.intersects(shape)) return false;
  }
  return true;
}

/// Writes `text` with its top left at the first corner that is free; if it must stand somewhere,
/// at the first corner moved into the plot.
bool RooflineLayer::place(QPainter& painter, const QString& text, const QList<QPointF>& corners,
                          const QColor& colour, bool must, bool overPoints) {
  const QFontMetricsF metrics(painter.font());
  const QSizeF size(metrics.horizontalAdvance(text) + 6, metrics.height());
  QRectF rect;
  bool onPoints = false;
  for (const bool over : {false, true}) {
    if (over && !overPoints) break;
    for (const QPointF& corner : corners) {
      const QRectF candidate(corner, size);
      if (isFree(QPolygonF(candidate), over) && !crossesRoof(candidate)) {
        rect = candidate;
        onPoints = over;
        break;
      }
    }
    if (!rect.isNull()) break;
  }
  if (rect.isNull() && must) {
    rect = QRectF(corners.front(), size);
    rect.moveLeft(std::clamp(rect.left(), plot_.left(),
                             std::max(plot_.left(), plot_.right() - size.width())));
    rect.moveTop(std::clamp(rect.top(), plot_.top(), plot_.bottom() - size.height()));
  }
  if (rect.isNull()) return false;
  // On points a name needs a ground of its own to be read.
  if (!overPoints || must || onPoints) painter.fillRect(rect, withAlpha(palette->background, 0.8));
  painter.setPen(colour);
  painter.drawText(QPointF(rect.left() + 3, rect.top() + metrics.ascent()), text);
  taken_.push_back(QPolygonF(rect));
  return true;
}

void RooflineLayer::paintPoint(QPainter& painter, const RooflineMark& point, bool dim) const {
  const double alpha = dim ? kDimmed : 1;
  const QPointF centre = centreOf(point);
  const double r = radiusOf(point);
  const bool lit = highlighted.contains(point.id);
  painter.setBrush(withAlpha(point.colour, alpha * (point.hollow ? 0.12 : 0.72)));
  painter.setPen(QPen(withAlpha(point.colour, alpha), point.hollow ? 1.6 : 1));
  painter.drawEllipse(centre, r, r);
  if (point.above && r > 3) {  // a tick upwards: more than its roof allows
    painter.setPen(QPen(withAlpha(palette->warning, alpha), 1.6));
    const QPointF top = centre - QPointF(0, r + 3);
    painter.drawPolyline(
        QPolygonF({top + QPointF(-3, 2), top + QPointF(0, -2), top + QPointF(3, 2)}));
  }
  if (lit || point.id == hovered) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette->accent, lit ? 2.2 : 1.4));
    painter.drawEllipse(centre, r + 1.5, r + 1.5);
  }
}

void RooflineLayer::nameRoofs(QPainter& painter) {
  const QFontMetricsF metrics(font);
  const auto flat = flatRoofs();
  const RooflineLine* slope = memory();
  for (const RooflineLine* roof : flat) {
    const double line = py(roof->value);
    const double width = metrics.horizontalAdvance(roof->label) + 6;
    const double ridge = slope != nullptr ? px(roof->value / slope->value) : plot_.left();
    QList<QPointF> corners;
    // At the right end above the line, else below it, else further left along the line.
    for (double right = plot_.right() - 2; right - width > ridge; right -= width / 3)
      corners << QPointF(right - width, line - metrics.height() - 1)
              << QPointF(right - width, line + 1);
    place(painter, roof->label, corners, palette->text, false, true);
  }
  if (slope != nullptr) nameSlope(painter, *slope);
}

/// Along the line, a little above it, where no point is if there is such a place.
void RooflineLayer::nameSlope(QPainter& painter, const RooflineLine& slope) {
  const QFontMetricsF metrics(font);
  const auto flat = flatRoofs();
  const double top = flat.empty() ? std::pow(10, y.high) : flat.front()->value;
  const double startX = std::max(std::pow(10, x.low), std::pow(10, y.low) / slope.value);
  const QPointF from(px(startX), py(startX * slope.value));
  const QPointF to(px(top / slope.value), py(top));
  const QPointF along = to - from;
  const double length = std::hypot(along.x(), along.y());
  const double width = metrics.horizontalAdvance(slope.label);
  if (to.x() <= from.x() || length < width * 1.2) return;
  const QPointF unit = along / length;
  for (const bool overPoints : {false, true})
    for (const double share : {0.4, 0.5, 0.3, 0.6, 0.2, 0.7, 0.8}) {
      const QPointF start = from + unit * (length * share - width / 2);
      QTransform transform;
      transform.translate(start.x(), start.y());
      transform.rotateRadians(std::atan2(along.y(), along.x()));
      const QPolygonF box =
          transform.map(QPolygonF(QRectF(-2, -metrics.height() - 1, width + 4, metrics.height())));
      if (!isFree(box, overPoints)) continue;
      painter.save();
      painter.setTransform(transform, true);
      if (overPoints)
        painter.fillRect(QRectF(-2, -metrics.height(), width + 4, metrics.height() - 2),
                         withAlpha(palette->background, 0.8));
      painter.setPen(palette->text);
      painter.drawText(QPointF(0, -metrics.descent() - 2), slope.label);
      painter.restore();
      taken_.push_back(box);
      return;
    }
}

/// The achievable roofs, in the muted colour, where there is room beside the others' names.
void RooflineLayer::nameAchievable(QPainter& painter) {
  const QFontMetricsF metrics(font);
  const RooflineLine* slope = memory(true);
  for (const RooflineLine* roof : flatRoofs(true)) {
    const double line = py(roof->value);
    const double width = metrics.horizontalAdvance(roof->label) + 6;
    const double ridge = slope != nullptr ? px(roof->value / slope->value) : plot_.left();
    QList<QPointF> corners;
    for (double right = plot_.right() - 2; right - width > ridge; right -= width / 3)
      corners << QPointF(right - width, line + 1)
              << QPointF(right - width, line - metrics.height() - 1);
    place(painter, roof->label, corners, palette->mutedText, false, false);
  }
}

void RooflineLayer::nameRidges(QPainter& painter) {
  const RooflineLine* slope = memory();
  if (slope == nullptr) return;
  const QFontMetricsF metrics(font);
  const double h = metrics.height();
  for (const RooflineLine* roof : flatRoofs()) {
    const double ridge = roof->value / slope->value;
    const QPointF at(px(ridge), py(roof->value));
    if (!plot_.contains(at)) continue;
    painter.setPen(QPen(palette->text, 1.2));
    painter.setBrush(palette->background);
    painter.drawPolygon(QPolygonF({at + QPointF(0, -4.5), at + QPointF(4.5, 0),
                                   at + QPointF(0, 4.5), at + QPointF(-4.5, 0)}));
    const QString text =
        QObject::tr("ridge point %1: %2 FLOP/byte").arg(roof->name, QString::number(ridge, 'g', 3));
    const double width = metrics.horizontalAdvance(text) + 6;
    place(painter, text,
          {at + QPointF(-width - 7, -h - 1), at + QPointF(-width - 7, -h / 2),
           at + QPointF(-width * 0.7, -h - 7), at + QPointF(6, 5), at + QPointF(12, h),
           at + QPointF(-width - 12, -2 * h)},
          palette->mutedText, false, true);
  }
}

void RooflineLayer::namePoints(QPainter& painter) {
  const QFontMetricsF metrics(font);
  const auto nameOf = [&](const RooflineMark& point, bool must, bool far) {
    const QString text = metrics.elidedText(point.name, Qt::ElideMiddle, plot_.width() * 0.5);
    const QPointF c = centreOf(point);
    const double r = radiusOf(point) + 3;
    const double w = metrics.horizontalAdvance(text) + 6;
    const double h = metrics.height();
    QList<QPointF> corners{c + QPointF(r, -h / 2),      c + QPointF(-r - w, -h / 2),
                           c + QPointF(-w / 2, -r - h), c + QPointF(-w / 2, r),
                           c + QPointF(r, -r - h),      c + QPointF(r, r),
                           c + QPointF(-r - w, -r - h), c + QPointF(-r - w, r)};
    if (far)  // it stands further away rather than on something else
      for (double away = r + h; away < (must ? plot_.height() : r + 3 * h); away += h)
        for (const double side : {-w / 2, -w, 0.0})
          corners << c + QPointF(side, away) << c + QPointF(side, -away - h);
    if (!place(painter, text, corners, must ? palette->text : palette->mutedText, must, must) ||
        !far)
      return;
    // A line to a name that stands away from its point.
    const QRectF box = taken_.back().boundingRect();
    const QPointF end(std::clamp(c.x(), box.left(), box.right()),
                      std::clamp(c.y(), box.top(), box.bottom()));
    const QLineF leader(c, end);
    if (leader.length() < r + h / 2) return;
    painter.setPen(QPen(palette->text, 1));
    painter.drawLine(QLineF(leader.pointAt((r - 1) / leader.length()), end));
  };
  if (!highlighted.isEmpty()) {
    int named = 0;
    for (const RooflineMark& point : points)
      if (highlighted.contains(point.id) && named < kNamedPoints) {
        nameOf(point, named == 0, named == 0);
        ++named;
      }
    return;
  }
  for (std::size_t i = 0; i < points.size() && i < kNamedPoints; ++i)
    nameOf(points[i], false, i == 0);
}

void RooflineLayer::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setFont(font);
  layOutHeader(whole_.width(), hasRoomForKeys(whole_.size()), painter);
  taken_.clear();
  painter->setClipRect(plot_.adjusted(-2, -2, 2, 2));
  const bool dim = !highlighted.isEmpty();
  for (const RooflineMark& point : points)
    if (!highlighted.contains(point.id)) paintPoint(*painter, point, dim);
  for (const RooflineMark& point : points)
    if (highlighted.contains(point.id)) paintPoint(*painter, point, false);
  painter->setFont(font);
  nameRoofs(*painter);
  nameAchievable(*painter);
  nameRidges(*painter);
  namePoints(*painter);
  if (lasso.size() > 1) {
    painter->setPen(QPen(palette->mark, 1.4, Qt::DashLine));
    painter->setBrush(withAlpha(palette->mark, 0.12));
    painter->drawPolygon(lasso);
  }
}

}  // namespace ridgeline
