#include "widgets/picture/picture.h"

#include <algorithm>
#include <cmath>

#include <QBuffer>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "widgets/picture/legend_painter.h"

namespace ridgeline {

namespace {

constexpr double kGap = 10;  // between the parts
constexpr int kDotsPerInch = 96;

QFont sized(const QFont& font, double factor, int weight = QFont::Normal) {
  QFont other = fontInPixels(font);
  other.setPixelSize(static_cast<int>(std::lround(other.pixelSize() * factor)));
  other.setWeight(static_cast<QFont::Weight>(weight));
  return other;
}
QFont titleFont(const QFont& font) {
  return sized(font, 1.3, QFont::DemiBold);
}
QFont captionFont(const QFont& font) {
  return sized(font, 0.92);
}

/// The caption's lines: parts are never broken.
QStringList captionLines(const Picture::Frame& frame, double width) {
  const QString separator = QStringLiteral(" · ");
  const QFontMetricsF metrics(captionFont(frame.font));
  QStringList lines;
  for (const QString& part : frame.caption) {
    if (part.isEmpty()) continue;
    if (!lines.isEmpty()) {
      const QString longer = lines.back() + separator + part;
      if (metrics.horizontalAdvance(longer) <= width) {
        lines.back() = longer;
        continue;
      }
    }
    lines << metrics.elidedText(part, Qt::ElideMiddle, width);
  }
  return lines;
}

double titleHeight(const Picture::Frame& frame) {
  if (frame.title.isEmpty()) return 0;
  return std::ceil(QFontMetricsF(titleFont(frame.font)).height()) + kGap;
}

double captionHeight(const Picture::Frame& frame, double width) {
  const auto lines = static_cast<double>(captionLines(frame, width).size());
  if (lines == 0) return 0;
  return kGap + std::ceil(QFontMetricsF(captionFont(frame.font)).lineSpacing() * lines);
}

double legendPart(const std::vector<LegendEntry>& legend, const Picture::Frame& frame,
                  double width) {
  const double height = legendHeight(legend, fontInPixels(frame.font), width);
  return height > 0 ? height + kGap : 0;
}

}  // namespace

QFont fontInPixels(const QFont& font) {
  QFont other = font;
  other.setPixelSize(std::max(1, QFontInfo(font).pixelSize()));
  return other;
}

double Picture::frameHeight(const std::vector<LegendEntry>& legend, const Frame& frame,
                            double width) {
  const double inner = width - 2 * kMargin;
  return 2 * kMargin + titleHeight(frame) + legendPart(legend, frame, inner) +
         captionHeight(frame, inner);
}

Picture::Picture(Content content, Frame frame)
    : content_(std::move(content)), frame_(std::move(frame)) {
  const double width = content_.size.width() + 2 * kMargin;
  size_ = {width, std::ceil(content_.size.height() + frameHeight(content_.legend, frame_, width))};
  top_ = kMargin + titleHeight(frame_);
}

QRectF Picture::contentRect() const {
  return {QPointF(kMargin, top_), content_.size};
}

void Picture::paint(QPainter& painter, Output output, double pixelRatio) const {
  painter.fillRect(QRectF(QPointF(0, 0), size_), frame_.palette->background);
  painter.save();
  painter.translate(contentRect().topLeft());
  content_.paint(painter, output, pixelRatio);
  painter.restore();
  painter.save();
  paintFrame(painter, output == Output::vector);
  painter.restore();
}

void Picture::paintFrame(QPainter& painter, bool coverMargins) const {
  const Palette& palette = *frame_.palette;
  const QRectF content = contentRect();
  if (coverMargins) {
    // QSvgGenerator does not clip, so what stands out of the content is painted over.
    const double right = size_.width() - content.right();
    const double below = size_.height() - content.bottom();
    painter.fillRect(QRectF(0, 0, size_.width(), content.top()), palette.background);
    painter.fillRect(QRectF(0, content.bottom(), size_.width(), below), palette.background);
    painter.fillRect(QRectF(0, content.top(), kMargin, content.height()), palette.background);
    painter.fillRect(QRectF(content.right(), content.top(), right, content.height()),
                     palette.background);
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(palette.line, 1));
  painter.drawRect(content.adjusted(-0.5, -0.5, 0.5, 0.5));

  if (!frame_.title.isEmpty()) {
    const QFont font = titleFont(frame_.font);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    painter.setPen(palette.text);
    painter.drawText(QPointF(kMargin, std::round(kMargin + metrics.ascent())),
                     metrics.elidedText(frame_.title, Qt::ElideMiddle, content.width()));
  }
  double y = content.bottom();
  const double legendPartHeight = legendPart(content_.legend, frame_, content.width());
  if (legendPartHeight > 0)
    paintFlowingLegend(painter, {kMargin, y + kGap, content.width(), legendPartHeight - kGap},
                       content_.legend, fontInPixels(frame_.font), palette);
  y += legendPartHeight;
  const QFont font = captionFont(frame_.font);
  const QFontMetricsF metrics(font);
  painter.setFont(font);
  painter.setPen(palette.mutedText);
  double baseline = y + kGap + metrics.ascent();
  for (const QString& line : captionLines(frame_, content.width())) {
    painter.drawText(QPointF(kMargin, std::round(baseline)), line);
    baseline += metrics.lineSpacing();
  }
}

Result<QImage> Picture::toImage(double scale) const {
  const QSize pixels((size_ * scale).toSize());
  if (std::max(pixels.width(), pixels.height()) > kLongestSide)
    return Error{QStringLiteral("the picture would be %1 × %2 pixels, at most %3 a side can be "
                                "drawn")
                     .arg(pixels.width())
                     .arg(pixels.height())
                     .arg(kLongestSide)
                     .toStdString(),
                 "picture", "choose a smaller size or scale, fewer rows, or SVG"};
  QImage image(pixels, QImage::Format_RGB32);
  if (image.isNull()) return Error{"not enough memory for it", "picture", "choose a smaller scale"};
  image.setDevicePixelRatio(scale);
  image.fill(frame_.palette->background);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::TextAntialiasing);
  paint(painter, Output::pixels, scale);
  painter.end();
  return image;
}

Result<QByteArray> Picture::toPng(double scale) const {
  auto drawn = toImage(scale);
  if (!drawn.ok()) return drawn.error();
  QImage& image = drawn.value();
  image.setDevicePixelRatio(1);
  const int perMetre = static_cast<int>(std::lround(kDotsPerInch * scale / 0.0254));
  image.setDotsPerMeterX(perMetre);
  image.setDotsPerMeterY(perMetre);
  image.setText(QStringLiteral("Title"), frame_.title);
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  if (!image.save(&buffer, "PNG")) return Error{"can't be encoded as PNG", "picture", ""};
  return bytes;
}

QByteArray Picture::toSvg() const {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(kDotsPerInch);
  generator.setSize(size_.toSize());
  generator.setViewBox(QRectF(QPointF(0, 0), size_));
  generator.setTitle(frame_.title);
  generator.setDescription(frame_.caption.join(QStringLiteral(" · ")));
  QPainter painter(&generator);
  paint(painter, Output::vector);
  painter.end();
  return bytes;
}

QByteArray Picture::toPdf() const {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setResolution(kDotsPerInch);
  writer.setTitle(frame_.title);
  writer.setPageMargins({});
  writer.setPageSize(
      QPageSize(size_ * 72.0 / kDotsPerInch, QPageSize::Point, QString(), QPageSize::ExactMatch));
  QPainter painter(&writer);
  paint(painter, Output::vector);
  painter.end();
  return bytes;
}

}  // namespace ridgeline
