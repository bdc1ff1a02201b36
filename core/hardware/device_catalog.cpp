#include "core/hardware/device_catalog.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <utility>

#include "core/hardware/catalog_json.h"
#include "resources/embedded.h"

namespace ridgeline {

namespace {

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// A catalogue has a hundred patterns and a trace a handful of devices: compiling on use is fine.
// The reader has compiled each pattern once, so that none can fail here.
bool matches(const std::string& loweredName, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return std::regex_search(loweredName,
                             std::regex(pattern, std::regex::ECMAScript | std::regex::icase));
  });
}

bool hasName(const std::string& loweredName, const DeviceEntry& entry) {
  return std::any_of(entry.names.begin(), entry.names.end(),
                     [&](const std::string& name) { return lowered(name) == loweredName; });
}

// "" where nothing tells. The name decides before the runtime and the warp size: AMD reports its
// gfx number as a compute capability (9.0 is gfx90a, not Hopper).
std::string vendorOf(const std::string& name, const DeviceQuery& query) {
  static const std::vector<std::pair<std::string, std::regex>> byName = [] {
    std::vector<std::pair<std::string, std::regex>> list;
    list.emplace_back("nvidia", "nvidia|tesla|geforce|quadro|titan|^rtx|^[abgh]+[1-9]00\\b");
    list.emplace_back("amd", "\\bamd\\b|radeon|instinct|^gfx|^mi[1-9]");
    list.emplace_back("intel", "intel|gaudi|^hl-?[0-9]");
    list.emplace_back("google", "\\btpu");
    list.emplace_back("aws", "trainium|\\btrn[0-9]|inferentia");
    return list;
  }();
  for (const auto& [vendor, pattern] : byName) {
    if (std::regex_search(name, pattern)) return vendor;
  }
  switch (query.vendor) {
    case VendorHint::cuda:
      return "nvidia";
    case VendorHint::hip:
      return "amd";
    case VendorHint::xpu:
      return "intel";
    case VendorHint::unknown:
      break;
  }
  if (query.warpSize == 64) return "amd";
  if (query.warpSize == 32 && query.computeMajor > 0) return "nvidia";
  return {};
}

bool smsFit(const DeviceEntry& entry, int sms) {
  return entry.smCounts.empty() ||
         std::find(entry.smCounts.begin(), entry.smCounts.end(), sms) != entry.smCounts.end();
}

bool memoryFits(const DeviceEntry& entry, std::int64_t bytes) {
  const double value = static_cast<double>(bytes);
  return (entry.minMemoryBytes <= 0 || value >= entry.minMemoryBytes) &&
         (entry.maxMemoryBytes <= 0 || value <= entry.maxMemoryBytes);
}

std::string capabilityText(const DeviceQuery& query) {
  return std::to_string(query.computeMajor) + "." + std::to_string(query.computeMinor);
}

bool fitsGenericName(const DeviceEntry& entry, const std::string& name, const DeviceQuery& query) {
  if (!matches(name, entry.generic)) return false;
  if (query.totalMemory > 0 ? !memoryFits(entry, query.totalMemory) : entry.genericOnly) {
    return false;
  }
  if (query.smCount > 0 ? !smsFit(entry, query.smCount) : entry.genericOnly) return false;
  return query.computeMajor == 0 || entry.capability.empty() ||
         entry.capability == capabilityText(query);
}

bool fitsNumbers(const DeviceEntry& entry, const DeviceQuery& query) {
  return !entry.capability.empty() && !entry.genericOnly && query.totalMemory > 0 &&
         query.smCount > 0 && entry.capability == capabilityText(query) &&
         smsFit(entry, query.smCount) && memoryFits(entry, query.totalMemory);
}

void keepShared(std::optional<double>& figure, const std::optional<double>& other) {
  if (figure != other) figure.reset();
}

// What may be said when several devices are possible: the figures that all of them have.
DeviceSpec sharedFigures(const std::vector<const DeviceEntry*>& entries) {
  DeviceSpec spec = entries.front()->spec;
  for (const DeviceEntry* entry : entries) {
    const DeviceSpec& other = entry->spec;
    if (other.id == spec.id) continue;
    spec.id += "|" + other.id;
    spec.displayName += " or " + other.displayName;
    std::erase_if(spec.peaks,
                  [&](const auto& peak) { return other.peak(peak.first) != peak.second; });
    keepShared(spec.memoryBandwidth, other.memoryBandwidth);
    keepShared(spec.memoryBytes, other.memoryBytes);
    keepShared(spec.linkBandwidth, other.linkBandwidth);
    if (spec.linkName != other.linkName) spec.linkName.clear();
    if (spec.smCount != other.smCount) spec.smCount.reset();
    if (spec.source != other.source) spec.source += "; " + other.source;
  }
  return spec;
}

std::string joinedNames(const std::vector<const DeviceEntry*>& entries) {
  std::string text;
  for (const DeviceEntry* entry : entries) {
    if (!text.empty()) text += ", ";
    text += entry->spec.displayName;
  }
  return text;
}

constexpr std::string_view kSetPeaks =
    "Give this device's peaks and memory bandwidth in a hardware file (--peaks FILE)";

DeviceMatch several(const std::vector<const DeviceEntry*>& entries, const std::string& how) {
  DeviceMatch match;
  DeviceSpec spec = sharedFigures(entries);
  const bool one = spec.id == entries.front()->spec.id;
  if (one) {
    match.how = how;
    match.spec = std::move(spec);
    return match;
  }
  if (spec.peaks.empty() && !spec.memoryBandwidth) {
    match.whyNot = "The device may be any of " + joinedNames(entries) +
                   ", and these have no figure in common.";
    match.todo = std::string(kSetPeaks);
    return match;
  }
  match.how = how + "; several devices are possible (" + joinedNames(entries) +
              "), so only the figures they share are used";
  match.spec = std::move(spec);
  return match;
}

std::string describe(const DeviceQuery& query) {
  std::string text = query.name.empty() ? "a device without a name" : "'" + query.name + "'";
  std::vector<std::string> facts;
  if (query.totalMemory > 0) {
    const std::int64_t tenths = (query.totalMemory + 50'000'000) / 100'000'000;
    facts.push_back(std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB");
  }
  if (query.smCount > 0) facts.push_back(std::to_string(query.smCount) + " SMs");
  if (query.computeMajor > 0) facts.push_back("compute capability " + capabilityText(query));
  for (std::size_t i = 0; i < facts.size(); ++i) {
    text += (i == 0 ? " (" : ", ") + facts[i];
  }
  return facts.empty() ? text : text + ")";
}

DeviceMatch matchCatalogue(const std::vector<DeviceEntry>& all, const DeviceQuery& query) {
  const std::string name = lowered(query.name);
  const std::string vendor = vendorOf(name, query);
  std::vector<const DeviceEntry*> entries;
  for (const DeviceEntry& entry : all) {
    if (vendor.empty() || entry.spec.vendor == vendor) entries.push_back(&entry);
  }
  std::vector<const DeviceEntry*> found;
  const auto collect = [&](const auto& fits) {
    found.clear();
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(found),
                 [&](const DeviceEntry* entry) { return fits(*entry); });
    return !found.empty();
  };
  if (!name.empty()) {
    if (collect([&](const DeviceEntry& entry) { return hasName(name, entry); })) {
      return several(found, "exact name");
    }
    if (collect([&](const DeviceEntry& entry) { return matches(name, entry.patterns); })) {
      return several(found, "name pattern");
    }
    if (collect([&](const DeviceEntry& entry) { return fitsGenericName(entry, name, query); })) {
      const auto assumed = std::find_if(found.begin(), found.end(), [](const DeviceEntry* entry) {
        return !entry->assume.empty();
      });
      if (found.size() > 1 && assumed != found.end()) {
        return several({*assumed}, "name; " + (*assumed)->assume);
      }
      return several(found, "name with SMs and memory");
    }
  }
  if (collect([&](const DeviceEntry& entry) { return fitsNumbers(entry, query); })) {
    return several(found, "capability, SMs and memory");
  }
  DeviceMatch match;
  match.whyNot = "The catalogue does not know " + describe(query) + ".";
  match.todo = std::string(kSetPeaks);
  return match;
}

template <class T>
void overlayFigure(T& figure, const T& user, const std::string& key, DeviceSpec& spec) {
  if (!user) return;
  figure = user;
  spec.userKeys.insert(key);
}

void overlay(DeviceSpec& spec, const DeviceSpec& user) {
  for (const auto& [key, value] : user.peaks) {
    spec.peaks[key] = value;
    spec.userKeys.insert(key);
  }
  overlayFigure(spec.memoryBandwidth, user.memoryBandwidth, "memoryBandwidth", spec);
  overlayFigure(spec.memoryBytes, user.memoryBytes, "memoryBytes", spec);
  overlayFigure(spec.linkBandwidth, user.linkBandwidth, "linkBandwidth", spec);
  overlayFigure(spec.smCount, user.smCount, "smCount", spec);
  if (!user.linkName.empty()) spec.linkName = user.linkName;
  if (!user.displayName.empty()) spec.displayName = user.displayName;
  if (!user.vendor.empty()) spec.vendor = user.vendor;
  if (!user.id.empty()) spec.id = user.id;
  spec.userSource = user.source.empty() ? "user file" : user.source;
}

bool namesAll(const DeviceEntry& entry) {
  return std::find(entry.names.begin(), entry.names.end(), "*") != entry.names.end();
}

}  // namespace

Result<DeviceCatalog> DeviceCatalog::fromJson(const std::vector<std::string_view>& texts) {
  DeviceCatalog catalog;
  for (const std::string_view text : texts) {
    Result<std::vector<DeviceEntry>> read = readDeviceEntries(text, false);
    if (!read.ok()) return read.error();
    for (DeviceEntry& entry : read.value()) catalog.entries_.push_back(std::move(entry));
  }
  return catalog;
}

const DeviceCatalog& DeviceCatalog::builtin() {
  static const DeviceCatalog catalog = [] {
    std::vector<std::string_view> texts;
    for (const EmbeddedFile& file : embeddedFiles()) {
      if (file.path.starts_with("hardware/")) texts.push_back(file.text);
    }
    Result<DeviceCatalog> read = fromJson(texts);
    // The files are part of the program and a test reads them: this cannot fail in a release.
    return read.ok() ? std::move(read).value() : DeviceCatalog();
  }();
  return catalog;
}

Result<DeviceCatalog> DeviceCatalog::withUserFile(std::string_view text) const {
  Result<std::vector<DeviceEntry>> read = readDeviceEntries(text, true);
  if (!read.ok()) return read.error();
  DeviceCatalog catalog = *this;
  for (DeviceEntry& entry : read.value()) catalog.userEntries_.push_back(std::move(entry));
  // What is said for all devices must not cover what is said for one.
  std::stable_partition(catalog.userEntries_.begin(), catalog.userEntries_.end(), namesAll);
  return catalog;
}

DeviceMatch DeviceCatalog::match(const DeviceQuery& query) const {
  DeviceMatch match = matchCatalogue(entries_, query);
  const std::string name = lowered(query.name);
  for (const DeviceEntry& entry : userEntries_) {
    const bool applies = namesAll(entry) || hasName(name, entry) ||
                         (!name.empty() && matches(name, entry.patterns)) ||
                         (match.spec && !entry.spec.id.empty() && entry.spec.id == match.spec->id);
    if (!applies) continue;
    if (!match.spec) {
      match.spec.emplace();
      match.spec->displayName = query.name.empty() ? "device without a name" : query.name;
      match.whyNot.clear();
      match.todo.clear();
    }
    overlay(*match.spec, entry.spec);
    if (match.how.find("user file") == std::string::npos) {
      match.how += match.how.empty() ? "user file" : "; user file on top";
    }
  }
  return match;
}

}  // namespace ridgeline
