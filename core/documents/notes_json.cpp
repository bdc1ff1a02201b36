#include "core/documents/notes_json.h"

#include <algorithm>
#include <cctype>

namespace ridgeline {
namespace documents {
namespace {

constexpr std::int64_t kVersion = 1;

bool isColour(const std::string& text) {
  return text.size() == 7 && text[0] == '#' &&
         std::all_of(text.begin() + 1, text.end(),
                     [](unsigned char c) { return std::isxdigit(c) != 0; });
}

void readEvent(const Json& json, const std::string& what, Note& note, std::string& problem) {
  FieldReader fields(json, what + ", \"event\"");
  fields.text("track", note.event.track);
  fields.text("name", note.event.name);
  fields.integer("start_ns", note.event.start);
  if (!fields.ok()) problem = fields.problem();
}

/// An event that names neither a track nor a slice points at nothing here; another version may know
/// better, so it stays in the file as it is.
void keepEvent(const Json& event, Note& note) {
  note.event = {};
  Json unknown = note.unknownFields.empty() ? Json::object() : Json::parse(note.unknownFields);
  unknown["event"] = event;
  note.unknownFields = unknown.dump();
}

}  // namespace

Json noteToJson(const Note& note) {
  Json json;
  json["id"] = note.id;
  json["kind"] = word(note.kind);
  json["text"] = note.text;
  json["rank"] = note.rank;
  if (!note.event.empty())
    json["event"] = {
        {"track", note.event.track}, {"name", note.event.name}, {"start_ns", note.event.start}};
  json["from_ns"] = note.span.begin;
  json["to_ns"] = note.span.end;
  if (!note.track.empty()) json["track"] = note.track;
  json["offset_x"] = note.offsetX;
  json["offset_y"] = note.offsetY;
  if (!note.colour.empty()) json["colour"] = note.colour;
  addUnknownFields(json, note.unknownFields);
  return json;
}

Result<Note> noteFromJson(const Json& json, const std::string& what, const std::string& where) {
  Note note;
  FieldReader fields(json, what);
  std::string problem;
  std::string kind;
  std::int64_t id = 0;
  fields.integer("id", id);
  fields.text("kind", kind);
  fields.text("text", note.text);
  fields.integer("rank", note.rank);
  fields.integer("from_ns", note.span.begin);
  fields.integer("to_ns", note.span.end);
  fields.text("track", note.track);
  fields.number("offset_x", note.offsetX);
  fields.number("offset_y", note.offsetY);
  fields.text("colour", note.colour);
  if (fields.ok() && id < 0) fields.fail("id", "at least 0");
  if (fields.ok() && !note.colour.empty() && !isColour(note.colour))
    fields.fail("colour", "like \"#1f77b4\"");
  if (fields.ok() && note.span.end < note.span.begin) fields.fail("to_ns", "at least \"from_ns\"");
  if (fields.ok()) {
    if (kind == "callout")
      note.kind = NoteKind::callout;
    else if (kind == "bracket")
      note.kind = NoteKind::bracket;
    else if (kind == "band")
      note.kind = NoteKind::band;
    else
      fields.fail("kind", "\"callout\", \"bracket\" or \"band\"");
  }
  if (!fields.ok())
    problem = fields.problem();
  else if (json.contains("event"))
    readEvent(json["event"], what, note, problem);
  if (!problem.empty()) return Error{problem, where, "Mend the note, or remove it"};
  note.id = static_cast<std::uint64_t>(id);
  note.unknownFields = unknownFields(json, {"id", "kind", "text", "rank", "event", "from_ns",
                                            "to_ns", "track", "offset_x", "offset_y", "colour"});
  if (note.event.empty() && json.contains("event")) keepEvent(json["event"], note);
  return note;
}

}  // namespace documents

using documents::FieldReader;
using documents::Json;

std::string notesToJson(const NotesDocument& document) {
  Json json;
  json["ridgeline"] = "notes";
  json["version"] = documents::kVersion;
  json["next_id"] = document.nextId;
  json["notes"] = Json::array();
  for (const Note& note : document.notes) json["notes"].push_back(documents::noteToJson(note));
  documents::addUnknownFields(json, document.unknownFields);
  // Text that is no UTF-8 (a name from a damaged trace) must not make the notes unsavable.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<NotesDocument> notesFromJson(std::string_view text, const std::string& where) {
  auto parsed = documents::parseJson(text, where);
  if (!parsed.ok()) return parsed.error();
  const Json& json = parsed.value();
  FieldReader fields(json, "the document");
  std::int64_t version = 0;
  std::int64_t nextId = 1;
  fields.integer("version", version);
  fields.integer("next_id", nextId);
  if (fields.ok() && version < 1) fields.fail("version", "1 or more");
  if (fields.ok() && (!json.contains("notes") || !json["notes"].is_array()))
    fields.fail("notes", "a list");
  if (!fields.ok()) return Error{fields.problem(), where, "Mend the file, or remove it"};
  if (version > documents::kVersion)
    return Error{"version " + std::to_string(version) +
                     " of the notes format is newer than this program, which knows version " +
                     std::to_string(documents::kVersion),
                 where, "Open it with a newer Ridgeline"};

  NotesDocument document;
  document.nextId = static_cast<std::uint64_t>(std::max<std::int64_t>(nextId, 1));
  for (std::size_t i = 0; i < json["notes"].size(); ++i) {
    auto note = documents::noteFromJson(json["notes"][i], "note " + std::to_string(i + 1), where);
    if (!note.ok()) return note.error();
    document.nextId = std::max(document.nextId, note.value().id + 1);
    document.notes.push_back(std::move(note).value());
  }
  document.unknownFields =
      documents::unknownFields(json, {"ridgeline", "version", "next_id", "notes"});
  return document;
}

}  // namespace ridgeline
