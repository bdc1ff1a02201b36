#pragma once

namespace ridgeline {

class MainWindow;
class NotesModel;

/// Puts everything about notes into a window: model, overlay, tool, the file beside the trace, the
/// Edit menu (undo, redo, new notes with keys N and B) and the timeline's context menu. All of it
/// is owned by the window; call it after the other overlays were added, and then list them.
NotesModel* addNotes(MainWindow& window);

}  // namespace ridgeline
