#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/workload/kernel_class.h"
#include "resources/embedded.h"
#include "tests/support/shared_data.h"

using namespace ridgeline;
using Json = nlohmann::ordered_json;

namespace {

struct Name {
  std::string category, name, eventCategory;
  long count = 0;
  std::set<std::string> sources;  ///< recordings that hold it
  std::string rule;               ///< by all rules
  bool right = false;
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

/// Recordings of one folder have one origin; those that lie loose are each their own.
std::vector<Name> readNames(const std::string& path) {
  std::vector<Name> names;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() < 5) continue;
    Name name{fields[0], fields[1], fields[3], std::stol(fields[2]), {}, {}, false};
    for (const std::string& source : split(fields[4], ';'))
      name.sources.insert(source.substr(0, source.find('/')));
    names.push_back(std::move(name));
  }
  return names;
}

KernelClassifier classifierOf(const Json& rules) {
  auto made = KernelClassifier::fromJson(rules.dump());
  if (!made.ok()) qFatal("%s", made.error().text().c_str());
  return std::move(made).value();
}

/// One pattern of one rule: where it stands.
struct Place {
  std::string list;
  std::size_t rule = 0, pattern = 0;
};

/// A rule with no pattern left is taken out whole.
Json without(const Json& rules, const std::vector<Place>& places) {
  Json left = rules;
  std::map<std::pair<std::string, std::size_t>, std::set<std::size_t>> gone;
  for (const Place& place : places) gone[{place.list, place.rule}].insert(place.pattern);
  for (auto it = gone.rbegin(); it != gone.rend(); ++it) {
    Json& list = left[it->first.first];
    Json& patterns = list[it->first.second]["patterns"];
    for (auto at = it->second.rbegin(); at != it->second.rend(); ++at) patterns.erase(*at);
    if (patterns.empty()) list.erase(it->first.second);
  }
  return left;
}

/// The patterns without which some name gets another category, with those names.
std::vector<std::pair<Place, std::vector<const Name*>>> needs(const Json& rules,
                                                              const std::vector<Name>& names) {
  std::vector<std::pair<Place, std::vector<const Name*>>> found;
  for (const std::string list : {"rules", "payload_rules"})
    for (std::size_t r = 0; r < rules[list].size(); ++r) {
      const Json& rule = rules[list][r];
      // A launcher's names carry the id of the payload's rule.
      const bool launcher = rule.value("payload", false);
      std::vector<const Name*> of;
      for (const Name& name : names)
        if (name.right && (launcher || name.rule == rule["id"])) of.push_back(&name);
      if (of.empty()) continue;
      for (std::size_t p = 0; p < rule["patterns"].size(); ++p) {
        const Place place{list, r, p};
        const KernelClassifier rest = classifierOf(without(rules, {place}));
        std::vector<const Name*> dependent;
        for (const Name* name : of)
          if (rest.classify(name->name, name->eventCategory).oracleCategory != name->category)
            dependent.push_back(name);
        if (!dependent.empty()) found.emplace_back(place, std::move(dependent));
      }
    }
  return found;
}

}  // namespace

class TstKernelClassLeftOut : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// What the rules would say about a recording that nobody had looked at: every pattern that only
  /// this recording's names need is taken out, and its own names are asked for.
  void aSourceThatWasNeverSeenIsStillRead() {
    const std::string path = test::sharedFile("oracles/kernel_names.tsv");
    if (path.empty()) QSKIP("the list of real kernel names is not beside the checkout");
    std::vector<Name> names = readNames(path);
    QVERIFY(names.size() > 500);
    const Json rules = Json::parse(embeddedFile("rules/kernel_classes.json"));
    std::set<std::string> sources;
    for (Name& name : names) {
      const KernelLabel label = KernelClassifier::builtin().classify(name.name, name.eventCategory);
      name.rule = label.rule;
      name.right = label.oracleCategory == name.category;
      sources.insert(name.sources.begin(), name.sources.end());
    }
    const auto needed = needs(rules, names);
    QVERIFY2(!needed.empty(), "taking a pattern out changes nothing: the test tests nothing");
    std::size_t all = 0, right = 0;
    long allEvents = 0, rightEvents = 0;
    for (const std::string& source : sources) {
      const auto onlyThere = [&](const Name* name) {
        return name->sources.size() == 1 && name->sources.count(source) == 1;
      };
      std::vector<Place> out;
      for (const auto& [place, dependent] : needed)
        if (std::all_of(dependent.begin(), dependent.end(), onlyThere)) out.push_back(place);
      const KernelClassifier rest = classifierOf(without(rules, out));
      std::size_t own = 0, ownRight = 0;
      for (const Name& name : names) {
        if (name.sources.count(source) == 0) continue;
        ++own;
        allEvents += name.count;
        if (rest.classify(name.name, name.eventCategory).oracleCategory != name.category) continue;
        ++ownRight;
        rightEvents += name.count;
      }
      all += own;
      right += ownRight;
      qInfo("%-40.40s %3zu of %3zu names without its %zu patterns", source.c_str(), ownRight, own,
            out.size());
    }
    qInfo("left out one at a time: %zu of %zu names (%.1f %%), %.1f %% of events", right, all,
          100.0 * static_cast<double>(right) / static_cast<double>(all),
          100.0 * static_cast<double>(rightEvents) / static_cast<double>(allEvents));
    QVERIFY(static_cast<double>(right) >= 0.9 * static_cast<double>(all));
  }
};

QTEST_GUILESS_MAIN(TstKernelClassLeftOut)
#include "tst_kernel_class_left_out.moc"
