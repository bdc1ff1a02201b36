#include "core/io/same_files.h"

#include <map>
#include <optional>
#include <sys/stat.h>

#include "core/io/folder_files.h"

namespace ridgeline {

namespace {

using FileKey = std::pair<dev_t, ino_t>;

std::optional<FileKey> keyOf(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileKey{info.st_dev, info.st_ino};
}

}  // namespace

NamedOnce namedOnce(const std::vector<std::string>& paths) {
  NamedOnce result;
  if (paths.size() < 2) {
    result.paths = paths;
    return result;
  }
  // Folders first: a file in one of them is opened with it, wherever it is named.
  std::map<FileKey, std::string> inFolders, named;
  for (const std::string& path : paths) {
    if (!isFolder(path)) continue;
    const auto files = filesIn(path);
    if (!files.ok()) continue;
    for (const std::string& file : files.value())
      if (const auto key = keyOf(file)) inFolders.emplace(*key, path);
  }
  for (const std::string& path : paths) {
    const auto key = keyOf(path);
    if (!key) {
      result.paths.push_back(path);
      continue;
    }
    if (const auto inside = inFolders.find(*key); inside != inFolders.end()) {
      result.again.emplace_back(path, inside->second);
    } else if (const auto [before, isNew] = named.emplace(*key, path); !isNew) {
      result.again.emplace_back(path, before->second);
    } else {
      result.paths.push_back(path);
    }
  }
  return result;
}

std::vector<std::string> NamedOnce::sentences() const {
  std::vector<std::string> all;
  for (const auto& [path, before] : again) {
    if (path == before)
      all.push_back(path + " is named twice and is opened once");
    else if (isFolder(before) && !isFolder(path))
      all.push_back(path + " is in " + before + ", which is named, too, and is opened once");
    else
      all.push_back(path + " is the same as " + before + " and is opened once");
  }
  return all;
}

}  // namespace ridgeline
