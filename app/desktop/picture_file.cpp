#include "app/desktop/picture_file.h"

#include <string_view>

#include <QFile>
#include <QFileInfo>

#include "core/documents/atomic_file.h"
#include "widgets/picture/picture.h"

namespace ridgeline {

namespace {

QString endingOf(const QString& path) {
  return QFileInfo(path).suffix().toLower();
}

}  // namespace

bool isPictureName(const QString& path) {
  const QString ending = endingOf(path);
  return ending == QStringLiteral("png") || ending == QStringLiteral("svg") ||
         ending == QStringLiteral("pdf");
}

Status writePicture(const Picture& picture, const QString& path, double scale) {
  const QString ending = endingOf(path);
  QByteArray bytes;
  if (ending == QStringLiteral("svg")) {
    bytes = picture.toSvg();
  } else if (ending == QStringLiteral("pdf")) {
    bytes = picture.toPdf();
  } else if (ending == QStringLiteral("png")) {
    auto png = picture.toPng(scale);
    if (!png.ok()) return png.error();
    bytes = std::move(png.value());
  } else {
    return Error{"unknown kind of picture", path.toStdString(),
                 "choose a name that ends in .png, .svg or .pdf"};
  }
  return writeFileAtomically(
      QFile::encodeName(path).toStdString(),
      std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

}  // namespace ridgeline
