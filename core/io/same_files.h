#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ridgeline {

/// Paths that a user named, each file once.
struct NamedOnce {
  std::vector<std::string> paths;  ///< in the order given, what is named again left out
  /// What was left out: its path, and the path (or the folder) that names the same file before.
  std::vector<std::pair<std::string, std::string>> again;

  /// A sentence on each: "b.json is the same file as a.json and is opened once".
  [[nodiscard]] std::vector<std::string> sentences() const;
};

/// Two paths of one file (the same, a link, another way to write it, or a file in a folder that is
/// named, too) would become two ranks. What cannot be reached stays: opening it says why.
[[nodiscard]] NamedOnce namedOnce(const std::vector<std::string>& paths);

}  // namespace ridgeline
