#include "widgets/timeline/label_cache.h"

#include <algorithm>

#include <QPainter>

#include "widgets/common/format.h"

namespace ridgeline {

namespace {
constexpr int kBudgetBytes = 24 * 1024 * 1024;
constexpr int kNarrowest = 24;      // logical pixels: below, no label says anything
constexpr int kWithDuration = 150;  // logical pixels: from here the duration has a place, too
constexpr int kWidthStep = 8;
constexpr int kPadding = 3;
constexpr qsizetype kFewestLetters = 6;  // of an elided name
}  // namespace

QString labelText(const Trace& trace, SliceId slice) {
  const std::string_view name = trace.name(slice);
  const QString text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
  return isDeviceWork(trace.slices().category[slice.index()]) ? shortKernelName(text) : text;
}

LabelCache::LabelCache() : images_(kBudgetBytes) {}

void LabelCache::setStyle(const QFont& font, double ratio) {
  if (font == font_ && ratio == ratio_) return;
  font_ = font;
  ratio_ = ratio;
  images_.clear();
}

void LabelCache::startFrame() {
  madeInFrame_ = 0;
  ranOut_ = false;
}

const QImage* LabelCache::label(std::uint32_t rank, const Trace& trace, SliceId slice, int width,
                                int height, QRgb colour) {
  const double logical = width / ratio_;
  if (logical < kNarrowest) return nullptr;
  const std::size_t i = slice.index();
  const bool withDuration = logical >= kWithDuration;
  // Wide slices share an image at most every 8 px; wider than any label they share one.
  const int step = static_cast<int>(kWidthStep * ratio_);
  const int rounded = std::min(width / step * step, static_cast<int>(600 * ratio_));
  const Key key{(std::uint64_t{rank} << 32) | trace.slices().name[i].value,
                withDuration ? trace.slices().duration(slice) : -1, rounded, height, colour};
  if (const QImage* known = images_.object(key)) return known;
  if (madeInFrame_ >= kNewPerFrame) {
    ranOut_ = true;
    return nullptr;
  }
  ++madeInFrame_;
  auto image = std::make_unique<QImage>(
      draw(labelText(trace, slice),
           withDuration ? formatDuration(trace.slices().duration(slice)) : QString(), rounded,
           height, colour));
  const auto bytes = static_cast<int>(image->sizeInBytes()) + 64;
  QImage* const raw = image.get();
  return images_.insert(key, image.release(), bytes) ? raw : nullptr;
}

QImage LabelCache::draw(const QString& name, const QString& duration, int width, int height,
                        QRgb colour) const {
  const QFontMetricsF metrics(font_);
  const double room = width / ratio_ - 2 * kPadding;
  const double durationWidth = duration.isEmpty() ? 0 : metrics.horizontalAdvance(duration) + 10;
  QString text = name;
  double textWidth = metrics.horizontalAdvance(text);
  if (textWidth > room - durationWidth) {
    text = metrics.elidedText(name, Qt::ElideMiddle, room - durationWidth);
    textWidth = metrics.horizontalAdvance(text);
  }
  // "a…s" says nothing.
  if (text != name && text.size() < kFewestLetters) {
    QImage nothing(1, 1, QImage::Format_ARGB32_Premultiplied);
    nothing.fill(Qt::transparent);
    return nothing;
  }
  const double used = std::min(room, textWidth + durationWidth) + 2 * kPadding;
  QImage image(std::max(1, static_cast<int>(used * ratio_ + 1)), height,
               QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(ratio_);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  painter.setFont(font_);
  QColor pen = QColor::fromRgb(colour);
  painter.setPen(pen);
  const double logicalHeight = height / ratio_;
  const double baseline = (logicalHeight - metrics.height()) / 2 + metrics.ascent();
  painter.drawText(QPointF(kPadding, baseline), text);
  if (!duration.isEmpty()) {
    pen.setAlphaF(0.75F);
    painter.setPen(pen);
    painter.drawText(QPointF(kPadding + textWidth + 10, baseline), duration);
  }
  painter.end();
  image.setDevicePixelRatio(1);
  return image;
}

}  // namespace ridgeline
