#include "core/workload/kernel_class.h"

#include <algorithm>
#include <array>
#include <regex>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/workload/kernel_name.h"
#include "core/workload/kernel_rules.h"
#include "resources/embedded.h"

namespace ridgeline {

namespace {

constexpr std::array<std::string_view, kKernelClassCount> kClassNames = {
    "matmul",    "attention",  "convolution", "normalization", "softmax",   "elementwise",
    "reduction", "indexing",   "copy",        "rng",           "optimizer", "triton",
    "moe",       "collective", "memcpy",      "memset",        "sync",      "unknown"};

constexpr std::string_view kUnknownCategory = "other";

// std::regex recurses on the length of the text: names can be longer than the stack allows.
constexpr std::size_t kRegexLimit = 4096;

// Real names have up to some 10,000 characters; what comes after this tells nothing.
constexpr std::size_t kNameLimit = 65'536;

struct UserRule {
  std::string id;
  std::regex regex;
  KernelClass kernelClass = KernelClass::unknown;
  std::string subclass;
};

std::string_view firstName(const std::vector<NamedPatterns>& list, const NameText& text) {
  for (const NamedPatterns& named : list) {
    if (matchesAny(named.patterns, text)) return named.name;
  }
  return {};
}

bool fits(const NameRule& rule, const NameText& text) {
  return matchesAny(rule.patterns, text) && !matchesAny(rule.exceptions, text);
}

std::string lowered(std::string_view text) {
  return NameText(std::string(text)).lowered;
}

}  // namespace

std::string_view name(KernelClass kernelClass) {
  return kClassNames.at(static_cast<std::size_t>(kernelClass));
}

std::optional<KernelClass> kernelClassNamed(std::string_view word) {
  const auto* found = std::find(kClassNames.begin(), kClassNames.end(), word);
  if (found == kClassNames.end()) return std::nullopt;
  return static_cast<KernelClass>(found - kClassNames.begin());
}

struct KernelClassifier::Rules {
  std::shared_ptr<const KernelRules> builtin;
  std::vector<UserRule> user;

  // The category word that goes with a class, for user rules: that of the class's first rule.
  [[nodiscard]] std::string_view categoryOf(KernelClass kernelClass) const {
    for (const NameRule& rule : builtin->rules) {
      if (rule.kernelClass == kernelClass) return rule.category;
    }
    return kUnknownCategory;
  }

  [[nodiscard]] MatrixUnit unitOf(KernelClass kernelClass, MatrixUnit byRule,
                                  const NameText& text) const {
    if (matchesAny(builtin->onMatrixUnit, text)) return MatrixUnit::yes;
    if (matchesAny(builtin->notOnMatrixUnit, text)) return MatrixUnit::no;
    if (byRule != MatrixUnit::unknown) return byRule;
    return builtin->classMatrixUnit[static_cast<std::size_t>(kernelClass)];
  }

  [[nodiscard]] KernelLabel label(const NameRule& rule, const NameText& whole,
                                  MatrixUnit byLauncher) const {
    KernelLabel result;
    result.kernelClass = rule.kernelClass;
    result.subclass = firstName(rule.subclasses, whole);
    if (result.subclass.empty()) result.subclass = rule.subclass;
    result.rule = rule.id;
    result.oracleCategory = rule.category;
    result.matrixUnit =
        unitOf(rule.kernelClass,
               rule.matrixUnit != MatrixUnit::unknown ? rule.matrixUnit : byLauncher, whole);
    return result;
  }

  [[nodiscard]] const UserRule* userRuleFor(std::string_view name) const {
    const std::string text(name.substr(0, kRegexLimit));
    for (const UserRule& rule : user) {
      if (std::regex_search(text, rule.regex)) return &rule;
    }
    return nullptr;
  }

  [[nodiscard]] KernelLabel byName(std::string_view name, std::string_view eventCategory) const;
};

KernelLabel KernelClassifier::Rules::byName(std::string_view name,
                                            std::string_view eventCategory) const {
  name = name.substr(0, kNameLimit);
  const NameText raw{std::string(name)};
  const std::string category = lowered(eventCategory);
  const KernelName parts = splitKernelName(name);
  const NameText base(parts.base);
  const NameText payload(parts.payload);
  const NameText whole(parts.payload.empty() ? parts.base : parts.base + "<" + parts.payload + ">");
  for (const NameRule& rule : builtin->rules) {
    if (rule.onRawName) {
      const bool byCategory =
          !category.empty() && std::find(rule.eventCategories.begin(), rule.eventCategories.end(),
                                         category) != rule.eventCategories.end();
      if (byCategory || fits(rule, raw)) return label(rule, raw, MatrixUnit::unknown);
      continue;
    }
    if (!fits(rule, base)) continue;
    if (rule.asksPayload) {
      for (const NameRule& inner : builtin->payloadRules) {
        if (fits(inner, payload)) return label(inner, whole, rule.matrixUnit);
      }
    }
    return label(rule, whole, MatrixUnit::unknown);
  }
  KernelLabel unknown;
  unknown.oracleCategory = kUnknownCategory;
  unknown.matrixUnit = unitOf(KernelClass::unknown, MatrixUnit::unknown, whole);
  return unknown;
}

KernelClassifier::KernelClassifier(std::shared_ptr<const Rules> rules) : rules_(std::move(rules)) {}

Result<KernelClassifier> KernelClassifier::fromJson(std::string_view text) {
  Result<KernelRules> read = readKernelRules(text);
  if (!read.ok()) return read.error();
  auto rules = std::make_shared<Rules>();
  rules->builtin = std::make_shared<const KernelRules>(std::move(read).value());
  return KernelClassifier(std::move(rules));
}

const KernelClassifier& KernelClassifier::builtin() {
  static const KernelClassifier classifier = [] {
    Result<KernelClassifier> read = fromJson(embeddedFile("rules/kernel_classes.json"));
    if (read.ok()) return std::move(read).value();
    // The file is part of the program and a test reads it: this cannot happen in a release.
    auto rules = std::make_shared<Rules>();
    auto empty = std::make_shared<KernelRules>();
    empty->classMatrixUnit.assign(kKernelClassCount, MatrixUnit::unknown);
    rules->builtin = std::move(empty);
    return KernelClassifier(std::move(rules));
  }();
  return classifier;
}

Result<KernelClassifier> KernelClassifier::withUserRules(std::string_view text) const {
  using Json = nlohmann::json;
  const std::string todo = "see resources/rules/README.md for the format";
  const Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded()) return Error{"this is not JSON", "kernel rules of the user", todo};
  if (!root.is_object() || !root.contains("version") || root["version"] != 1 ||
      !root.contains("rules") || !root["rules"].is_array()) {
    return Error{"expected an object with \"version\": 1 and a list \"rules\"",
                 "kernel rules of the user", todo};
  }
  auto rules = std::make_shared<Rules>(*rules_);
  std::vector<UserRule> added;
  for (const Json& object : root["rules"]) {
    const std::string place = "kernel rules of the user, rule " + std::to_string(added.size() + 1);
    const auto word = [&object](const char* key) {
      return object.is_object() && object.contains(key) && object[key].is_string()
                 ? object[key].get<std::string>()
                 : std::string();
    };
    const std::optional<KernelClass> kernelClass = kernelClassNamed(word("class"));
    if (word("regex").empty()) return Error{"the regex is missing", place, todo};
    if (!kernelClass) return Error{"there is no class " + word("class"), place, todo};
    UserRule rule;
    rule.id = word("id").empty() ? "user." + std::to_string(added.size() + 1) : word("id");
    rule.kernelClass = *kernelClass;
    rule.subclass = word("subclass");
    try {
      rule.regex.assign(word("regex"), std::regex::ECMAScript | std::regex::icase);
    } catch (const std::regex_error& problem) {
      return Error{"the regex cannot be read: " + std::string(problem.what()), place, todo};
    }
    added.push_back(std::move(rule));
  }
  // What is added last is asked first.
  rules->user.insert(rules->user.begin(), std::make_move_iterator(added.begin()),
                     std::make_move_iterator(added.end()));
  return KernelClassifier(std::move(rules));
}

KernelLabel KernelClassifier::classify(std::string_view name,
                                       std::string_view eventCategory) const {
  KernelLabel label = rules_->byName(name, eventCategory);
  if (rules_->user.empty()) return label;
  const UserRule* rule = rules_->userRuleFor(name);
  if (rule == nullptr) return label;
  if (rule->kernelClass != label.kernelClass) {
    label.oracleCategory = rules_->categoryOf(rule->kernelClass);
    label.matrixUnit =
        rules_->unitOf(rule->kernelClass, MatrixUnit::unknown, NameText(std::string(name)));
  }
  label.kernelClass = rule->kernelClass;
  label.subclass = rule->subclass;
  label.rule = rule->id;
  return label;
}

KernelLabel KernelClassifier::refine(const KernelLabel& byName, std::string_view parentOp) const {
  if (parentOp.empty()) return byName;
  const NameText op{std::string(parentOp)};
  for (const ParentRule& rule : rules_->builtin->parentRules) {
    if (std::find(rule.from.begin(), rule.from.end(), byName.kernelClass) == rule.from.end()) {
      continue;
    }
    if (!matchesAny(rule.operators, op)) continue;
    KernelLabel label = byName;
    if (rule.takesCollectiveKind) {
      // A kernel that names its collective knows better than the operator around it.
      if (!label.subclass.empty() && label.subclass != "generic") return byName;
      const std::string_view kind = firstName(rules_->builtin->collectiveKinds, op);
      if (kind.empty()) return byName;
      label.subclass = kind;
    } else {
      // What a name says in detail is better than what the operator says in general.
      if (rule.kernelClass == byName.kernelClass && !byName.subclass.empty()) return byName;
      label.kernelClass = rule.kernelClass;
      label.subclass = rule.subclass;
      label.oracleCategory = rule.category;
    }
    label.rule = rule.id;
    label.byParentOp = true;
    return label;
  }
  return byName;
}

std::string_view KernelClassifier::collectiveKind(std::string_view name) const {
  const std::string_view kind =
      firstName(rules_->builtin->collectiveKinds, NameText(std::string(name)));
  return kind.empty() ? std::string_view("generic") : kind;
}

KernelLabel refine(const KernelLabel& byName, std::string_view parentOp) {
  return KernelClassifier::builtin().refine(byName, parentOp);
}

std::string_view collectiveKind(std::string_view name) {
  return KernelClassifier::builtin().collectiveKind(name);
}

std::string classifyLine(std::string_view name) {
  const KernelLabel label = KernelClassifier::builtin().classify(name);
  std::string line(label.oracleCategory);
  for (const std::string_view part :
       {ridgeline::name(label.kernelClass), label.subclass, label.rule}) {
    line += '\t';
    line += part;
  }
  return line;
}

}  // namespace ridgeline
