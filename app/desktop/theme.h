#pragma once

#include <QString>

class QApplication;

namespace ridgeline {

enum class Theme { system, light, dark };

[[nodiscard]] Theme themeNamed(const QString& name);  ///< "light", "dark", else system
[[nodiscard]] QString nameOf(Theme theme);
/// Fusion style with our palette; `system` takes light or dark as the desktop's palette was at
/// start.
void applyTheme(QApplication& app, Theme theme);

}  // namespace ridgeline
