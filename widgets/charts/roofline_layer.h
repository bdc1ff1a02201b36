#pragma once

#include <vector>

#include <QFont>
#include <QGraphicsItem>
#include <QPolygonF>
#include <QSet>

#include "widgets/charts/roofline_chart.h"
#include "widgets/common/palette.h"

namespace ridgeline {

/// Draws what a roofline has beyond axes and lines: points by area, names that keep out of each
/// other's way, ridge points, the lasso. Lies over the plot area of a chart; the owner sets the
/// geometry. Invariant: `points` are sorted by weight, heaviest first.
class RooflineLayer : public QGraphicsItem {
 public:
  struct Range {
    double low = 0, high = 1;  ///< exponents of ten
    [[nodiscard]] double at(double value, double from, double to) const;
  };

  std::vector<RooflineMark> points;
  std::vector<RooflineLine> roofs;
  std::vector<ChartKey> keys;
  QString title;
  QSet<int> highlighted;
  int hovered = -1;
  QPolygonF lasso;
  Range x, y;
  const Palette* palette = &Palette::light();
  QFont font;

  /// `whole` is the chart with its margins, `plot` the area between the axes.
  void setGeometry(const QRectF& whole, const QRectF& plot);
  /// What the title and the keys need above the plot of a chart of that size. A low chart leaves
  /// the keys out, so that the plot keeps most of it.
  [[nodiscard]] double headerHeight(QSizeF whole) const;
  [[nodiscard]] QPointF centreOf(const RooflineMark& point) const;
  [[nodiscard]] double radiusOf(const RooflineMark& point) const;
  /// The smallest point there, or null.
  [[nodiscard]] const RooflineMark* pointAt(QPointF position) const;
  /// The roof whose line passes there, or null; the achievable one where two do.
  [[nodiscard]] const RooflineLine* roofAt(QPointF position) const;
  /// The memory roof of a kind, or null.
  [[nodiscard]] const RooflineLine* memory(bool achievable = false) const;

  [[nodiscard]] QRectF boundingRect() const override { return whole_; }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  double layOutHeader(double width, bool withKeys, QPainter* painter) const;
  [[nodiscard]] bool hasRoomForKeys(QSizeF whole) const;
  [[nodiscard]] std::vector<ChartKey> brokenKeys(const QFontMetricsF& metrics, double width) const;
  void paintPoint(QPainter& painter, const RooflineMark& point, bool dim) const;
  void nameRoofs(QPainter& painter);
  void nameSlope(QPainter& painter, const RooflineLine& slope);
  void nameRidges(QPainter& painter);
  void namePoints(QPainter& painter);
  [[nodiscard]] bool isFree(const QPolygonF& shape, bool overPoints) const;
  [[nodiscard]] bool crossesRoof(const QRectF& rect) const;
  [[nodiscard]] std::vector<const RooflineLine*> flatRoofs(bool achievable = false) const;
  bool place(QPainter& painter, const QString& text, const QList<QPointF>& corners,
             const QColor& colour, bool must, bool overPoints);
  void nameAchievable(QPainter& painter);
  [[nodiscard]] double px(double intensity) const {
    return x.at(intensity, plot_.left(), plot_.right());
  }
  [[nodiscard]] double py(double rate) const { return y.at(rate, plot_.bottom(), plot_.top()); }

  QRectF whole_, plot_;
  std::vector<QPolygonF> taken_;  ///< where texts already stand, during one paint
};

}  // namespace ridgeline
