#pragma once

#include <memory>

namespace ridgeline {

class Analyses;
class MainWindow;

/// Puts the panels, overlays and the headline into a window and connects what belongs together. The
/// returned object computes for all of them and is owned by the window.
Analyses* wire(MainWindow& window);

}  // namespace ridgeline
