#include "widgets/charts/roofline_chart.h"

#include <algorithm>
#include <cmath>

#include <QCategoryAxis>
#include <QChart>
#include <QEvent>
#include <QGraphicsScene>
#include <QGraphicsView>
#include <QLineSeries>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>

#include "widgets/charts/roofline_layer.h"

namespace ridgeline {

namespace {

/// A press that moves less far is a click.
constexpr double kClickReach = 4;
/// Points further below the highest roof than this stand at the lower edge.
constexpr double kMostDecades = 9;

/// "1", "100 k", "10 T": powers of ten with SI prefixes.
QString powerText(int exponent) {
  static const QStringList kPrefixes = {
      QStringLiteral("f"), QStringLiteral("p"), QStringLiteral("n"), QStringLiteral("µ"),
      QStringLiteral("m"), QString(),           QStringLiteral("k"), QStringLiteral("M"),
      QStringLiteral("G"), QStringLiteral("T"), QStringLiteral("P"), QStringLiteral("E")};
  const int group = static_cast<int>(std::floor(exponent / 3.0));
  if (group < -5 || group > 6) return QStringLiteral("1e%1").arg(exponent);
  const int rest = exponent - 3 * group;
  const QString number = rest == 0   ? QStringLiteral("1")
                         : rest == 1 ? QStringLiteral("10")
                                     : QStringLiteral("100");
  const QString& prefix = kPrefixes[group + 5];
  return prefix.isEmpty() ? number : number + u' ' + prefix;
}

/// "0.1" and "0.01" as people write them, "10⁻⁴" below.
QString intensityText(int exponent) {
  if (exponent >= 0) return powerText(exponent);
  if (exponent >= -2) return QString::number(std::pow(10, exponent));
  static const QString kDigits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
  QString text = QStringLiteral("10⁻");
  for (const QChar digit : QString::number(-exponent)) text += kDigits[digit.digitValue()];
  return text;
}

/// Whole decades around all values, at least two.
RooflineLayer::Range rangeOf(double least, double most) {
  RooflineLayer::Range range;
  range.low = std::floor(std::log10(least) - 0.1);
  range.high = std::ceil(std::log10(most) + 0.15);
  if (range.high - range.low < 2) range.low = range.high - 2;
  return range;
}

}  // namespace

/// The scene with Qt's chart (axes, grid, roofs) and our layer on top, and the mouse.
class RooflineChart::View : public QGraphicsView {
 public:
  explicit View(RooflineChart* owner) : QGraphicsView(owner), owner_(owner) {
    setScene(new QGraphicsScene(this));
    setFrameShape(NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setRenderHint(QPainter::Antialiasing);
    viewport()->setMouseTracking(true);
    chart_ = new QChart;
    scene()->addItem(chart_);
    layer_ = new RooflineLayer;
    layer_->setZValue(10);
    scene()->addItem(layer_);
    chart_->legend()->hide();
    chart_->setBackgroundRoundness(0);
    chart_->addAxis(x_ = new QCategoryAxis, Qt::AlignBottom);
    chart_->addAxis(y_ = new QCategoryAxis, Qt::AlignLeft);
    for (QCategoryAxis* axis : {x_, y_})
      axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    x_->setTitleText(RooflineChart::tr("Arithmetic intensity (FLOP/byte)"));
    y_->setTitleText(RooflineChart::tr("Performance (FLOP/s)"));
    restyle();
  }

  [[nodiscard]] RooflineLayer& layer() { return *layer_; }
  [[nodiscard]] const RooflineLayer& layer() const { return *layer_; }

  void restyle() {
    const Palette& p = Palette::of(owner_->palette());
    layer_->palette = &p;
    layer_->font = owner_->font();
    setBackgroundBrush(p.background);
    chart_->setBackgroundBrush(p.background);
    chart_->setBackgroundPen(Qt::NoPen);
    QFont small = owner_->font();
    if (small.pointSizeF() > 8) small.setPointSizeF(small.pointSizeF() - 1);
    for (QCategoryAxis* axis : {x_, y_}) {
      axis->setLabelsBrush(p.mutedText);
      axis->setLabelsFont(small);
      axis->setTitleBrush(p.text);
      axis->setTitleFont(owner_->font());
      axis->setLinePen(QPen(p.line, 1));
      axis->setGridLinePen(QPen(p.grid, 1));
    }
    rebuild();
  }

  /// Axes and roofs anew, after data, roofs or theme changed.
  void rebuild() {
    hoveredRoof_ = nullptr;
    findRanges();
    everyX_ = everyY_ = 0;  // the ticks are of other ranges
    chart_->removeAllSeries();
    addRoofs();
    layOut(size());
  }

  void layOut(QSizeF size) {
    setTicks(size);
    if (size.isEmpty()) return;
    const int header = static_cast<int>(std::ceil(layer_->headerHeight(size)));
    chart_->setMargins(QMargins(4, header, 24, 2));
    chart_->resize(size);
    setSceneRect(QRectF(QPointF(), size));
    layer_->setGeometry(QRectF(QPointF(), size), chart_->plotArea());
    layer_->update();
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QGraphicsView::resizeEvent(event);
    layOut(event->size());
  }
  void showEvent(QShowEvent* event) override {
    QGraphicsView::showEvent(event);
    layOut(size());
  }
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }

  void mousePressEvent(QMouseEvent* event) override {
    if (event->button() != Qt::LeftButton) return;
    pressed_ = true;
    press_ = event->position();
    layer_->lasso.clear();
  }

  void mouseMoveEvent(QMouseEvent* event) override {
    const QPointF at = event->position();
    if (pressed_) {
      if (layer_->lasso.isEmpty() && QLineF(at, press_).length() < kClickReach) return;
      if (layer_->lasso.isEmpty()) layer_->lasso << press_;
      layer_->lasso << at;
      layer_->update();
      return;
    }
    const RooflineMark* point = layer_->pointAt(at);
    const int id = point != nullptr ? point->id : -1;
    viewport()->setCursor(point != nullptr ? Qt::PointingHandCursor : Qt::ArrowCursor);
    hoverRoof(point == nullptr ? layer_->roofAt(at) : nullptr, event->globalPosition().toPoint());
    if (id == layer_->hovered) return;
    layer_->hovered = id;
    layer_->update();
    if (point != nullptr || hoveredRoof_ == nullptr)
      QToolTip::showText(event->globalPosition().toPoint(),
                         point != nullptr ? point->hover : QString(), this);
    Q_EMIT owner_->pointHovered(id);
  }

  void mouseReleaseEvent(QMouseEvent* event) override {
    if (event->button() != Qt::LeftButton || !pressed_) return;
    pressed_ = false;
    if (layer_->lasso.size() > 2) {
      QList<int> ids;
      for (const RooflineMark& point : layer_->points)
        if (layer_->lasso.containsPoint(layer_->centreOf(point), Qt::OddEvenFill)) ids << point.id;
      layer_->lasso.clear();
      layer_->update();
      if (!ids.isEmpty()) Q_EMIT owner_->lassoSelected(ids);
      return;
    }
    layer_->lasso.clear();
    if (const RooflineMark* point = layer_->pointAt(event->position()))
      Q_EMIT owner_->pointClicked(point->id);
    else
      Q_EMIT owner_->backgroundClicked();
  }

  void leaveEvent(QEvent* event) override {
    QGraphicsView::leaveEvent(event);
    hoveredRoof_ = nullptr;
    if (layer_->hovered < 0) return;
    layer_->hovered = -1;
    layer_->update();
    Q_EMIT owner_->pointHovered(-1);
  }

 private:
  void hoverRoof(const RooflineLine* roof, QPoint at) {
    if (roof == hoveredRoof_) return;
    hoveredRoof_ = roof;
    QToolTip::showText(at, roof != nullptr ? roof->hover : QString(), this);
  }

  /// Ranges that hold all points, the roofs and the ridge points.
  void findRanges() {
    std::vector<double> xs, ys;
    for (const RooflineMark& point : layer_->points) {
      xs.push_back(point.intensity);
      ys.push_back(point.performance);
    }
    const double bandwidth = std::max(bandwidthOf(false), bandwidthOf(true));
    for (const RooflineLine& roof : layer_->roofs) {
      if (roof.kind != RooflineLine::Kind::compute) continue;
      ys.push_back(roof.value);
      const double own = bandwidthOf(roof.achievable);
      if (own > 0) xs.push_back(roof.value / own);
    }
    if (xs.empty()) xs = {0.1, 1000};
    if (ys.empty()) ys = {1e9, 1e14};
    const auto [lowX, highX] = std::minmax_element(xs.begin(), xs.end());
    layer_->x = rangeOf(*lowX, *highX);
    // Room to the right of the ridge, where the flat roofs are named.
    if (bandwidth > 0 && layer_->x.high - std::log10(*highX) < 1.5) layer_->x.high += 1;
    const auto [lowY, highY] = std::minmax_element(ys.begin(), ys.end());
    layer_->y = rangeOf(*lowY, *highY);
    layer_->y.low = std::max(layer_->y.low, layer_->y.high - kMostDecades);
    layer_->x.low = std::max(layer_->x.low, layer_->x.high - kMostDecades);
  }

  [[nodiscard]] double bandwidthOf(bool achievable) const {
    const RooflineLine* roof = layer_->memory(achievable);
    return roof != nullptr ? roof->value : 0;
  }

  /// A tick every so many decades that no label of the axes must be cut off.
  void setTicks(QSizeF size) {
    const QFontMetricsF metrics(y_->labelsFont());
    const double header = layer_->headerHeight(size);
    const auto every = [](const RooflineLayer::Range& range, double room, double label) {
      return static_cast<int>(
          std::clamp(std::ceil((range.high - range.low) * label / std::max(room, 1.0)), 1.0, 6.0));
    };
    const int x = every(layer_->x, size.width() - 5 * metrics.height(),
                        metrics.horizontalAdvance(QStringLiteral("100 M")) + 16);
    const int y =
        every(layer_->y, size.height() - header - 4 * metrics.height(), 1.5 * metrics.height());
    if (x != everyX_) setTicks(x_, layer_->x, intensityText, x);
    if (y != everyY_) setTicks(y_, layer_->y, powerText, y);
    everyX_ = x;
    everyY_ = y;
  }

  static void setTicks(QCategoryAxis* axis, const RooflineLayer::Range& range, QString (*text)(int),
                       int every) {
    for (const QString& label : axis->categoriesLabels()) axis->remove(label);
    axis->setStartValue(range.low - 1);
    axis->setRange(range.low, range.high);
    for (int e = static_cast<int>(range.low); e <= static_cast<int>(range.high); e += every)
      axis->append(text(e), e);
  }

  void addLine(QPointF from, QPointF to, bool achievable) {
    auto* series = new QLineSeries;
    series->append(from);
    series->append(to);
    series->setPen(achievable ? QPen(layer_->palette->mutedText, 1, Qt::DashLine)
                              : QPen(layer_->palette->text, 1.6));
    chart_->addSeries(series);
    series->attachAxis(x_);
    series->attachAxis(y_);
  }

  void addRoofs() {
    addRoofs(true);
    addRoofs(false);
  }

  /// Slanted until the highest flat roof, each flat roof from its ridge point on. In decades.
  void addRoofs(bool achievable) {
    const double bandwidth = bandwidthOf(achievable);
    double highest = 0;
    for (const RooflineLine& roof : layer_->roofs) {
      if (roof.kind != RooflineLine::Kind::compute || roof.achievable != achievable) continue;
      highest = std::max(highest, roof.value);
      const double y = std::log10(roof.value);
      const double ridge = bandwidth > 0 ? std::log10(roof.value / bandwidth) : layer_->x.low;
      addLine({std::max(ridge, layer_->x.low), y}, {layer_->x.high, y}, achievable);
    }
    if (bandwidth <= 0) return;
    // Without a flat roof of its own it ends at the datasheet's.
    if (highest <= 0)
      for (const RooflineLine& roof : layer_->roofs)
        if (roof.kind == RooflineLine::Kind::compute) highest = std::max(highest, roof.value);
    const double b = std::log10(bandwidth);
    const double endX = highest > 0 ? std::log10(highest) - b : layer_->x.high;
    const double startX = std::max(layer_->x.low, layer_->y.low - b);
    if (startX < endX) addLine({startX, startX + b}, {endX, endX + b}, achievable);
  }

  RooflineChart* owner_;
  QChart* chart_;
  RooflineLayer* layer_;
  QCategoryAxis* x_;
  QCategoryAxis* y_;
  const RooflineLine* hoveredRoof_ = nullptr;  ///< into the layer's roofs
  int everyX_ = 0;                             ///< decades from tick to tick
  int everyY_ = 0;
  bool pressed_ = false;
  QPointF press_;
};

RooflineChart::RooflineChart(QWidget* parent) : QWidget(parent), view_(nullptr) {
  view_ = new View(this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
}

RooflineChart::~RooflineChart() = default;

void RooflineChart::setTitle(const QString& title) {
  view_->layer().title = title;
  view_->layOut(view_->size());
}

void RooflineChart::setData(std::vector<RooflineMark> points) {
  std::erase_if(points, [](const RooflineMark& p) {
    return !(p.intensity > 0) || !(p.performance > 0) || !std::isfinite(p.intensity) ||
           !std::isfinite(p.performance);
  });
  std::stable_sort(points.begin(), points.end(), [](const RooflineMark& a, const RooflineMark& b) {
    return a.weight > b.weight;
  });
  if (points.size() > kMaxPoints) points.resize(kMaxPoints);
  view_->layer().points = std::move(points);
  view_->layer().hovered = -1;
  view_->rebuild();
}

void RooflineChart::setRoofs(std::vector<RooflineLine> roofs) {
  std::erase_if(roofs, [](const RooflineLine& r) { return !(r.value > 0); });
  view_->layer().roofs = std::move(roofs);
  view_->rebuild();
}

void RooflineChart::setKeys(std::vector<ChartKey> keys) {
  view_->layer().keys = std::move(keys);
  view_->layOut(view_->size());
}

void RooflineChart::setHighlighted(const QList<int>& ids) {
  view_->layer().highlighted = QSet<int>(ids.begin(), ids.end());
  view_->layer().update();
}

QList<int> RooflineChart::highlighted() const {
  return view_->layer().highlighted.values();
}

int RooflineChart::pointCount() const {
  return static_cast<int>(view_->layer().points.size());
}

QPointF RooflineChart::positionOf(int id) const {
  for (const RooflineMark& point : view_->layer().points)
    if (point.id == id)
      return view_->mapToParent(QPointF(view_->layer().centreOf(point)).toPoint());
  return {};
}

QString RooflineChart::roofHoverAt(QPointF position) const {
  const RooflineLine* roof = view_->layer().roofAt(view_->mapFromParent(position.toPoint()));
  return roof != nullptr ? roof->hover : QString();
}

const std::vector<RooflineLine>& RooflineChart::roofs() const {
  return view_->layer().roofs;
}

const std::vector<ChartKey>& RooflineChart::keys() const {
  return view_->layer().keys;
}

void RooflineChart::renderTo(QPainter& painter, const QRectF& target) {
  view_->layOut(target.size());
  view_->scene()->render(&painter, target, QRectF(QPointF(), target.size()), Qt::IgnoreAspectRatio);
  view_->layOut(view_->size());
}

QImage RooflineChart::toImage(QSize size, double pixelRatio) {
  QImage image(size * pixelRatio, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(pixelRatio);
  image.fill(Palette::of(palette()).background);
  QPainter painter(&image);
  renderTo(painter, QRectF(QPointF(), QSizeF(size)));
  return image;
}

void RooflineChart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (view_ != nullptr &&
      (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
       event->type() == QEvent::StyleChange))
    view_->restyle();
}

}  // namespace ridgeline
