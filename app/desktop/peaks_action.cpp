#include "app/desktop/peaks_action.h"

#include <QFileDialog>

#include "app/desktop/main_window.h"
#include "core/documents/atomic_file.h"
#include "core/hardware/device_catalog.h"
#include "widgets/common/analyses.h"
#include "widgets/common/message_bar.h"

namespace ridgeline {

void askForPeaks(MainWindow& window, Analyses& analyses) {
  const QString path =
      QFileDialog::getOpenFileName(&window, QObject::tr("Device peaks"), QString(),
                                   QObject::tr("Device figures (*.json);;All files (*)"));
  if (path.isEmpty()) return;
  const auto say = [&window](const Error& error) {
    window.messages().showMessage(MessageBar::Kind::error, QString::fromStdString(error.text()));
  };
  const auto text = readFile(path.toStdString());
  if (text.failed()) return say(text.error());
  if (!text.ok()) return;
  const auto catalog = DeviceCatalog::builtin().withUserFile(text.value());
  if (catalog.failed()) return say(catalog.error());
  WorkloadSettings settings = analyses.settings();
  settings.catalog = std::make_shared<const DeviceCatalog>(catalog.value());
  analyses.setSettings(settings);
}

}  // namespace ridgeline
