#pragma once

namespace ridgeline {

class Analyses;
class MainWindow;

/// Adds to the File menu what only the user can tell: device peaks, measured bandwidth of
/// collectives, and the work of a model's step. Everything is computed again with them.
void addMachineActions(MainWindow& window, Analyses& analyses);

}  // namespace ridgeline
