#pragma once

#include <QString>

#include "core/base/time.h"

namespace ridgeline {

/// Three significant digits with the unit people use: "177 ms", "41.4 µs", "650 ns".
[[nodiscard]] QString formatDuration(TimeNs duration);
/// The exact value for hover texts: "41,407 ns".
[[nodiscard]] QString formatExact(TimeNs duration);
/// "12.4 %" of a share 0…1, rounded as in reports (percentText with `fine`); "—" where unknown.
[[nodiscard]] QString formatShare(double share);
/// "1.25 GB" with decimal prefixes.
[[nodiscard]] QString formatBytes(double bytes);
/// "92.4 TFLOP/s"-like: value with the SI prefix that keeps three digits before it.
[[nodiscard]] QString formatRate(double perSecond, const QString& unit);
/// "1,234,567".
[[nodiscard]] QString formatCount(qint64 count);
/// Kernel names for people: template arguments folded to <…>, parameter list dropped.
[[nodiscard]] QString shortKernelName(const QString& name);
/// For labels that wrap: words beyond 48 characters (names of kernels, keys of graphs) keep their
/// beginning and end. A label is never narrower than its longest word, and with it the window.
[[nodiscard]] QString elidedWords(const QString& text);
/// A hover text in lines that fit a screen. Qt breaks the lines of rich text only, so a long plain
/// text becomes that; names without spaces may break after `<`, `,`, `(` and `::`.
[[nodiscard]] QString wrappedHover(const QString& plain);

}  // namespace ridgeline
