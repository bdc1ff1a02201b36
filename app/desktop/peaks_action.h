#pragma once

namespace ridgeline {

class Analyses;
class MainWindow;

/// Asks for a file with the user's device figures (resources/hardware/README.md) and computes again
/// with them on top of the catalogue. What is wrong with a file is said in the message bar.
void askForPeaks(MainWindow& window, Analyses& analyses);

}  // namespace ridgeline
