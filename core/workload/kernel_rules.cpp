#include "core/workload/kernel_rules.h"

#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace ridgeline {

namespace {

using Json = nlohmann::json;

// Reads the parts of one rule; remembers the first thing that is wrong.
class RuleReader {
 public:
  explicit RuleReader(const Json& object, std::string place)
      : object_(object), place_(std::move(place)) {
    if (!object_.is_object()) fail("it is not an object");
  }

  [[nodiscard]] bool failed() const { return !what_.empty(); }
  [[nodiscard]] Error error() const {
    return Error{what_, "kernel rules, " + place_, "see resources/rules/README.md for the format"};
  }
  void fail(const std::string& what) {
    if (what_.empty()) what_ = what;
  }

  [[nodiscard]] std::string text(const char* key) {
    const Json* value = find(key);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    fail(std::string(key) + " is not a text");
    return {};
  }
  [[nodiscard]] bool flag(const char* key) {
    const Json* value = find(key);
    if (value == nullptr) return false;
    if (value->is_boolean()) return value->get<bool>();
    fail(std::string(key) + " is not true or false");
    return false;
  }
  [[nodiscard]] std::vector<std::string> texts(const char* key) {
    std::vector<std::string> result;
    const Json* value = find(key);
    if (value == nullptr) return result;
    if (!value->is_array()) fail(std::string(key) + " is not a list");
    for (const Json& item : *value) {
      if (item.is_string()) {
        result.push_back(item.get<std::string>());
      } else {
        fail(std::string(key) + " holds something that is not a text");
      }
    }
    return result;
  }
  [[nodiscard]] std::vector<NamePattern> patterns(const char* key) {
    std::vector<NamePattern> result;
    for (const std::string& text : texts(key)) {
      Result<NamePattern> pattern = NamePattern::parse(text);
      if (pattern.ok()) {
        result.push_back(std::move(pattern).value());
      } else {
        fail(pattern.error().what);
      }
    }
    return result;
  }
  [[nodiscard]] KernelClass kernelClass(const std::string& word) {
    const std::optional<KernelClass> found = kernelClassNamed(word);
    if (!found) fail("there is no class " + word);
    return found.value_or(KernelClass::unknown);
  }
  [[nodiscard]] MatrixUnit matrixUnit(const std::string& word) {
    if (word == "yes") return MatrixUnit::yes;
    if (word == "no") return MatrixUnit::no;
    if (!word.empty()) fail("matrix_unit is neither yes nor no");
    return MatrixUnit::unknown;
  }
  [[nodiscard]] std::vector<NamedPatterns> namedPatterns(const char* key) {
    std::vector<NamedPatterns> result;
    const Json* value = find(key);
    if (value == nullptr) return result;
    for (const Json& item : *value) {
      RuleReader reader(item, place_);
      NamedPatterns named{reader.text("name"), reader.patterns("patterns")};
      if (named.name.empty() || named.patterns.empty()) reader.fail("a name has no patterns");
      if (reader.failed()) fail(reader.what_);
      result.push_back(std::move(named));
    }
    return result;
  }

 private:
  [[nodiscard]] const Json* find(const char* key) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  const Json& object_;
  std::string place_;
  std::string what_;
};

Result<NameRule> readNameRule(const Json& object, const std::string& place) {
  RuleReader reader(object, place);
  NameRule rule;
  rule.id = reader.text("id");
  rule.kernelClass = reader.kernelClass(reader.text("class"));
  rule.subclass = reader.text("subclass");
  rule.category = reader.text("category");
  rule.onRawName = reader.text("on") == "raw";
  rule.asksPayload = reader.flag("payload");
  rule.matrixUnit = reader.matrixUnit(reader.text("matrix_unit"));
  rule.eventCategories = reader.texts("events");
  rule.patterns = reader.patterns("patterns");
  rule.exceptions = reader.patterns("not");
  rule.subclasses = reader.namedPatterns("subclasses");
  if (rule.id.empty() || rule.category.empty() || rule.patterns.empty()) {
    reader.fail("id, category and patterns are needed");
  }
  if (reader.failed()) return reader.error();
  return rule;
}

Result<ParentRule> readParentRule(const Json& object, const std::string& place) {
  RuleReader reader(object, place);
  ParentRule rule;
  rule.id = reader.text("id");
  for (const std::string& word : reader.texts("from")) {
    rule.from.push_back(reader.kernelClass(word));
  }
  rule.operators = reader.patterns("ops");
  rule.takesCollectiveKind = reader.flag("collective_kind");
  if (!rule.takesCollectiveKind) rule.kernelClass = reader.kernelClass(reader.text("class"));
  rule.subclass = reader.text("subclass");
  rule.category = reader.text("category");
  if (rule.id.empty() || rule.from.empty() || rule.operators.empty()) {
    reader.fail("id, from and ops are needed");
  }
  if (reader.failed()) return reader.error();
  return rule;
}

// Reads every element of a list of the root with `read`.
template <class Rule, class Read>
std::optional<Error> readList(const Json& root, const char* key, const Read& read,
                              std::vector<Rule>& out) {
  const auto list = root.find(key);
  if (list == root.end() || !list->is_array()) {
    return Error{std::string("the list ") + key + " is missing", "kernel rules", ""};
  }
  for (const Json& object : *list) {
    std::string place = std::string(key) + " " + std::to_string(out.size() + 1);
    if (object.is_object() && object.contains("id") && object["id"].is_string()) {
      place += " (" + object["id"].get<std::string>() + ")";
    }
    Result<Rule> rule = read(object, place);
    if (!rule.ok()) return rule.error();
    out.push_back(std::move(rule).value());
  }
  return std::nullopt;
}

}  // namespace

Result<KernelRules> readKernelRules(std::string_view text) {
  const Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded() || !root.is_object()) {
    return Error{"this is not a JSON object", "kernel rules", ""};
  }
  if (!root.contains("version") || root["version"] != 1) {
    return Error{"expected \"version\": 1", "kernel rules", ""};
  }
  KernelRules rules;
  if (auto error = readList(root, "rules", readNameRule, rules.rules)) return *error;
  if (auto error = readList(root, "payload_rules", readNameRule, rules.payloadRules)) return *error;
  if (auto error = readList(root, "parent_rules", readParentRule, rules.parentRules)) return *error;
  RuleReader rest(root, "collective_kinds");
  rules.collectiveKinds = rest.namedPatterns("collective_kinds");
  if (rest.failed()) return rest.error();
  const Json none = Json::object();
  RuleReader units(root.contains("matrix_unit") ? root["matrix_unit"] : none, "matrix_unit");
  rules.onMatrixUnit = units.patterns("yes");
  rules.notOnMatrixUnit = units.patterns("no");
  rules.classMatrixUnit.assign(kKernelClassCount, MatrixUnit::unknown);
  RuleReader classes(root.contains("class_matrix_unit") ? root["class_matrix_unit"] : none,
                     "class_matrix_unit");
  for (int i = 0; i < kKernelClassCount; ++i) {
    const std::string word(name(static_cast<KernelClass>(i)));
    rules.classMatrixUnit[static_cast<std::size_t>(i)] =
        classes.matrixUnit(classes.text(word.c_str()));
  }
  if (units.failed()) return units.error();
  if (classes.failed()) return classes.error();
  return rules;
}

}  // namespace ridgeline
