#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <QColor>
#include <QString>

#include "core/trace/event.h"
#include "core/workload/kernel_class.h"

class QPalette;

namespace ridgeline {

/// What a slice's colour says: a kernel class (the first kKernelClassCount values are those of
/// KernelClass), or what kind of host record it is.
enum class ColourKey : std::uint8_t {
  firstHostKey = kKernelClassCount,
  op = firstHostKey,
  python,
  runtime,
  annotation,  ///< drawn as an outline
  overhead,
  otherHost,
  count
};
inline constexpr std::size_t kColourKeyCount = static_cast<std::size_t>(ColourKey::count);

[[nodiscard]] constexpr ColourKey colourKeyOf(KernelClass c) {
  return static_cast<ColourKey>(c);
}
/// What the record's category alone says; kernels are KernelClass::unknown.
[[nodiscard]] ColourKey colourKeyOf(Category category);
[[nodiscard]] std::vector<ColourKey> colourKeysByCategory(std::span<const Category> categories);
/// For legends: "matmul", "host runtime call".
[[nodiscard]] QString colourKeyName(ColourKey key);

/// CIE L*a*b* (D65): for choosing colours of known lightness and for the tests of them.
struct Lab {
  double l = 0, a = 0, b = 0;
};
[[nodiscard]] Lab toLab(const QColor& colour);
/// The colour of that lightness and hue (degrees) with the given chroma, or less where sRGB ends.
[[nodiscard]] QColor fromLch(double lightness, double chroma, double hueDegrees);
/// Black or white, whichever contrasts more (WCAG).
[[nodiscard]] QColor textOn(const QColor& fill);

/// Every colour of the timeline, the charts and the pictures, for one theme.
struct Palette {
  bool dark = false;
  QColor background;    ///< of the rows
  QColor alternate;     ///< of every other track
  QColor chrome;        ///< ruler, headers
  QColor line;          ///< separators, axis
  QColor grid;          ///< faint lines through the rows
  QColor text;          ///< on background
  QColor mutedText;     ///< secondary
  QColor accent;        ///< focus, links, the active slice's outline
  QColor hover;         ///< outline of what is under the cursor
  QColor mark;          ///< the marked span
  QColor idleGap;       ///< red, hatched; for nothing else
  QColor criticalPath;  ///< magenta; for nothing else
  QColor warning;
  QColor error;
  std::array<QColor, kColourKeyCount> keys;

  [[nodiscard]] const QColor& of(ColourKey key) const {
    return keys[static_cast<std::size_t>(key)];
  }
  [[nodiscard]] const QColor& of(KernelClass c) const { return of(colourKeyOf(c)); }

  [[nodiscard]] static const Palette& light();
  [[nodiscard]] static const Palette& darkTheme();
  /// By the lightness of a widget's palette.
  [[nodiscard]] static const Palette& of(const QPalette& palette);
};

/// `a` over `b` with the given share of `a`.
[[nodiscard]] QColor mix(const QColor& a, const QColor& b, double shareOfA);

}  // namespace ridgeline
