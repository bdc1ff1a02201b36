#include "core/hardware/catalog_json.h"

#include <regex>
#include <set>

#include <nlohmann/json.hpp>

namespace ridgeline {

namespace {

using Json = nlohmann::json;

// Collects the first thing that is wrong; everything after it is read but not used.
class Reader {
 public:
  explicit Reader(std::string device) : device_(std::move(device)) {}

  void fail(const std::string& what) {
    if (what_.empty()) what_ = what;
  }
  [[nodiscard]] bool failed() const { return !what_.empty(); }
  [[nodiscard]] Error error() const {
    return Error{what_, "hardware file, device " + device_,
                 "see resources/hardware/README.md for the format"};
  }

  std::string text(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return {};
    if (found->is_string()) return found->get<std::string>();
    fail(std::string("'") + key + "' is not a text");
    return {};
  }

  std::optional<double> positive(const Json& object, const char* key, double scale) {
    const auto found = object.find(key);
    if (found == object.end()) return std::nullopt;
    if (found->is_number() && found->get<double>() > 0) return found->get<double>() * scale;
    fail(std::string("'") + key + "' is not a positive number");
    return std::nullopt;
  }

  std::vector<std::string> texts(const Json& object, const char* key) {
    std::vector<std::string> result;
    const auto found = object.find(key);
    if (found == object.end()) return result;
    if (!found->is_array()) fail(std::string("'") + key + "' is not a list");
    for (const Json& item : *found) {
      if (!item.is_string()) {
        fail(std::string("'") + key + "' holds something that is not a text");
        continue;
      }
      result.push_back(item.get<std::string>());
    }
    return result;
  }

  std::vector<std::string> patterns(const Json& object, const char* key) {
    std::vector<std::string> result = texts(object, key);
    for (const std::string& pattern : result) {
      try {
        static_cast<void>(std::regex(pattern, std::regex::ECMAScript | std::regex::icase));
      } catch (const std::regex_error& problem) {
        fail("the pattern '" + pattern + "' cannot be read: " + problem.what());
      }
    }
    return result;
  }

  void onlyKeys(const Json& object, const std::set<std::string_view>& known) {
    for (const auto& [key, value] : object.items()) {
      if (!known.contains(key)) fail("unknown key '" + key + "'");
    }
  }

 private:
  std::string device_;
  std::string what_;
};

void readMatch(const Json& match, DeviceEntry& entry, Reader& reader) {
  reader.onlyKeys(match, {"names", "patterns", "generic", "generic_only", "capability", "sms",
                          "reported_memory_gb", "assume"});
  entry.names = reader.texts(match, "names");
  entry.patterns = reader.patterns(match, "patterns");
  entry.generic = reader.patterns(match, "generic");
  entry.capability = reader.text(match, "capability");
  entry.assume = reader.text(match, "assume");
  if (const auto found = match.find("generic_only"); found != match.end() && found->is_boolean()) {
    entry.genericOnly = found->get<bool>();
  }
  if (const auto found = match.find("sms"); found != match.end()) {
    for (const Json& item : *found) {
      if (item.is_number_integer()) {
        entry.smCounts.push_back(item.get<int>());
      } else {
        reader.fail("'sms' is not a list of whole numbers");
      }
    }
  }
  if (const auto found = match.find("reported_memory_gb"); found != match.end()) {
    if (found->is_array() && found->size() == 2 && (*found)[0].is_number() &&
        (*found)[1].is_number()) {
      entry.minMemoryBytes = (*found)[0].get<double>() * 1e9;
      entry.maxMemoryBytes = (*found)[1].get<double>() * 1e9;
    } else {
      reader.fail("'reported_memory_gb' is not [least, most]");
    }
  }
}

void readFigures(const Json& object, DeviceSpec& spec, Reader& reader) {
  if (const auto found = object.find("tflops"); found != object.end()) {
    if (!found->is_object()) {
      reader.fail("'tflops' is not an object");
    } else {
      reader.onlyKeys(*found, {peakKeys().begin(), peakKeys().end()});
      for (const auto& [key, value] : found->items()) {
        if (const auto peak = reader.positive(*found, key.c_str(), 1e12)) spec.peaks[key] = *peak;
      }
    }
  }
  spec.memoryBandwidth = reader.positive(object, "memory_gb_per_s", 1e9);
  spec.memoryBytes = reader.positive(object, "memory_gb", 1e9);
  if (const auto found = object.find("link"); found != object.end()) {
    if (!found->is_object()) {
      reader.fail("'link' is not an object");
    } else {
      reader.onlyKeys(*found, {"name", "gb_per_s"});
      spec.linkName = reader.text(*found, "name");
      spec.linkBandwidth = reader.positive(*found, "gb_per_s", 1e9);
    }
  }
  if (const auto sms = reader.positive(object, "sm_count", 1)) {
    spec.smCount = static_cast<int>(*sms);
  }
}

Result<DeviceEntry> readEntry(const Json& object, std::size_t index, bool userFile) {
  std::string label = std::to_string(index + 1);
  if (object.is_object() && object.contains("id") && object["id"].is_string()) {
    label = object["id"].get<std::string>();
  }
  Reader reader(label);
  DeviceEntry entry;
  if (!object.is_object()) {
    reader.fail("it is not an object");
    return reader.error();
  }
  reader.onlyKeys(object, {"id", "name", "vendor", "match", "tflops", "memory_gb_per_s",
                           "memory_gb", "link", "sm_count", "source"});
  DeviceSpec& spec = entry.spec;
  spec.id = reader.text(object, "id");
  spec.displayName = reader.text(object, "name");
  spec.vendor = reader.text(object, "vendor");
  spec.source = reader.text(object, "source");
  if (const auto found = object.find("match"); found != object.end() && found->is_object()) {
    readMatch(*found, entry, reader);
  } else if (!userFile || spec.id.empty()) {
    reader.fail("'match' is missing: it says which devices are meant");
  }
  readFigures(object, spec, reader);
  if (!userFile &&
      (spec.id.empty() || spec.displayName.empty() || spec.vendor.empty() || spec.source.empty())) {
    reader.fail("'id', 'name', 'vendor' and 'source' are needed");
  }
  if (spec.peaks.empty() && !spec.memoryBandwidth && !spec.memoryBytes && !spec.linkBandwidth) {
    reader.fail("it gives no figure");
  }
  if (reader.failed()) return reader.error();
  return entry;
}

}  // namespace

Result<std::vector<DeviceEntry>> readDeviceEntries(std::string_view text, bool userFile) {
  const Json root = Json::parse(text, nullptr, false);
  const std::string todo = "see resources/hardware/README.md for the format";
  if (root.is_discarded()) return Error{"this is not JSON", "hardware file", todo};
  if (!root.is_object() || !root.contains("version") || root["version"] != 1 ||
      !root.contains("devices") || !root["devices"].is_array()) {
    return Error{"expected an object with \"version\": 1 and a list \"devices\"", "hardware file",
                 todo};
  }
  std::vector<DeviceEntry> entries;
  for (const Json& object : root["devices"]) {
    Result<DeviceEntry> entry = readEntry(object, entries.size(), userFile);
    if (!entry.ok()) return entry.error();
    entries.push_back(std::move(entry).value());
  }
  return entries;
}

}  // namespace ridgeline
