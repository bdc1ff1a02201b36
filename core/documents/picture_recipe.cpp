#include "core/documents/picture_recipe.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/documents/atomic_file.h"
#include "core/documents/notes_json.h"

namespace ridgeline {
namespace {

using documents::FieldReader;
using documents::Json;

constexpr std::int64_t kVersion = 1;

void readSize(const Json& json, PictureRecipe& recipe, std::string& problem) {
  FieldReader fields(json, "\"size\"");
  std::int64_t width = recipe.width;
  std::int64_t height = recipe.height;
  fields.integer("width", width);
  fields.integer("height", height);
  fields.number("scale", recipe.scale);
  if (fields.ok() && (width < 200 || width > 20000)) fields.fail("width", "from 200 to 20000");
  if (fields.ok() && height != 0 && (height < 100 || height > 20000))
    fields.fail("height", "0 (as high as the rows) or from 100 to 20000");
  if (fields.ok() && (recipe.scale < 0.5 || recipe.scale > 8))
    fields.fail("scale", "from 0.5 to 8");
  if (!fields.ok()) {
    problem = fields.problem();
    return;
  }
  recipe.width = static_cast<int>(width);
  recipe.height = static_cast<int>(height);
}

void readWindow(const Json& json, PictureRecipe& recipe, std::string& problem) {
  FieldReader fields(json, "\"window\"");
  const bool hasSpan = fields.has("from_ns") || fields.has("to_ns");
  TimeSpan span;
  fields.integer("from_ns", span.begin);
  fields.integer("to_ns", span.end);
  if (json.contains("step") && json["step"].is_number_integer())
    recipe.step = json["step"].dump();
  else
    fields.text("step", recipe.step);
  if (fields.ok() && hasSpan && !recipe.step.empty())
    fields.fail("step", "left out when \"from_ns\" and \"to_ns\" are given");
  if (fields.ok() && hasSpan && !(fields.has("from_ns") && fields.has("to_ns")))
    fields.fail("to_ns", "given together with \"from_ns\"");
  if (fields.ok() && hasSpan && span.empty()) fields.fail("to_ns", "larger than \"from_ns\"");
  if (!fields.ok())
    problem = fields.problem();
  else if (hasSpan)
    recipe.span = span;
}

void readNotes(const Json& json, PictureRecipe& recipe, const std::string& where,
               std::string& problem) {
  if (json == "from trace") {
    recipe.notesOfTrace = true;
    return;
  }
  if (!json.is_array()) {
    problem = "\"notes\" must be \"from trace\" or a list";
    return;
  }
  for (const Json& one : json) {
    if (one == "from trace") {
      recipe.notesOfTrace = true;
      continue;
    }
    auto note =
        documents::noteFromJson(one, "note " + std::to_string(recipe.notes.size() + 1), where);
    if (!note.ok()) {
      problem = note.error().what;
      return;
    }
    recipe.notes.push_back(std::move(note).value());
  }
}

/// One of two words.
template <class E>
void readWord(FieldReader& fields, std::string_view key, E& out, std::string_view first,
              std::string_view second) {
  std::string word(out == E{} ? first : second);
  fields.text(key, word);
  if (word != first && word != second)
    return fields.fail(key, "\"" + std::string(first) + "\" or \"" + std::string(second) + "\"");
  out = word == first ? E{} : static_cast<E>(1);
}

void readTraces(const Json& json, FieldReader& fields, const std::string& folder,
                PictureRecipe& recipe) {
  if (json.contains("trace") && json["trace"].is_string())
    recipe.traces.push_back(json["trace"].get<std::string>());
  else
    fields.texts(json.contains("trace") ? "trace" : "traces", recipe.traces);
  if (fields.ok() && recipe.traces.empty()) fields.fail("trace", "the path of a trace");
  for (std::string& path : recipe.traces)
    path = (std::filesystem::path(folder) / path).lexically_normal().string();
}

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

}  // namespace

Result<PictureRecipe> pictureRecipeFromJson(std::string_view text, const std::string& folder,
                                            const std::string& where) {
  auto parsed = documents::parseJson(text, where);
  if (!parsed.ok()) return parsed.error();
  const Json& json = parsed.value();
  PictureRecipe recipe;
  FieldReader fields(json, "the recipe");
  std::string problem;
  std::int64_t version = kVersion;
  fields.integer("version", version);
  if (fields.ok() && (version < 1 || version > kVersion))
    fields.fail("version", std::to_string(kVersion) + ": this program knows no other");
  if (fields.ok()) {
    readTraces(json, fields, folder, recipe);
    readWord(fields, "panel", recipe.panel, "timeline", "roofline");
    readWord(fields, "theme", recipe.theme, "light", "dark");
    fields.texts("rows", recipe.rows);
    fields.texts("select", recipe.select);
    fields.text("title", recipe.title);
    fields.flag("legend", recipe.legend);
    fields.flag("caption", recipe.caption);
  }
  if (fields.ok() && json.contains("overlays")) {
    recipe.overlays.emplace();
    fields.texts("overlays", *recipe.overlays);
  }
  if (!fields.ok()) problem = fields.problem();
  if (problem.empty() && json.contains("size")) readSize(json["size"], recipe, problem);
  if (problem.empty() && json.contains("window")) readWindow(json["window"], recipe, problem);
  if (problem.empty() && json.contains("notes")) readNotes(json["notes"], recipe, where, problem);
  if (!problem.empty())
    return Error{problem, where, "The format is described in core/documents/README.md"};
  static constexpr std::string_view kKnown[] = {
      "ridgeline", "version", "trace",   "traces",   "panel", "theme",  "rows", "select",
      "title",     "legend",  "caption", "overlays", "size",  "window", "notes"};
  for (const auto& [key, value] : json.items())
    if (std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown))
      recipe.warnings.push_back("\"" + key + "\" is no field of a recipe and was passed over");
  return recipe;
}

Result<PictureRecipe> readPictureRecipe(const std::string& path) {
  auto text = readFile(path, std::size_t{64} << 20);
  if (!text.ok()) return text.error();
  std::error_code ec;
  const auto folder = std::filesystem::absolute(path, ec).parent_path().string();
  return pictureRecipeFromJson(text.value(), folder, path);
}

std::string pictureRecipeToJson(const PictureRecipe& recipe) {
  Json json;
  json["ridgeline"] = "picture recipe";
  json["version"] = kVersion;
  json["traces"] = recipe.traces;
  json["panel"] = recipe.panel == PicturePanel::timeline ? "timeline" : "roofline";
  json["theme"] = recipe.theme == PictureTheme::light ? "light" : "dark";
  if (recipe.span)
    json["window"] = {{"from_ns", recipe.span->begin}, {"to_ns", recipe.span->end}};
  else if (!recipe.step.empty())
    json["window"] = {{"step", recipe.step}};
  if (!recipe.rows.empty()) json["rows"] = recipe.rows;
  if (recipe.overlays) json["overlays"] = *recipe.overlays;
  if (!recipe.select.empty()) json["select"] = recipe.select;
  if (recipe.notesOfTrace || !recipe.notes.empty()) {
    json["notes"] = Json::array();
    if (recipe.notesOfTrace) json["notes"].push_back("from trace");
    for (const Note& note : recipe.notes) json["notes"].push_back(documents::noteToJson(note));
  }
  json["size"] = {{"width", recipe.width}, {"height", recipe.height}, {"scale", recipe.scale}};
  if (!recipe.title.empty()) json["title"] = recipe.title;
  json["legend"] = recipe.legend;
  json["caption"] = recipe.caption;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool fitsPattern(std::string_view name, std::string_view pattern) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(), lower);
  std::size_t at = 0;
  // Each part between two stars must follow the one before it; leftmost fits are enough.
  for (std::size_t begin = 0; begin <= pattern.size();) {
    const std::size_t end = std::min(pattern.find('*', begin), pattern.size());
    std::string part(pattern.substr(begin, end - begin));
    std::transform(part.begin(), part.end(), part.begin(), lower);
    const std::size_t found = text.find(part, at);
    if (found == std::string::npos) return false;
    at = found + part.size();
    begin = end + 1;
  }
  return true;
}

}  // namespace ridgeline
