#include "widgets/timeline/overview_bar.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>

#include "core/index/visible_runs.h"

namespace ridgeline {

namespace {

constexpr double kGripWidth = 5;

/// Per pixel: how many of some rows are busy, and the colour of what covers most.
struct Density {
  std::vector<double> busy;
  std::vector<double> most;
  std::vector<ColourKey> key;

  explicit Density(int width)
      : busy(static_cast<std::size_t>(width)),
        most(static_cast<std::size_t>(width)),
        key(static_cast<std::size_t>(width), ColourKey::otherHost) {}

  void add(std::span<const VisibleRun> runs, std::span<const ColourKey> keys) {
    for (const VisibleRun& run : runs) {
      const double share = run.folded ? run.coverage / 255.0 : 1.0;
      for (auto x = static_cast<std::size_t>(run.x0); x < static_cast<std::size_t>(run.x1); ++x) {
        busy[x] += share;
        if (share < most[x]) continue;
        most[x] = share;
        key[x] = keys[run.slice.index()];
      }
    }
  }
};

}  // namespace

OverviewBar::OverviewBar(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Overview"));
  connect(&session_, &Session::documentChanged, this, &OverviewBar::invalidate);
  connect(&session_, &Session::colourKeysChanged, this, &OverviewBar::invalidate);
  connect(&session_.view(), &TimeView::spanChanged, this, qOverload<>(&QWidget::update));
  connect(&session_, &Session::markedChanged, this, qOverload<>(&QWidget::update));
}

QSize OverviewBar::sizeHint() const {
  return {200, 44};
}

void OverviewBar::invalidate() {
  dirty_ = true;
  update();
}

double OverviewBar::xOf(TimeNs t) const {
  const TimeSpan all = session_.span();
  return static_cast<double>(t - all.begin) * width() /
         static_cast<double>(std::max<TimeNs>(all.length(), 1));
}

TimeNs OverviewBar::timeAt(double x) const {
  const TimeSpan all = session_.span();
  return all.begin + static_cast<TimeNs>(std::llround(x * static_cast<double>(all.length()) /
                                                      std::max(1, width())));
}

QRectF OverviewBar::frame() const {
  const TimeSpan span = session_.view().span();
  QRectF rect(xOf(span.begin), 0, xOf(span.end) - xOf(span.begin), height());
  if (rect.width() < 4) rect = QRectF(rect.center().x() - 2, 0, 4, height());
  return rect;
}

void OverviewBar::drawDensity() {
  const double ratio = devicePixelRatioF();
  const QSize wanted(static_cast<int>(std::round(width() * ratio)),
                     static_cast<int>(std::round(height() * ratio)));
  if (!dirty_ && density_.size() == wanted) return;
  dirty_ = false;
  density_ = QImage(wanted, QImage::Format_RGB32);
  const Palette& palette = Palette::of(this->palette());
  density_.fill(palette.background);
  if (wanted.width() <= 0) return;
  Density host(wanted.width()), device(wanted.width());
  std::vector<VisibleRun> runs;
  for (std::uint32_t rank = 0; rank < session_.ranks().size(); ++rank) {
    const Trace& trace = session_.trace(rank);
    const TimeSpan span = session_.toTrace(rank, session_.span());
    for (const Track& track : trace.tracks()) {
      const bool isDevice = track.kind == TrackKind::stream;
      if (!isDevice && track.kind != TrackKind::thread) continue;
      const std::uint32_t rows = std::min(track.rowCount, 1u);
      for (std::uint32_t r = 0; r < rows; ++r) {
        visibleRuns(session_.index(rank), RowId(track.firstRow.index() + r), span, wanted.width(),
                    runs);
        (isDevice ? device : host).add(runs, session_.colourKeys(rank));
      }
    }
  }
  // Host above, device below; each as high as its busiest pixel.
  const auto draw = [&](const Density& density, int top, int bottom, bool coloured) {
    const double peak = std::max(1.0, *std::max_element(density.busy.begin(), density.busy.end()));
    for (int x = 0; x < wanted.width(); ++x) {
      const auto i = static_cast<std::size_t>(x);
      if (density.busy[i] <= 0) continue;
      const int high =
          std::max(1, static_cast<int>(std::lround(density.busy[i] / peak * (bottom - top))));
      const QRgb colour = coloured ? palette.of(density.key[i]).rgb()
                                   : mix(palette.of(ColourKey::op), palette.background, 0.75).rgb();
      for (int y = bottom - high; y < bottom; ++y)
        reinterpret_cast<QRgb*>(density_.scanLine(y))[x] = colour;
    }
  };
  const int h = wanted.height();
  const int split = static_cast<int>(h * 0.42);
  draw(host, 2, split - 1, false);
  draw(device, split + 1, h - 2, true);
  density_.setDevicePixelRatio(ratio);
}

void OverviewBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& palette = Palette::of(this->palette());
  painter.fillRect(rect(), palette.background);
  painter.setPen(palette.line);
  if (session_.hasDocument()) {
    drawDensity();
    painter.drawImage(0, 0, density_);
    const QRectF view = frame();
    QColor veil = palette.background;
    veil.setAlpha(150);
    painter.fillRect(QRectF(0, 0, view.left(), height()), veil);
    painter.fillRect(QRectF(view.right(), 0, width() - view.right(), height()), veil);
    if (const auto marked = session_.marked()) {
      QColor fill = palette.mark;
      fill.setAlpha(80);
      painter.fillRect(QRectF(xOf(marked->begin), 0,
                              std::max(1.0, xOf(marked->end) - xOf(marked->begin)), height()),
                       fill);
    }
    painter.setPen(QPen(palette.text, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(view.adjusted(0.5, 0.5, -0.5, -1.5));
    painter.fillRect(QRectF(view.left(), height() / 2.0 - 7, 3, 14), palette.text);
    painter.fillRect(QRectF(view.right() - 3, height() / 2.0 - 7, 3, 14), palette.text);
    painter.setPen(palette.line);
  }
  painter.drawLine(QPointF(0, height() - 0.5), QPointF(width(), height() - 0.5));
}

OverviewBar::Grip OverviewBar::gripAt(double x) const {
  const QRectF view = frame();
  if (std::abs(x - view.left()) <= kGripWidth && view.width() > 3 * kGripWidth) return Grip::left;
  if (std::abs(x - view.right()) <= kGripWidth && view.width() > 3 * kGripWidth) return Grip::right;
  if (x >= view.left() - 2 && x <= view.right() + 2) return Grip::whole;
  return Grip::none;
}

void OverviewBar::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !session_.hasDocument()) return;
  grip_ = gripAt(event->position().x());
  if (grip_ == Grip::none) {
    const TimeNs half = session_.view().span().length() / 2;
    const TimeNs middle = timeAt(event->position().x());
    session_.view().show({middle - half, middle - half + session_.view().span().length()});
    grip_ = Grip::whole;
  }
  grabX_ = event->position().x();
  grabSpan_ = session_.view().span();
}

void OverviewBar::mouseMoveEvent(QMouseEvent* event) {
  const double x = event->position().x();
  if (grip_ == Grip::none) {
    const Grip over = session_.hasDocument() ? gripAt(x) : Grip::none;
    setCursor(over == Grip::whole  ? Qt::OpenHandCursor
              : over == Grip::none ? Qt::ArrowCursor
                                   : Qt::SizeHorCursor);
    return;
  }
  const TimeNs shift = timeAt(x) - timeAt(grabX_);
  TimeSpan span = grabSpan_;
  if (grip_ != Grip::right) span.begin += shift;
  if (grip_ != Grip::left) span.end += shift;
  if (span.length() >= TimeView::kShortest) session_.view().nudge(span);
}

void OverviewBar::mouseReleaseEvent(QMouseEvent*) {
  grip_ = Grip::none;
}

void OverviewBar::wheelEvent(QWheelEvent* event) {
  if (!session_.hasDocument()) return;
  const double notches = event->angleDelta().y() / 120.0;
  session_.view().zoomAbout(timeAt(event->position().x()), std::pow(1.25, -notches));
}

void OverviewBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) invalidate();
}

}  // namespace ridgeline
