#include "core/io/folder_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/io/same_files.h"

namespace ridgeline {

namespace {

namespace fs = std::filesystem;

bool isDigit(char ch) {
  return ch >= '0' && ch <= '9';
}

std::string_view takeDigits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && isDigit(text[count])) ++count;
  std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

/// Runs of digits compare as numbers.
bool comesBefore(const std::string& left, const std::string& right) {
  std::string_view a = left;
  std::string_view b = right;
  while (!a.empty() && !b.empty()) {
    if (isDigit(a.front()) && isDigit(b.front())) {
      const std::string_view x = takeDigits(a);
      const std::string_view y = takeDigits(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() != b.empty() ? a.empty() : left < right;
}

/// Adds the files of one folder, and names the folders in it. False if it cannot be listed.
bool list(const std::string& folder, std::vector<std::string>& files,
          std::vector<std::string>* folders) {
  std::error_code error;
  fs::directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    if (it->path().filename().native().starts_with('.')) continue;
    if (it->is_regular_file(ignored)) files.push_back(it->path().native());
    if (folders != nullptr && it->is_directory(ignored) && !it->is_symlink(ignored))
      folders->push_back(it->path().native());
  }
  return !error;
}

}  // namespace

bool isFolder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

Result<std::vector<std::string>> filesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::vector<std::string> folders;
  if (!list(folder, files, &folders))
    return Error{"the folder cannot be listed", folder, "Check the permissions."};
  for (const std::string& inner : folders) list(inner, files, nullptr);
  std::sort(files.begin(), files.end(), comesBefore);
  return namedOnce(files).paths;
}

}  // namespace ridgeline
