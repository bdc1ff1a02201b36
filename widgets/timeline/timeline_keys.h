#pragma once

#include <vector>

#include <QString>

namespace ridgeline {

/// One line of the list of keys.
struct KeyHelp {
  QString keys;
  QString what;
};
[[nodiscard]] std::vector<KeyHelp> timelineKeys();

}  // namespace ridgeline
