#pragma once

#include <QCache>
#include <QFont>
#include <QFontMetricsF>
#include <QImage>

#include "core/trace/trace.h"

namespace ridgeline {

/// The text for a slice's label: kernel names shortened, others as recorded.
[[nodiscard]] QString labelText(const Trace& trace, SliceId slice);

/// Images of labels: laying out text costs 20 times more than blitting it. Bounded by bytes; only
/// some new images are made a frame, so that a jump to thousands of new labels costs no visible
/// stall. Valid for one font and one device pixel ratio; setStyle() empties it when they change.
class LabelCache {
 public:
  static constexpr int kNewPerFrame = 200;

  LabelCache();
  void setStyle(const QFont& font, double ratio);
  /// Call at the start of each frame.
  void startFrame();
  /// Whether something was left out in this frame for want of budget: paint again soon.
  [[nodiscard]] bool ranOut() const { return ranOut_; }

  /// The label of a slice for a place `width` device pixels wide, or null when nothing readable
  /// fits or the frame's budget is used up. The image's pixels are device pixels.
  const QImage* label(std::uint32_t rank, const Trace& trace, SliceId slice, int width, int height,
                      QRgb colour);

 private:
  struct Key {
    std::uint64_t text = 0;      ///< rank and StringId
    std::int64_t duration = -1;  ///< -1: without
    int width = 0;
    int height = 0;
    QRgb colour = 0;
    bool operator==(const Key&) const = default;
    friend size_t qHash(const Key& key, size_t seed) {
      return qHashMulti(seed, key.text, key.duration, key.width, key.height, key.colour);
    }
  };
  QImage draw(const QString& name, const QString& duration, int width, int height,
              QRgb colour) const;

  QCache<Key, QImage> images_;
  QFont font_;
  double ratio_ = 0;
  int madeInFrame_ = 0;
  bool ranOut_ = false;
};

}  // namespace ridgeline
