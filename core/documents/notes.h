#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/documents/event_key.h"

namespace ridgeline {

enum class NoteKind : std::uint8_t {
  callout,  ///< a text with a leader line to an event
  bracket,  ///< over a span, with its measured length
  band,     ///< a coloured stripe over all rows
};
[[nodiscard]] std::string_view word(NoteKind kind);

/// Something a person wrote into the timeline. Times are those of the rank's Trace (ns relative to
/// its origin).
struct Note {
  std::uint64_t id = 0;  ///< unique in its document, never used again
  NoteKind kind = NoteKind::callout;
  std::string text;
  std::int64_t rank = 0;  ///< as Job::rankNumber()
  EventKey event;         ///< what a callout points at; empty for the others
  TimeSpan span;          ///< what is bracketed or coloured; the event's span for a callout
  std::string track;      ///< bracket: trackKey() of the track it stands at; empty = above all
  double offsetX = 0;     ///< of the label from where it would stand by itself, logical pixels
  double offsetY = 0;
  std::string colour;         ///< "#rrggbb"; empty = the theme's
  std::string unknownFields;  ///< JSON object of what a newer version wrote; kept as it is

  bool operator==(const Note&) const = default;
};

/// All notes of what is open in one window; kept beside the first trace.
struct NotesDocument {
  std::vector<Note> notes;
  std::uint64_t nextId = 1;   ///< larger than every id in use
  std::string unknownFields;  ///< JSON object; kept as it is

  /// Adds it under a new id, which is returned.
  std::uint64_t add(Note note);
  [[nodiscard]] Note* find(std::uint64_t id);
  bool remove(std::uint64_t id);
  bool operator==(const NotesDocument&) const = default;
};

/// The text of a notes file and back. The format is described in core/documents/README.md. Fields
/// that are not known are kept; a note that cannot be read is an error that says which and why.
[[nodiscard]] std::string notesToJson(const NotesDocument& document);
[[nodiscard]] Result<NotesDocument> notesFromJson(std::string_view text, const std::string& where);

/// The notes file of a trace: `<trace>.ridgeline.json`.
/// Invariant: a successful save() is on disk, whatever happens to the program afterwards; a file
/// that could not be understood is never overwritten.
class NotesFile {
 public:
  explicit NotesFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] static std::string pathBeside(const std::string& tracePath);
  [[nodiscard]] const std::string& path() const { return path_; }

  /// An empty document when there is no file yet. A damaged file is moved aside (the error says
  /// where to) so that new notes can be saved; one of a newer version stays, and save() refuses.
  [[nodiscard]] Result<NotesDocument> load();
  [[nodiscard]] Status save(const NotesDocument& document);

 private:
  std::string path_;
  std::string refusal_;  // why saving would lose something
};

}  // namespace ridgeline
