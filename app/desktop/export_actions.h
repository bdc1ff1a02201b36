#pragma once

#include "widgets/picture/picture.h"

namespace ridgeline {

class Analyses;
class MainWindow;

/// What the export dialog asks for.
struct ExportWishes {
  QString title;
  int width = 1200;  ///< of the whole picture, logical pixels
  double scale = 2;  ///< PNG: pixels a logical one
  bool dark = false;
  bool legend = true;
  bool caption = true;
  bool allRows = false;  ///< also those that are scrolled out of sight

  /// As last used; the title is never remembered.
  [[nodiscard]] static ExportWishes remembered(const MainWindow& window);
  void remember() const;
};

/// What is on screen now, as a picture. Valid until the window changes.
[[nodiscard]] Picture pictureOfWindow(MainWindow& window, const Analyses* analyses,
                                      const ExportWishes& wishes);
/// Asks for wishes and a name, then writes; problems are said in the message bar.
void exportPicture(MainWindow& window, const Analyses* analyses);

/// File ▸ Export picture…
void addExportActions(MainWindow& window, const Analyses* analyses);

}  // namespace ridgeline
