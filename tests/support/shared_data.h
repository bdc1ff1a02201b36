#pragma once

#include <string>
#include <vector>

namespace ridgeline::test {

/// The folder with real traces and oracles beside the checkout (`../shared`, or the environment
/// variable RIDGELINE_SHARED); empty where it does not exist. Tests that need it QSKIP by name.
std::string sharedFolder();
/// A file in it, or empty when it is not there.
std::string sharedFile(const std::string& relative);
/// All regular files below a folder of it, sorted; empty when it is not there.
std::vector<std::string> sharedFilesBelow(const std::string& relative);

}  // namespace ridgeline::test
