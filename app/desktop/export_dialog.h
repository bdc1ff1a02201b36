#pragma once

namespace ridgeline {

class MainWindow;
struct ExportWishes;

/// Shows the wishes for change; false when the user thought better of it.
[[nodiscard]] bool askForWishes(MainWindow& window, ExportWishes& wishes);

}  // namespace ridgeline
