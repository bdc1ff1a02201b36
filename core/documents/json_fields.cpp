#include "core/documents/json_fields.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace ridgeline::documents {

Result<Json> parseJson(std::string_view text, const std::string& where) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    return Error{
        "this is no whole JSON document: expected valid JSON at byte " + std::to_string(e.byte),
        where, "Mend the file there, or remove it"};
  } catch (const Json::out_of_range& e) {
    return Error{"a number in this document is beyond all bounds", where,
                 "Mend the file there, or remove it (" + std::string(e.what()) + ")"};
  }
}

FieldReader::FieldReader(const Json& object, std::string what)
    : object_(object), what_(std::move(what)) {
  if (!object_.is_object()) problem_ = what_ + " must be an object {…}";
}

void FieldReader::fail(std::string_view key, std::string_view expected) {
  if (problem_) return;
  problem_ = what_ + ": \"" + std::string(key) + "\" must be " + std::string(expected);
}

void FieldReader::text(std::string_view key, std::string& out) {
  const auto it = object_.find(key);
  if (problem_ || it == object_.end()) return;
  if (!it->is_string()) return fail(key, "a text");
  out = it->get<std::string>();
}

void FieldReader::number(std::string_view key, double& out) {
  const auto it = object_.find(key);
  if (problem_ || it == object_.end()) return;
  if (!it->is_number() || !std::isfinite(it->get<double>())) return fail(key, "a number");
  out = it->get<double>();
}

void FieldReader::flag(std::string_view key, bool& out) {
  const auto it = object_.find(key);
  if (problem_ || it == object_.end()) return;
  if (!it->is_boolean()) return fail(key, "true or false");
  out = it->get<bool>();
}

void FieldReader::integer(std::string_view key, std::int64_t& out) {
  const auto it = object_.find(key);
  if (problem_ || it == object_.end()) return;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!it->is_number_integer() || (it->is_number_unsigned() && it->get<std::uint64_t>() > kMax))
    return fail(key, "a whole number");
  out = it->get<std::int64_t>();
}

void FieldReader::texts(std::string_view key, std::vector<std::string>& out) {
  const auto it = object_.find(key);
  if (problem_ || it == object_.end()) return;
  const bool fits = it->is_array() && std::all_of(it->begin(), it->end(),
                                                  [](const Json& j) { return j.is_string(); });
  if (!fits) return fail(key, "a list of texts");
  out = it->get<std::vector<std::string>>();
}

std::string unknownFields(const Json& object, std::initializer_list<std::string_view> known) {
  Json rest = Json::object();
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end()) rest[key] = value;
  return rest.empty() ? std::string() : rest.dump();
}

void addUnknownFields(Json& object, const std::string& fields) {
  if (fields.empty()) return;
  const Json rest = Json::parse(fields, nullptr, false);
  if (!rest.is_object()) return;
  for (const auto& [key, value] : rest.items())
    if (!object.contains(key)) object[key] = value;
}

}  // namespace ridgeline::documents
