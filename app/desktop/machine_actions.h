#pragma once

namespace ridgeline {

class Analyses;
class MainWindow;

/// Adds to the File menu what only the user can tell: device peaks, measured bandwidth of
/// collectives, counters of kernels, achievable rates, and the work of a model's step. Everything
/// is computed again with them.
void addMachineActions(MainWindow& window, Analyses& analyses);

/// Asks for a file with the figures of a device (peaks, bandwidth) and computes with them.
void askForPeaks(MainWindow& window, Analyses& analyses);

}  // namespace ridgeline
