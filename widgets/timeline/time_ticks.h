#pragma once

#include <vector>

#include <QString>

#include "core/base/time.h"

namespace ridgeline {

/// The marks of a time axis.
struct TimeTicks {
  struct Tick {
    TimeNs time = 0;
    bool labelled = false;
    QString label;  ///< relative to `base`: "+40 µs"; absolute when base is 0: "40 ms"
  };
  TimeNs step = 1;    ///< distance of labelled ticks: 1, 2 or 5 times a power of ten ns
  TimeNs base = 0;    ///< what labels are relative to
  QString baseLabel;  ///< "at 1.234 s"; empty when base is 0
  std::vector<Tick> ticks;
};

/// Ticks of a span drawn `width` pixels wide with labels at least `minPixels` apart. `zero` is the
/// session time that is called 0. Between labelled ticks lie four (or three) unlabelled ones.
[[nodiscard]] TimeTicks timeTicks(TimeSpan span, double width, double minPixels, TimeNs zero = 0);

/// A time with just the digits that `resolution` (a power of ten times 1, 2 or 5) needs: "40 ms",
/// "1.25 s", "-3 µs".
[[nodiscard]] QString formatTick(TimeNs time, TimeNs resolution);

}  // namespace ridgeline
