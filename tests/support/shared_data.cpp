#include "tests/support/shared_data.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace ridgeline::test {

namespace fs = std::filesystem;

std::string sharedFolder() {
  if (const char* set = std::getenv("RIDGELINE_SHARED")) return set;
  const fs::path beside = fs::path(RIDGELINE_SOURCE_DIR).parent_path() / "shared";
  return fs::is_directory(beside / "traces") ? beside.string() : std::string();
}

std::string sharedFile(const std::string& relative) {
  const std::string folder = sharedFolder();
  if (folder.empty()) return {};
  const fs::path path = fs::path(folder) / relative;
  return fs::exists(path) ? path.string() : std::string();
}

std::vector<std::string> sharedFilesBelow(const std::string& relative) {
  std::vector<std::string> files;
  const std::string folder = sharedFile(relative);
  if (folder.empty()) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace ridgeline::test
