#pragma once

#include <array>
#include <cstdint>

#include <QRgb>

#include "widgets/common/palette.h"

namespace ridgeline {

/// All pixels that a run can have, ready for the inner loop: fill by key and coverage, border, and
/// the same dimmed for what is not selected.
class RunColours {
 public:
  static constexpr int kLevels = 16;

  RunColours(const Palette& palette, const QColor& background);

  struct Look {
    std::array<QRgb, kLevels + 1> fill;  ///< by coverage; the last one is a whole slice
    QRgb edge = 0;                       ///< right border of runs of 4 px or more
    QRgb outline = 0;                    ///< annotations: their outline
    bool outlined = false;
    QRgb text = 0;
  };
  [[nodiscard]] const Look& of(ColourKey key, bool dimmed) const {
    return looks_[dimmed ? 1 : 0][static_cast<std::size_t>(key)];
  }
  [[nodiscard]] static int levelOf(std::uint8_t coverage) {
    return (coverage * kLevels + 127) / 255;
  }

 private:
  std::array<std::array<Look, kColourKeyCount>, 2> looks_;
};

}  // namespace ridgeline
