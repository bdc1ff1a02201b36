#pragma once

#include <vector>

#include <QColor>
#include <QImage>
#include <QList>
#include <QString>
#include <QWidget>

class QPainter;

namespace ridgeline {

/// One point of a roofline chart. Points without arithmetic have no place on it.
struct RooflineMark {
  int id = -1;             ///< handed back by the signals
  double intensity = 0;    ///< FLOP/byte, > 0
  double performance = 0;  ///< FLOP/s, > 0
  double weight = 0;       ///< ≥ 0, any unit (time): the area of the point
  QColor colour;
  bool hollow = false;  ///< its place is inferred or an upper bound
  bool above = false;   ///< above its roof by more than can be measured
  QString name;         ///< beside the point when it is highlighted or among the largest
  QString hover;
};

/// A roof of a roofline chart: what the arithmetic (FLOP/s) or the memory (bytes/s) allows.
struct RooflineLine {
  enum class Kind { compute, memory };
  Kind kind = Kind::compute;
  double value = 0;         ///< > 0
  QString name;             ///< "bf16", "memory"
  QString label;            ///< "bf16 989 TFLOP/s"
  bool achievable = false;  ///< what is reached, below a datasheet's: thinner and dashed
  QString hover = {};
};

/// What a colour of the chart means.
struct ChartKey {
  QString name;
  QColor colour;            ///< of a dot; invalid: text alone
  bool dashedLine = false;  ///< a dashed line instead of a dot
};

/// A log-log chart of performance over arithmetic intensity with its roofs and ridge points.
/// The panels know nothing of Qt Charts: data come in and ids go out here.
/// Shows the kMaxPoints heaviest points; more would take seconds to draw.
class RooflineChart : public QWidget {
  Q_OBJECT

 public:
  static constexpr std::size_t kMaxPoints = 5000;

  explicit RooflineChart(QWidget* parent = nullptr);
  ~RooflineChart() override;

  void setTitle(const QString& title);
  void setData(std::vector<RooflineMark> points);
  void setRoofs(std::vector<RooflineLine> roofs);
  void setKeys(std::vector<ChartKey> keys);
  /// These are bright and named, the others dimmed; none: all as they are.
  void setHighlighted(const QList<int>& ids);
  [[nodiscard]] QList<int> highlighted() const;
  [[nodiscard]] int pointCount() const;
  /// Where a point's centre is, in this widget; null when it is not shown.
  [[nodiscard]] QPointF positionOf(int id) const;
  /// What the roof near a place in this widget is, and where it comes from; empty without one.
  [[nodiscard]] QString roofHoverAt(QPointF position) const;
  [[nodiscard]] const std::vector<RooflineLine>& roofs() const;
  [[nodiscard]] const std::vector<ChartKey>& keys() const;

  /// The chart as on the screen, laid out for `target`: real vectors and text where the painter
  /// keeps them (SVG).
  void renderTo(QPainter& painter, const QRectF& target);
  [[nodiscard]] QImage toImage(QSize size, double pixelRatio = 1);

  [[nodiscard]] QSize sizeHint() const override { return {560, 380}; }
  [[nodiscard]] QSize minimumSizeHint() const override { return {220, 180}; }

 Q_SIGNALS:
  void pointClicked(int id);
  void pointHovered(int id);  ///< -1: none any more
  void lassoSelected(const QList<int>& ids);
  void backgroundClicked();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  class View;
  View* view_;
};

}  // namespace ridgeline
