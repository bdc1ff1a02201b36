#pragma once

#include <optional>

#include <QObject>
#include <QTimer>

#include "core/documents/notes.h"
#include "widgets/overlays/notes_model.h"

namespace ridgeline {

class MainWindow;

/// Keeps the notes of a window's NotesModel beside the first open trace: loads them when a document
/// is opened, saves each change. Where the trace's folder can't be written they are kept in the
/// user's own data folder instead, and found there again; the message bar says so.
/// Invariant: what was saved stays, whatever happens to the program; moves are saved when the mouse
/// rests, everything else at once.
class NotesController : public QObject {
  Q_OBJECT

 public:
  NotesController(MainWindow& window, NotesModel& notes);
  ~NotesController() override;

  /// Saves what is not saved yet; false when that is not possible.
  bool flush();
  /// Where notes of a trace are kept when its folder can't be written.
  [[nodiscard]] static QString fallbackPath(const QString& tracePath);

 private:
  void load();
  void changed();
  bool save();
  void report(const Error& error);

  MainWindow& window_;
  NotesModel& notes_;
  QString trace_;                  // path of the first trace; empty without one
  std::optional<NotesFile> file_;  // beside the trace
  NotesDocument last_;             // what must be saved; outlives the model's own copy
  NotesDocument saved_;
  bool besideFailed_ = false;  // so that it is said once
  bool ending_ = false;        // the window goes: there is nowhere to say anything
  QTimer delay_;
};

}  // namespace ridgeline
