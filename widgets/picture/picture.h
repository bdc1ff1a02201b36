#pragma once

#include <functional>
#include <vector>

#include <QByteArray>
#include <QFont>
#include <QImage>
#include <QString>

#include "core/base/result.h"
#include "widgets/timeline/overlay.h"

class QPainter;

namespace ridgeline {

/// A finished picture: title line, content, legend, caption; drawn on anything that a QPainter
/// paints on. What the content is (the timeline, a chart) it does not know. It knows no files: who
/// asks for the bytes writes them.
/// Invariant: the same Picture gives the same bytes each time.
class Picture {
 public:
  enum class Output { pixels, vector };

  struct Content {
    QSizeF size;  ///< logical pixels
    /// Draws it at 0,0; what lies outside `size` is covered afterwards.
    std::function<void(QPainter&, Output, double pixelRatio)> paint;
    std::vector<LegendEntry> legend;
  };
  struct Frame {
    QString title;
    QStringList caption;  ///< parts; joined with " · ", broken only between parts
    const Palette* palette = nullptr;
    QFont font;
  };

  static constexpr double kMargin = 16;
  static constexpr int kLongestSide = 32000;  ///< of a PNG, pixels: QPainter's limit

  Picture(Content content, Frame frame);

  /// The height of everything but the content, in a picture of that width (logical pixels).
  [[nodiscard]] static double frameHeight(const std::vector<LegendEntry>& legend,
                                          const Frame& frame, double width);

  [[nodiscard]] QSizeF size() const { return size_; }
  [[nodiscard]] const std::vector<LegendEntry>& legend() const { return content_.legend; }
  /// Where the content stands.
  [[nodiscard]] QRectF contentRect() const;
  void paint(QPainter& painter, Output output, double pixelRatio = 1) const;

  /// `scale` pixels a logical one. Fails when that is too large to draw.
  [[nodiscard]] Result<QImage> toImage(double scale) const;
  [[nodiscard]] Result<QByteArray> toPng(double scale) const;
  /// Shapes and texts, no bitmaps.
  [[nodiscard]] QByteArray toSvg() const;
  [[nodiscard]] QByteArray toPdf() const;

 private:
  void paintFrame(QPainter& painter, bool coverMargins) const;

  Content content_;
  Frame frame_;
  QSizeF size_;
  double top_ = 0;  // of the content
};

/// The same font with its size in pixels, so that text is as large in every output.
[[nodiscard]] QFont fontInPixels(const QFont& font);

}  // namespace ridgeline
