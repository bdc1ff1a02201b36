#include "core/documents/notes.h"

#include <algorithm>
#include <filesystem>

#include "core/documents/atomic_file.h"
#include "core/documents/json_fields.h"

namespace ridgeline {
namespace {

/// Moves a file that can't be read out of the way, under the first free name; empty on failure.
std::string moveAside(const std::string& path) {
  namespace fs = std::filesystem;
  for (int n = 1; n < 1000; ++n) {
    std::string aside = path + ".damaged";
    if (n > 1) aside.append("-").append(std::to_string(n));
    std::error_code ec;
    if (fs::exists(aside, ec)) continue;
    fs::rename(path, aside, ec);
    return ec ? std::string() : aside;
  }
  return {};
}

bool isOfNewerVersion(const std::string& text, const std::string& path) {
  const auto json = documents::parseJson(text, path);
  if (!json.ok() || !json.value().is_object()) return false;
  const auto version = json.value().find("version");
  return version != json.value().end() && version->is_number_integer() &&
         version->get<std::int64_t>() > 1;
}

}  // namespace

std::string_view word(NoteKind kind) {
  switch (kind) {
    case NoteKind::callout:
      return "callout";
    case NoteKind::bracket:
      return "bracket";
    case NoteKind::band:
      return "band";
  }
  return "";
}

std::uint64_t NotesDocument::add(Note note) {
  note.id = nextId++;
  notes.push_back(std::move(note));
  return notes.back().id;
}

Note* NotesDocument::find(std::uint64_t id) {
  const auto it =
      std::find_if(notes.begin(), notes.end(), [&](const Note& note) { return note.id == id; });
  return it == notes.end() ? nullptr : &*it;
}

bool NotesDocument::remove(std::uint64_t id) {
  return std::erase_if(notes, [&](const Note& note) { return note.id == id; }) > 0;
}

std::string NotesFile::pathBeside(const std::string& tracePath) {
  return tracePath + ".ridgeline.json";
}

Result<NotesDocument> NotesFile::load() {
  refusal_.clear();
  std::error_code ec;
  if (!std::filesystem::exists(path_, ec) && !ec) return NotesDocument{};
  auto text = readFile(path_);
  if (!text.ok()) {
    refusal_ = "the notes that are there could not be read";
    return text.error();
  }
  auto document = notesFromJson(text.value(), path_);
  if (document.ok()) return document;
  Error error = document.error();
  if (isOfNewerVersion(text.value(), path_)) {
    refusal_ = "the notes that are there are of a newer version";
    return error;
  }
  const std::string aside = moveAside(path_);
  if (aside.empty()) {
    refusal_ = "the damaged notes that are there could not be moved aside";
  } else {
    error.todo = "The file was kept as " + aside + "; mend it and rename it back, or start anew";
  }
  return error;
}

Status NotesFile::save(const NotesDocument& document) {
  if (!refusal_.empty())
    return Error{"not saved, because " + refusal_, path_, "Move that file away and save again"};
  return writeFileAtomically(path_, notesToJson(document));
}

}  // namespace ridgeline
