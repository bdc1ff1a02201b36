#include "widgets/timeline/timeline_keys.h"

#include <QCoreApplication>

namespace ridgeline {

std::vector<KeyHelp> timelineKeys() {
  const auto tr = [](const char* text) {
    return QCoreApplication::translate("TimelineKeys", text);
  };
  return {
      {tr("W / S, Ctrl+wheel, pinch"), tr("zoom in / out")},
      {tr("A / D, Shift+wheel, drag"), tr("earlier / later")},
      {tr("wheel, Page Up / Down"), tr("scroll the rows")},
      {tr("drag on the ruler"), tr("zoom to a span")},
      {tr("Shift+drag"), tr("mark a span and measure it")},
      {tr("0"), tr("show the whole recording")},
      {tr("F or Enter, double-click"), tr("zoom to what is selected")},
      {tr("Alt+Left / Alt+Right"), tr("back / forward through earlier views")},
      {tr("Left / Right, Tab / Shift+Tab"), tr("previous / next slice of the row")},
      {tr("Up"), tr("the slice around it, or the call that launched it")},
      {tr("Down"), tr("the first slice inside it, or the work it launched")},
      {tr("[ / ]"), tr("previous / next gap (or other item of an overlay)")},
      {tr("M"), tr("mark the selected slice or gap as a span")},
      {tr("N"), tr("note at the selected slice")},
      {tr("B"), tr("bracket over what is selected, with its length")},
      {tr("Delete"), tr("remove the selected note")},
      {tr("Ctrl+Z / Ctrl+Shift+Z"), tr("undo / redo what was done to notes")},
      {tr("Esc"), tr("select nothing")},
      {tr("?"), tr("this list")},
  };
}

}  // namespace ridgeline
