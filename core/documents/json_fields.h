#pragma once

#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/result.h"

namespace ridgeline::documents {

using Json = nlohmann::ordered_json;

/// Parses text of at most a document's size; the error names the byte.
[[nodiscard]] Result<Json> parseJson(std::string_view text, const std::string& where);

/// Reads fields of one JSON object and remembers the first that is not what it should be.
class FieldReader {
 public:
  /// `what` says what the object is: "note 3".
  FieldReader(const Json& object, std::string what);

  [[nodiscard]] bool has(std::string_view key) const { return object_.contains(key); }
  void text(std::string_view key, std::string& out);
  void number(std::string_view key, double& out);
  void flag(std::string_view key, bool& out);
  /// A whole number that fits int64.
  void integer(std::string_view key, std::int64_t& out);
  void texts(std::string_view key, std::vector<std::string>& out);
  void fail(std::string_view key, std::string_view expected);

  [[nodiscard]] bool ok() const { return !problem_; }
  /// "note 3: \"text\" must be a text"
  [[nodiscard]] const std::string& problem() const { return *problem_; }

 private:
  const Json& object_;
  std::string what_;
  std::optional<std::string> problem_;
};

/// The fields of `object` that are not `known`, as JSON text; empty if there are none.
[[nodiscard]] std::string unknownFields(const Json& object,
                                        std::initializer_list<std::string_view> known);
/// Adds the fields of a text made by unknownFields() that `object` lacks.
void addUnknownFields(Json& object, const std::string& fields);

}  // namespace ridgeline::documents
