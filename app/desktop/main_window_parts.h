#pragma once

class QMenu;

namespace ridgeline {

class MainWindow;

/// A window without a frame of buttons that lists all keys; any key or click closes it.
void showKeyList(MainWindow& window);
/// What can be done with the slice under the cursor: copy its name, select its like, zoom to it.
void addSliceActions(QMenu& menu, MainWindow& window);

}  // namespace ridgeline
