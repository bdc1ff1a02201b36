#pragma once

#include <QString>

#include "core/base/result.h"

namespace ridgeline {

class Picture;

/// Whether pictures can be written under that name: it ends in .png, .svg or .pdf.
[[nodiscard]] bool isPictureName(const QString& path);
/// Writes what the ending says, whole or not at all. `scale`: pixels a logical one, PNG only.
[[nodiscard]] Status writePicture(const Picture& picture, const QString& path, double scale);

}  // namespace ridgeline
